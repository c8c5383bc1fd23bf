/** Tests in Chromium, which are skipped on a machine without one. */
import type { Effect, Layer, Scope } from "effect"
import { suite } from "../suite.ts"
import { chromiumPath } from "./chromium-program.ts"

/** A test that can use what its group shares. */
export type BrowserTest<R> = (
  title: string,
  body: () => Effect.Effect<void, unknown, R | Scope.Scope>
) => void

/**
 * A group of tests in Chromium that share a layer. Without Chromium, each test counts as skipped, and the
 * group's title says what it needs, because reporters show the title.
 */
export const inBrowser =
  <R, E>(shared: Layer.Layer<R, E>) =>
  (title: string, tests: (test: BrowserTest<R>) => void): void => {
    const missing = chromiumPath === undefined
    suite(shared)(missing ? `${title} (needs Chromium)` : title, (it) =>
      tests(missing ? it.scoped.skip : it.scoped)
    )
  }
