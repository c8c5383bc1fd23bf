import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/**
 * Waits until the condition holds, for `within` milliseconds at most, and fails naming what was waited for.
 */
export const eventually = <E, R>(
  what: string,
  within: number,
  condition: Effect.Effect<boolean, E, R>
): Effect.Effect<void, E | Error, R> =>
  condition.pipe(
    Effect.repeat({ until: (holds) => holds, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutFail({ duration: within, onTimeout: () => new Error(`Not within ${within} ms: ${what}`) }),
    Effect.asVoid
  )
