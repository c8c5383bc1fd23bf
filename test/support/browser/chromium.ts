import * as Effect from "effect/Effect"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core"
import { chromiumPath, flags } from "./chromium-program.ts"

/**
 * The Chromium of this process, started when a test first needs it: starting one takes longer than most of what is done in it. It is
 * no other process's, since the pages of a Chromium share a clipboard. It ends with the process.
 */
const launched: { browser?: Promise<Browser> } = {}

const browserOfProcess = (): Promise<Browser> => {
  launched.browser ??= chromium.launch({
    ...(chromiumPath === undefined ? undefined : { executablePath: chromiumPath }),
    args: flags
  })
  return launched.browser
}

/** A headless browser that nobody has used before: a context with nothing in it, closed with the scope. */
export const browser = (options: BrowserContextOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<BrowserContext> => (await browserOfProcess()).newContext(options)),
    (context) => Effect.promise(() => context.close())
  )
