import { Effect } from "effect"
import { type Check, doubtful, failed, well } from "../cli/check.ts"
import { layer } from "./cli-layer.ts"
import { StoredWork } from "./service.ts"

/** Seconds for which a lane may be due before a process takes it. A dead process's lanes take up to ten. */
const tolerable = 60

const work = Effect.gen(function* () {
  const all = yield* (yield* StoredWork).figures
  const late = all.filter(({ oldest }) => (oldest ?? 0) > tolerable)
  if (late.length > 0) {
    const waits = late.map(({ kind, oldest }) => `${kind} for ${Math.round(oldest ?? 0)} s`).join(", ")
    return failed(
      `Work is due that no process takes: ${waits}.`,
      "Check that the service runs, in a version that knows this work, and that it can write to the database."
    )
  }
  const poison = all.filter((one) => one.poison > 0)
  if (poison.length > 0) {
    return doubtful(
      `Jobs were set aside because they cannot be run: ${poison.map((one) => `${one.poison} of ${one.kind}`).join(", ")}.`,
      "See why with work list, then use work retry or work drop."
    )
  }
  const jobs = all.reduce((sum, one) => sum + one.jobs, 0)
  return well(jobs === 0 ? "No work waits." : `All work that is due is under way, of ${jobs} jobs in all.`)
})

export const checks: ReadonlyArray<Check> = [{ name: "work", ofDatabase: Effect.provide(work, layer) }]
