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

/**
 * Tries what has to be done while something is good, which is so for some seconds: with one, and with twice as many each time
 * that the machine was too slow to do it. Fails after five tries.
 *
 * @param attempt whether it could be done
 */
export const withTimeEnough = <E, R>(
  what: string,
  attempt: (seconds: number) => Effect.Effect<boolean, E, R>
): Effect.Effect<void, E | Error, R> =>
  Effect.gen(function* () {
    for (const seconds of [1, 2, 4, 8, 16]) if (yield* attempt(seconds)) return
    return yield* Effect.fail(new Error(`Not with 16 s either: ${what}`))
  })
