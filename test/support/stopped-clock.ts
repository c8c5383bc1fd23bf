import { Clock, Duration, Effect } from "effect"
import { vi } from "vitest"
import { eventually } from "./eventually.ts"

export interface StoppedClock {
  readonly clock: Clock.Clock
  /** Runs the effect, such as the start of a server, and everything that it starts on this clock. */
  readonly by: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Moves the clock forward. */
  readonly pass: (milliseconds: number) => Effect.Effect<void>
  /** Sets the clock to an instant, which may be in the past. */
  readonly set: (instant: number) => Effect.Effect<void>
}

/**
 * A clock that only a test moves, so that everything admitted in a period can be counted exactly. Sleeping
 * still uses real time.
 *
 * @param start the initial time in milliseconds
 */
export const stoppedClock = (start = Date.now()): StoppedClock => {
  const running = Clock.make()
  let now = start
  const millis = () => now
  const nanos = () => BigInt(now) * 1_000_000n
  const stopped: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => running.sleep(duration)
  }
  return {
    clock: stopped,
    by: Effect.withClock(stopped),
    pass: (milliseconds) =>
      Effect.sync(() => {
        now += milliseconds
      }),
    set: (instant) =>
      Effect.sync(() => {
        now = instant
      })
  }
}

/** A clock that only a test moves, also for sleeping fibers. It begins at 0. */
export const steppedClock = () => {
  let now = 0
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
  const nanos = () => BigInt(now) * 1_000_000n
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.async((resume) => {
        const sleeper = { until: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        if (sleeper.until <= now) return sleeper.wake()
        sleepers.add(sleeper)
        return Effect.sync(() => sleepers.delete(sleeper))
      })
  }
  return {
    clock,
    now: () => now,
    /** Runs once, when the clock has been moved so far. */
    after: (milliseconds: number, run: () => void) => {
      const sleeper = { until: now + milliseconds, wake: run }
      sleepers.add(sleeper)
      return { cancel: () => void sleepers.delete(sleeper) }
    },
    /** Moves the clock forward and wakes every sleeper that is due. */
    pass: (milliseconds: number) =>
      Effect.sync(() => {
        now += milliseconds
        for (const sleeper of sleepers) if (sleeper.until <= now && sleepers.delete(sleeper)) sleeper.wake()
      }),
    /** Waits until something sleeps until this instant. */
    sleepsUntil: (instant: number) =>
      eventually(`somebody sleeps until ${instant}`, () =>
        [...sleepers].some(({ until }) => until === instant)
      )
  }
}

export type SteppedClock = ReturnType<typeof steppedClock>

/** A clock that runs 50 times as fast from now on: one second takes 20 ms. */
export const hurriedClock = (): Clock.Clock => {
  const real = Clock.make()
  const start = real.unsafeCurrentTimeNanos()
  const nanos = () => start + (real.unsafeCurrentTimeNanos() - start) * 50n
  const millis = () => Number(nanos() / 1_000_000n)
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => real.sleep(Duration.times(duration, 1 / 50))
  }
}

/**
 * Stops the `Date` of this process until the scope ends, for libraries that use no other clock. Timers,
 * `performance.now` and the database continue.
 */
export const stoppedDate = Effect.gen(function* () {
  let now = Date.now()
  yield* Effect.acquireRelease(
    Effect.sync(() => vi.setSystemTime(now)),
    () => Effect.sync(() => vi.useRealTimers())
  )
  return {
    /** Moves the stopped `Date` forward. */
    pass: (milliseconds: number) =>
      Effect.sync(() => {
        now += milliseconds
        vi.setSystemTime(now)
      })
  }
})
