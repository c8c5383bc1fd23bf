/**
 * The timers of the server, by the names of `times.ts`. Nothing else in `src` starts a timer (biome.json refuses it), so that tests can
 * make all timeouts long, and set a single one. The browser's are in `web/timing.ts`.
 */
import { Context, Effect, type Option, Schedule } from "effect"
import { after, every, type Timer } from "./timers.ts"
import { type PauseName, productionTimes, type TimeoutName, type Times } from "./times.ts"

export type { Timer } from "./timers.ts"

/** A name of the table, or milliseconds that were computed or configured. */
type Timeout = TimeoutName | number
type Pause = PauseName | number

/** The timers and timeouts that these times give. */
export const makeTiming = (times: Times) => {
  const timeout = (of: Timeout): number => (typeof of === "number" ? of : times.timeouts[of])
  const pause = (of: Pause): number => (typeof of === "number" ? of : times.pauses[of])
  return {
    times,

    /** In milliseconds, for what takes its timeout as a number: a driver, a socket. */
    timeout,

    /** In milliseconds. */
    pause,

    /** None if the effect takes longer. It is interrupted then. */
    within: <A, E, R>(of: Timeout, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
      Effect.timeoutOption(effect, timeout(of)),

    /** Fails if the effect takes longer. It is interrupted then. */
    withinOr: <A, E, R, E2>(
      of: Timeout,
      effect: Effect.Effect<A, E, R>,
      onTimeout: () => E2
    ): Effect.Effect<A, E | E2, R> => Effect.timeoutFail(effect, { duration: timeout(of), onTimeout }),

    /** Aborts after the timeout, also if the garbage collector has run meanwhile. */
    signal: (of: Timeout): AbortSignal => AbortSignal.timeout(timeout(of)),

    /** Runs once, after the timeout. */
    after: (of: Timeout, run: () => void): Timer => after(timeout(of), run),

    /** Runs again and again, and keeps no process alive. */
    every: (of: Pause, run: () => void): Timer => every(pause(of), run),

    sleep: (of: Pause): Effect.Effect<void> => Effect.sleep(pause(of)),

    /** Pauses of this length between tries. */
    spaced: (of: Pause): Schedule.Schedule<number> => Schedule.spaced(pause(of)),

    /** Pauses between tries that double, from this length on. */
    exponential: (of: Pause) => Schedule.exponential(pause(of)),

    /** The same, up to the longest, and then of that length without end. */
    doubling: (first: Pause, longest: Pause) =>
      Schedule.union(Schedule.exponential(pause(first)), Schedule.spaced(pause(longest))),

    /** Ends a schedule once the timeout is over. */
    upTo: <Out, In, R>(of: Timeout, schedule: Schedule.Schedule<Out, In, R>) =>
      Schedule.upTo(schedule, timeout(of))
  }
}

/** Read it where a service is made: `const timing = yield* Timing`. */
export class Timing extends Context.Reference<Timing>()("doorlock/Timing", {
  defaultValue: () => makeTiming(productionTimes)
}) {}
