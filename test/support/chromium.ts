import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core"
import { inject } from "vitest"

/** The Chromium that browser tests drive, or undefined on a machine without one: they are skipped there. */
export const chromiumPath = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && path !== "" && existsSync(path)
)

export const flags = [
  // Chromium's sandbox refuses to run as root, which is who a container runs tests as.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream"
]

/** Of a context of its own. */
export interface BrowserOptions extends BrowserContextOptions {
  /** Names that lead to this machine. They take a browser of their own. */
  readonly host?: string | undefined
}

/** The browser of the run, or one for these names. */
const browserFor = (host: string | undefined): Promise<Browser> => {
  const endpoint = inject("chromium")
  return host === undefined && endpoint !== undefined
    ? chromium.connect(endpoint)
    : chromium.launch({
        ...(chromiumPath === undefined ? undefined : { executablePath: chromiumPath }),
        args: host === undefined ? flags : [...flags, `--host-resolver-rules=MAP ${host} 127.0.0.1`]
      })
}

/** A headless Chromium that nobody has used before, closed with the scope. */
export const browser = ({ host, ...options }: BrowserOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => browserFor(host)),
    (launched) => Effect.promise(() => launched.close())
  ).pipe(Effect.flatMap((launched) => Effect.promise(() => launched.newContext(options))))
