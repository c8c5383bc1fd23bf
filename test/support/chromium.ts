import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { type BrowserContext, chromium } from "playwright-core"

/** The Chromium that browser tests drive, or undefined on a machine without one: they are skipped there. */
export const chromiumPath = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && path !== "" && existsSync(path)
)

const flags = [
  // Chromium's sandbox refuses to run as root, which is who a container runs tests as.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

type Options = NonNullable<Parameters<typeof chromium.launchPersistentContext>[1]>

/** A headless Chromium with an empty profile of its own, closed and removed with the scope. */
export const browser = (options: Options = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const profile = mkdtempSync(join(tmpdir(), "doorlock-chromium-"))
      const context = await chromium.launchPersistentContext(profile, {
        ...options,
        ...(chromiumPath === undefined ? undefined : { executablePath: chromiumPath }),
        args: [...flags, ...(options.args ?? [])]
      })
      return { context, profile }
    }),
    ({ context, profile }) =>
      Effect.promise(async () => {
        await context.close()
        rmSync(profile, { recursive: true, force: true })
      })
  ).pipe(Effect.map(({ context }): BrowserContext => context))
