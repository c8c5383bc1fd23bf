import * as Effect from "effect/Effect"
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core"
import { inject } from "vitest"
import { chromiumPath, flags } from "./chromium-program.ts"

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
