import { type Cause, Effect } from "effect"

interface Lock {
  readonly semaphore: Effect.Semaphore
  /** How many effects run or wait. */
  users: number
  /** How many effects have entered. */
  entered: number
  /** The last failure that ends those behind it, too, and how many had entered by then. */
  failed: { readonly cause: Cause.Cause<never>; readonly entered: number } | undefined
}

/** Lets effects of one key run one after another, in their order. Effects of different keys do not wait for each other. */
export class KeyedMutex {
  readonly #locks = new Map<string, Lock>()
  readonly #endsOthers: (cause: Cause.Cause<unknown>) => Cause.Cause<never> | undefined

  /** @param endsOthers the failure with which what waits fails, too, because the same would happen to it; by default none */
  constructor(endsOthers: (cause: Cause.Cause<unknown>) => Cause.Cause<never> | undefined = () => undefined) {
    this.#endsOthers = endsOthers
  }

  /** Runs it once everything before it with this key has ended. It must not lock the same key itself. */
  withLock =
    (key: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => this.#enter(key)),
        ({ lock, place }) =>
          lock.semaphore.withPermits(1)(
            Effect.suspend(() =>
              lock.failed !== undefined && place <= lock.failed.entered
                ? Effect.failCause(lock.failed.cause)
                : Effect.tapErrorCause(effect, (cause) => Effect.sync(() => this.#remember(lock, cause)))
            )
          ),
        ({ lock }) => Effect.sync(() => this.#leave(key, lock))
      )

  #enter(key: string): { readonly lock: Lock; readonly place: number } {
    const lock = this.#locks.get(key) ?? {
      semaphore: Effect.unsafeMakeSemaphore(1),
      users: 0,
      entered: 0,
      failed: undefined
    }
    lock.users++
    lock.entered++
    this.#locks.set(key, lock)
    return { lock, place: lock.entered }
  }

  #remember(lock: Lock, failure: Cause.Cause<unknown>): void {
    const cause = this.#endsOthers(failure)
    if (cause !== undefined) lock.failed = { cause, entered: lock.entered }
  }

  #leave(key: string, lock: Lock): void {
    lock.users--
    if (lock.users === 0) this.#locks.delete(key)
  }
}
