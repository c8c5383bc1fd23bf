/** How long the program takes to be ready, with the embedded database. */
import { Effect } from "effect"
import { temporaryFolder } from "../../support/postgres.ts"
import { productionProgram, runUntilReady } from "../../support/program.ts"
import { median } from "../load.ts"
import { figure, rounds } from "../table.ts"

/** Milliseconds from the process's start until `/readyz` says 200, of one start and stop on a folder for its data. */
const startMillis = (dataDir: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const began = performance.now()
      yield* runUntilReady({ DATA_DIR: dataDir, ADMIN_PASSWORD: "correct horse battery" }, productionProgram)
      return performance.now() - began
    })
  )

const seconds = (millis: number) => `${(millis / 1000).toFixed(2)} s`

export const starts = Effect.gen(function* () {
  const measured = yield* Effect.replicateEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        return { first: yield* startMillis(dataDir), later: yield* startMillis(dataDir) }
      })
    ),
    rounds
  )
  const first = median(measured.map((start) => start.first))
  const later = median(measured.map((start) => start.later))
  yield* figure("start on an empty data folder", seconds(first), "3 s", first <= 3_000)
  yield* figure("later starts", seconds(later), "1 s", later <= 1_000)
})
