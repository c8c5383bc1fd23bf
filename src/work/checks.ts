import { Effect } from "effect"
import { type Check, doubtful, failed, well } from "../cli/check.ts"
import { layer } from "./cli-layer.ts"
import { StoredWork } from "./service.ts"

/** Seconds for which a lane may be due before a process takes it. A dead process's lanes take up to ten. */
const tolerable = 60

const work = Effect.gen(function* () {
  const stored = yield* StoredWork
  const waiting = yield* stored.eventsWaiting
  if (waiting > tolerable) {
    return failed(
      `Events have waited for ${Math.round(waiting)} s to be moved to the log, so no webhook is sent for them.`,
      "Check that a process with ROLE=all or ROLE=work runs, and that it can write to the database."
    )
  }
  const all = yield* stored.figures
  const late = all.filter(({ oldest }) => (oldest ?? 0) > tolerable)
  if (late.length > 0) {
    const waits = late.map(({ kind, oldest }) => `${kind} for ${Math.round(oldest ?? 0)} s`).join(", ")
    return failed(
      `No process takes the work that is due: ${waits}.`,
      "Check that a process with ROLE=all or ROLE=work runs, in a version that knows this work, and that it can write to the database."
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
  return well(jobs === 0 ? "No work is waiting." : `No job is late. Jobs that wait or run: ${jobs}.`)
})

export const checks: ReadonlyArray<Check> = [{ name: "work", ofDatabase: Effect.provide(work, layer) }]
