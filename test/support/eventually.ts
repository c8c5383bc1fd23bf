import { Effect, Schedule } from "effect"

/**
 * Waits until the condition holds. Fails after `within` milliseconds, with an error that names the condition.
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
 * Tries an action that must finish within a validity period: one second first, then twice as long each time
 * the machine was too slow. Fails after five tries.
 *
 * @param attempt whether the action succeeded in time
 */
export const withTimeEnough = <E, R>(
  what: string,
  attempt: (seconds: number) => Effect.Effect<boolean, E, R>
): Effect.Effect<void, E | Error, R> =>
  Effect.gen(function* () {
    for (const seconds of [1, 2, 4, 8, 16]) if (yield* attempt(seconds)) return
    return yield* Effect.fail(new Error(`Not with 16 s either: ${what}`))
  })
