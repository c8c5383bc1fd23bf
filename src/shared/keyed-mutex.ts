import { Effect } from "effect"

interface Lock {
  readonly semaphore: Effect.Semaphore
  /** How many effects run or wait. */
  users: number
}

/** Lets effects of one key run one after another, in their order. Effects of different keys do not wait for each other. */
export class KeyedMutex {
  readonly #locks = new Map<string, Lock>()

  /** Runs it once everything before it with this key has ended. It must not lock the same key itself. */
  withLock =
    (key: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => this.#enter(key)),
        ({ semaphore }) => semaphore.withPermits(1)(effect),
        (lock) => Effect.sync(() => this.#leave(key, lock))
      )

  #enter(key: string): Lock {
    const lock = this.#locks.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(1), users: 0 }
    lock.users++
    this.#locks.set(key, lock)
    return lock
  }

  #leave(key: string, lock: Lock): void {
    lock.users--
    if (lock.users === 0) this.#locks.delete(key)
  }
}
