import { Deferred, Effect, FiberId, type Scope } from "effect"

export interface Makings<A> {
  /** Never a value begun before the last change. The work continues if its caller disconnects. */
  readonly of: (name: string, make: Effect.Effect<A>) => Effect.Effect<Deferred.Deferred<A>>
  /** Marks the value in progress as outdated. */
  readonly changed: () => void
}

/** Builds values one at a time, shared by all callers. Per name, one is in progress and at most one waits. */
export const makings = <A>(): Effect.Effect<Makings<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)
    let changes = 0
    const waiting = new Map<string, Deferred.Deferred<A>>()
    /** The value in progress, and the number of changes when it started. */
    let underWay:
      | { readonly name: string; readonly changes: number; readonly made: Deferred.Deferred<A> }
      | undefined

    const begin = (name: string, make: Effect.Effect<A>, made: Deferred.Deferred<A>) =>
      oneAtATime(
        Effect.suspend(() => {
          waiting.delete(name)
          underWay = { name, changes, made }
          return Effect.ensuring(
            Effect.intoDeferred(make, made),
            Effect.sync(() => {
              underWay = undefined
            })
          )
        })
      )

    return {
      of: (name, make) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.suspend(() => {
            const known = waiting.get(name)
            if (known !== undefined) return Effect.succeed(known)
            if (underWay?.name === name && underWay.changes === changes) return Effect.succeed(underWay.made)
            const made = Deferred.unsafeMake<A>(FiberId.none)
            waiting.set(name, made)
            return Effect.as(Effect.forkIn(restore(begin(name, make, made)), scope), made)
          })
        ),
      changed: () => {
        changes++
      }
    }
  })
