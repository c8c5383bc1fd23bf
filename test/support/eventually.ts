import { Effect } from "effect"

/** What a test waited for has not come in time. Its name is that of other deadlines: see `run/summary`. */
export class NotInTime extends Error {
  override readonly name = "TimeoutError"
}

/** If the whole machine stood still, time has passed in which nothing could become true: with fewer looks, half of the time is added. */
const leastLooks = 100

/**
 * Waits until the condition holds, and returns what it has found then: `true`, or something truthy. Fails after `within` milliseconds, or
 * when one look takes that long, with an error that names the condition.
 */
export const eventually = <A, E, R>(
  what: string,
  within: number,
  condition: Effect.Effect<A | false, E, R>
): Effect.Effect<A, E | Error, R> =>
  Effect.gen(function* () {
    const failed = () => new NotInTime(`Not within ${within} ms: ${what}`)
    const look = Effect.timeoutFail(condition, { duration: within, onTimeout: failed })
    const began = performance.now()
    for (let looks = 1; ; looks++) {
      const found = yield* look
      if (found) return found
      const waited = performance.now() - began
      if (waited > (looks < leastLooks ? 1.5 : 1) * within) return yield* Effect.fail(failed())
      yield* Effect.sleep("5 millis")
    }
  })

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
