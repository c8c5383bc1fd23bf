/** The timeouts and pauses of a server in tests. */
import { Effect, Record } from "effect"
import { type PauseName, productionTimes, type TimeoutName } from "../../src/shared/times.ts"
import { makeTiming, Timing } from "../../src/shared/timing.ts"
import type { SteppedClock } from "./stopped-clock.ts"

/** How many times as long as in production a timeout is in tests, so that a busy machine does not reach it. */
const longer = 100

const patientTimes = {
  timeouts: {
    ...Record.map(productionTimes.timeouts, (millis) => longer * millis),
    // Tests leave statements that hang, and servers that do not answer any more. Nobody waits for what they would have said.
    "db.close": productionTimes.timeouts["db.close"],
    "db.close_pool": productionTimes.timeouts["db.close_pool"]
  },
  // A test asks for no server that has stopped, and a refusal is the same without its delay.
  pauses: { ...productionTimes.pauses, "http.lame_duck": 0, "limits.refusal": 0 }
}

/** No test reaches a timeout. Pauses are as in production, but for those that only slow tests down. */
export const patientTiming = makeTiming(patientTimes)

interface OwnTimes {
  readonly timeouts?: Partial<Readonly<Record<TimeoutName, number>>>
  readonly pauses?: Partial<Readonly<Record<PauseName, number>>>
}

/** These times instead of patient ones, for what is made without a server. */
export const timingOf = ({ pauses, timeouts }: OwnTimes) =>
  makeTiming({
    timeouts: { ...patientTimes.timeouts, ...timeouts },
    pauses: { ...patientTimes.pauses, ...pauses }
  })

/**
 * Starts something, such as a server, with these times instead of patient ones, in milliseconds: for a test of what happens after them.
 * Production's are in `productionTimes`.
 */
export const withTimes = (times: OwnTimes) => Effect.provideService(Timing, timingOf(times))

/** Like {@link withTimes}. Timers of these names (`after`) run on the test's clock, as long as in production. */
export const withTimersOn = (
  clock: SteppedClock,
  names: ReadonlyArray<TimeoutName>,
  times: OwnTimes = {}
) => {
  const timing = timingOf(times)
  const isMoved = (of: TimeoutName | number): of is TimeoutName => names.some((name) => name === of)
  return Effect.provideService(Timing, {
    ...timing,
    after: (of, run) => (isMoved(of) ? clock.after(productionTimes.timeouts[of], run) : timing.after(of, run))
  })
}
