import { Effect } from "effect"
import { getCurrentTest } from "vitest/suite"

/** What a test waited for has not come in time. Its name is that of other deadlines: see `run/summary`. */
export class NotInTime extends Error {
  override readonly name = "TimeoutError"
}

/** Milliseconds: below the runner's limit, so that a red test says what it waited for. Before and after a test, where hooks run: of a hook. */
const patience = () => 0.9 * (getCurrentTest()?.timeout || 120_000)

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text
}

/**
 * Looks again and again until what it finds holds, and returns that. Gives up shortly before the runner does, with an error that names the
 * condition and what was found last. A look that fails ends the wait at once.
 *
 * @param look an effect or a function
 * @param holds unset: whether it is truthy
 */
export const eventually = <A, E = never, R = never>(
  what: string,
  look: Effect.Effect<A | false, E, R> | (() => A | false),
  holds: (found: A) => boolean = Boolean
): Effect.Effect<A, E | Error, R> =>
  Effect.suspend(() => within(patience(), what, Effect.isEffect(look) ? look : Effect.sync(look), holds))

/** Like {@link eventually}, for the test of its deadline, in milliseconds. */
export const within = <A, E, R>(
  millis: number,
  what: string,
  look: Effect.Effect<A | false, E, R>,
  holds: (found: A) => boolean = Boolean
): Effect.Effect<A, E | Error, R> =>
  Effect.gen(function* () {
    const until = performance.now() + millis
    let last = ""
    const late = () => new NotInTime(`Not in time: ${what}${last}`)
    for (;;) {
      const found = yield* Effect.timeoutFail(look, {
        duration: Math.max(1, until - performance.now()),
        onTimeout: late
      })
      if (found !== false && holds(found)) return found
      last = `. Found last: ${shown(found)}`
      if (performance.now() > until) return yield* Effect.fail(late())
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
