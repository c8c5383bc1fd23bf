import { Effect } from "effect"

/**
 * Reads milliseconds on a monotonic clock. It captures the `Clock` in scope when this effect runs, so a component built with its own clock
 * keeps using that clock.
 */
export const monotonic: Effect.Effect<() => number> = Effect.map(
  Effect.clock,
  // Through microseconds, which a number represents exactly.
  (clock) => () => Number(clock.unsafeCurrentTimeNanos() / 1_000n) / 1_000
)
