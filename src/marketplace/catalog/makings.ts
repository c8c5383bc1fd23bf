import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"

export interface Makings<A> {
  /**
   * What is being made under that name, or is about to be. Who asks after a change does not get what was begun before it. Goes on
   * when whoever asked goes away.
   */
  readonly of: (name: string, make: Effect.Effect<A>) => Effect.Effect<Deferred.Deferred<A>>
  /** Something has changed: what is under way is out of date. */
  readonly changed: () => void
}

/**
 * Things that are made one at a time, each for all who ask for it. Of each name at most one is under way and one waits, however many
 * changes there are: the one that waits will have seen them all.
 */
export const makings = <A>(): Effect.Effect<Makings<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)
    let changes = 0
    const waiting = new Map<string, Deferred.Deferred<A>>()
    /** What is under way, and before which change it was begun. */
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
