import { Effect } from "effect"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core"
import { chromiumPath, flags } from "./chromium-program.ts"

/** What a camera shows: a file of Chromium's (`.mjpeg`), for as long as the browser runs; by default, a moving pattern. */
type Film = string | undefined

const launch = (film: Film): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath === undefined ? undefined : { executablePath: chromiumPath }),
    args: film === undefined ? flags : [...flags, `--use-file-for-fake-video-capture=${film}`]
  })

/**
 * The Chromium of this process. It starts when a test first needs it, because starting takes longer than most
 * tests, and ends with the process. Processes do not share one, because all pages of a Chromium share a
 * clipboard.
 */
const launched: { browser?: Promise<Browser> } = {}

const browserOfProcess = (): Promise<Browser> => {
  launched.browser ??= launch(undefined)
  return launched.browser
}

/** A Chromium of its own, whose camera shows a film; closed with the scope. */
const browserWith = (film: string) =>
  Effect.acquireRelease(
    Effect.promise(() => launch(film)),
    (browser) => Effect.promise(() => browser.close())
  )

/** A fresh headless browser: an empty context, closed with the scope. */
export const browser = (options: BrowserContextOptions = {}, film?: Film) =>
  Effect.flatMap(film === undefined ? Effect.promise(browserOfProcess) : browserWith(film), (started) =>
    Effect.acquireRelease(
      Effect.promise((): Promise<BrowserContext> => started.newContext(options)),
      (context) => Effect.promise(() => context.close())
    )
  )
