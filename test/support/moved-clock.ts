/** A clock that stands still until a test moves it, for a server that is given it when it is built. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Of `clock`, durations stand still until `pass` moves them; the time of day goes on, and what sleeps by it sleeps as long as ever. */
export const movedClock = Effect.map(Effect.clock, (live) => {
  let now = live.unsafeCurrentTimeNanos()
  const clock: Clock.Clock = {
    ...live,
    sleep: (duration) => live.sleep(duration),
    currentTimeNanos: Effect.sync(() => now),
    unsafeCurrentTimeMillis: () => live.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => now
  }
  return {
    clock,
    /** @param seconds whole ones */
    pass: (seconds: number): void => {
      now += BigInt(seconds) * 1_000_000_000n
    }
  }
})
