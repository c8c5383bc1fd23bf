import { Effect } from "effect"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core"
import { chromiumPath, flags } from "./chromium-program.ts"

/**
 * The Chromium of this process. It starts when a test first needs it, because starting takes longer than most
 * tests, and ends with the process. Processes do not share one, because all pages of a Chromium share a
 * clipboard.
 */
const launched: { browser?: Promise<Browser> } = {}

const browserOfProcess = (): Promise<Browser> => {
  launched.browser ??= chromium.launch({
    ...(chromiumPath === undefined ? undefined : { executablePath: chromiumPath }),
    args: flags
  })
  return launched.browser
}

/** A fresh headless browser: an empty context, closed with the scope. */
export const browser = (options: BrowserContextOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<BrowserContext> => (await browserOfProcess()).newContext(options)),
    (context) => Effect.promise(() => context.close())
  )
