import * as Effect from "effect/Effect"

/**
 * Reads milliseconds on a clock that is never set. It is the `Clock` of whoever asks for this, so that what is built with a clock of its
 * own measures by that one from then on.
 */
export const monotonic: Effect.Effect<() => number> = Effect.map(
  Effect.clock,
  // By way of microseconds, which a number still holds exactly.
  (clock) => () => Number(clock.unsafeCurrentTimeNanos() / 1_000n) / 1_000
)
