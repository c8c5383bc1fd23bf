import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** There was no turn: too many wait already, or it has waited too long. */
export class NoTurn extends Data.TaggedError("NoTurn") {}

/** For whom something is done. */
export interface Whose {
  readonly company: string
  readonly session: string
}

interface Bounds {
  /** Turns at once; of a session never more than one. */
  readonly atOnce: number
  /** How many wait at most: of all, of a company, and of a session. */
  readonly waiting: { readonly all: number; readonly company: number; readonly session: number }
  readonly wait: Duration.DurationInput
}

interface Waiting extends Whose {
  readonly ready: Deferred.Deferred<void>
}

/**
 * Turns that are shared fairly: the next is that of the company which has the fewest, then of the one that had its last the longest ago;
 * among its sessions likewise. Whoever asks for many waits behind whoever asks for one.
 */
export const fairTurns = ({ atOnce, wait, waiting: most }: Bounds) => {
  const running: Array<Whose> = []
  const waiting: Array<Waiting> = []
  /** When a company or a session that is here had its last turn, as a number that grows. */
  const last = new Map<string, number>()
  let turns = 0

  const count = (among: ReadonlyArray<Whose>, of: keyof Whose, id: string): number =>
    among.filter((one) => one[of] === id).length

  const rank = ({ company, session }: Whose): readonly [number, number, number] => [
    count(running, "company", company),
    last.get(company) ?? 0,
    last.get(session) ?? 0
  ]

  const isBefore = (one: Whose, other: Whose): boolean => {
    const [ranks, others] = [rank(one), rank(other)]
    const differs = ranks.findIndex((number, index) => number !== others[index])
    return differs !== -1 && Number(ranks[differs]) < Number(others[differs])
  }

  /** Forgets whoever neither runs nor waits. */
  const forget = ({ company, session }: Whose): void => {
    for (const [of, id] of [["company", company] as const, ["session", session] as const]) {
      if (count(running, of, id) + count(waiting, of, id) === 0) last.delete(id)
    }
  }

  const remove = <A extends Whose>(from: Array<A>, one: A): void => {
    const at = from.indexOf(one)
    if (at !== -1) from.splice(at, 1)
    forget(one)
  }

  /** Gives free places to those whose turn it is. */
  const giveTurns = Effect.suspend(() => {
    const ready: Array<Deferred.Deferred<void>> = []
    while (running.length < atOnce) {
      const [next] = waiting
        .filter(({ session }) => count(running, "session", session) === 0)
        .sort((one, other) => Number(isBefore(other, one)) - Number(isBefore(one, other)))
      if (next === undefined) break
      running.push(next)
      waiting.splice(waiting.indexOf(next), 1)
      turns++
      last.set(next.company, turns)
      last.set(next.session, turns)
      ready.push(next.ready)
    }
    return Effect.forEach(ready, (one) => Deferred.succeed(one, undefined), { discard: true })
  })

  const enter = (whose: Whose): Effect.Effect<Waiting, NoTurn> =>
    Effect.suspend(() => {
      if (
        waiting.length >= most.all ||
        count(waiting, "company", whose.company) >= most.company ||
        count(waiting, "session", whose.session) >= most.session
      ) {
        return Effect.fail(new NoTurn())
      }
      return Effect.flatMap(Deferred.make<void>(), (ready) => {
        const one = { ...whose, ready }
        waiting.push(one)
        return Effect.as(giveTurns, one)
      })
    })

  const leave = (one: Waiting): Effect.Effect<void> =>
    Effect.suspend(() => {
      remove(waiting, one)
      remove(running, one)
      return giveTurns
    })

  /** Does it when it has its turn, or fails with `NoTurn`. */
  return <A, E, R>(whose: Whose, action: Effect.Effect<A, E, R>): Effect.Effect<A, E | NoTurn, R> =>
    Effect.acquireUseRelease(
      enter(whose),
      ({ ready }) =>
        Deferred.await(ready).pipe(
          Effect.timeoutFail({ duration: wait, onTimeout: () => new NoTurn() }),
          Effect.zipRight(action)
        ),
      leave
    )
}
