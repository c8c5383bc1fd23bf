/** Programs whose clock can be set, by Debian's package `faketime`. */
import { globSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryFolder } from "../postgres.ts"
import type { Environment } from "../server.ts"

/** Undefined where there is none: the tests that need it are then skipped by name. */
const [library] = globSync("/usr/lib/{*/,}faketime/libfaketime.so.1")

export const withoutClocks = library === undefined

export interface Clock {
  /** For the program whose clock it is. */
  readonly environment: Environment
  /** Sets it so many seconds ahead of the true time, or back. */
  readonly set: (seconds: number) => Effect.Effect<void>
}

/** A clock that is right until it is set. What is measured with the system's other clock, which is never set, is not touched. */
export const clock: Effect.Effect<Clock, never, Scope.Scope> = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "offset")
  const set = (seconds: number) =>
    Effect.promise(() => writeFile(file, `${seconds < 0 ? "" : "+"}${seconds}\n`))
  yield* set(0)
  return {
    set,
    environment: {
      LD_PRELOAD: library ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1"
    }
  }
})
