/** A clock that a test moves ahead, for a server that is given it when it is built. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** `clock` is right until `pass` moves it; what sleeps by it sleeps as long as ever. */
export const movedClock = Effect.map(Effect.clock, (live) => {
  let ahead = 0
  const clock: Clock.Clock = {
    ...live,
    sleep: (duration) => live.sleep(duration),
    currentTimeMillis: Effect.map(live.currentTimeMillis, (now) => now + ahead),
    currentTimeNanos: Effect.map(live.currentTimeNanos, (now) => now + BigInt(ahead) * 1_000_000n),
    unsafeCurrentTimeMillis: () => live.unsafeCurrentTimeMillis() + ahead,
    unsafeCurrentTimeNanos: () => live.unsafeCurrentTimeNanos() + BigInt(ahead) * 1_000_000n
  }
  return {
    clock,
    /** @param seconds whole ones */
    pass: (seconds: number): void => {
      ahead += seconds * 1_000
    }
  }
})
