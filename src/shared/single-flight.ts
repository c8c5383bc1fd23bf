import { Deferred, Effect, FiberId, FiberSet, type Scope } from "effect"
import { KeyedMutex } from "./keyed-mutex.ts"

/**
 * Makes a value of one key at most once at a time, for all callers. Who asks while it is being made waits for one more making, which all of them
 * share: a value is never older than the question. It goes on if a caller leaves, and ends with the scope.
 */
export const singleFlight = <A>(): Effect.Effect<
  (key: string, make: Effect.Effect<A>) => Effect.Effect<A>,
  never,
  Scope.Scope
> =>
  Effect.map(FiberSet.makeRuntime<never, unknown>(), (run) => {
    const mutex = new KeyedMutex()
    const waiting = new Map<string, Deferred.Deferred<A>>()
    return (key, make) =>
      Effect.suspend(() => {
        const known = waiting.get(key)
        if (known !== undefined) return Deferred.await(known)
        const made = Deferred.unsafeMake<A>(FiberId.none)
        waiting.set(key, made)
        const begun = Effect.suspend(() => {
          waiting.delete(key)
          return Effect.intoDeferred(make, made)
        })
        run(mutex.withLock(key)(begun))
        return Deferred.await(made)
      })
  })
