import { Effect } from "effect"

/** Reads milliseconds on a monotonic clock: the `Clock` in scope when this effect runs. */
export const monotonic: Effect.Effect<() => number> = Effect.map(
  Effect.clock,
  // Microseconds fit into a number exactly.
  (clock) => () => Number(clock.unsafeCurrentTimeNanos() / 1_000n) / 1_000
)
