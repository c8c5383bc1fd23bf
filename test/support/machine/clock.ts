/** Runs programs with a clock that a test can set, through Debian's package `faketime`. */
import { globSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { temporaryFolder } from "../postgres.ts"
import type { Environment } from "../server.ts"

/** Undefined without the package: tests that need it are skipped by name. */
const [library] = globSync("/usr/lib/{*/,}faketime/libfaketime.so.1")

export const withoutClocks = library === undefined

export interface Clock {
  /** The environment of the program with this clock. */
  readonly environment: Environment
  /** Sets the clock this many seconds ahead of real time, or back. */
  readonly set: (seconds: number) => Effect.Effect<void>
}

/** A clock that is right until it is set. It does not affect the system's monotonic clock. */
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
