import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { CurrentRequest } from "../shared/current-request.ts"

/** There was no turn: no place to wait, the place was lost to somebody else, the wait was too long, or the client has gone away. */
export class NoTurn extends Data.TaggedError("NoTurn") {}

interface Bounds {
  /** Works under way, at most. Without: as many as there are turns. */
  readonly atOnce?: number
  /** What waits, at most: the sizes together. Without: whatever comes. */
  readonly waiting?: number
}

/** A lane of the queue, or of the lane around it. */
export interface Lane extends Bounds {
  readonly name: string
  /** How much it has used lately, by any measure that is that of all lanes. Without: nothing. */
  readonly used?: () => number
}

interface QueueBounds extends Bounds {
  readonly atOnce: number
  /** How long a work waits for its turn, at most, in `inTurn`. Without: until it comes. */
  readonly patience?: Duration.DurationInput
}

/** What happens to a work that waits: one of the two, once. */
interface Work {
  /** It is its turn, until it calls `end`. */
  readonly begin: (end: () => void) => void
  /** It has lost its place. */
  readonly refuse: () => void
}

interface Waiting extends Work {
  readonly size: number
  /** The lanes in which it waits: the whole queue first, the innermost last. */
  readonly path: ReadonlyArray<Node>
}

/** A lane that has works waiting or under way. */
interface Node {
  readonly name: string
  readonly atOnce: number
  readonly most: number
  readonly used: () => number
  running: number
  /** The sizes of all that waits in it. */
  waiting: number
  /** Of an innermost lane: what waits, the oldest first. */
  readonly works: Set<Waiting>
  /** Of another: the lanes in it. The one that had its turn last, or has last begun to wait, is last. */
  readonly lanes: Map<string, Node>
}

const nodeOf = ({ atOnce = Infinity, name, used = () => 0, waiting = Infinity }: Lane): Node => ({
  name,
  atOnce,
  most: waiting,
  used,
  running: 0,
  waiting: 0,
  works: new Set(),
  lanes: new Map()
})

const putLast = (within: Node, lane: Node): void => {
  within.lanes.delete(lane.name)
  within.lanes.set(lane.name, lane)
}

const lanesWithin = (path: ReadonlyArray<Node>): ReadonlyArray<readonly [within: Node, lane: Node]> =>
  path.slice(1).flatMap((lane, index) => {
    const within = path[index]
    return within === undefined ? [] : [[within, lane] as const]
  })

/** Counts what has changed along a path, and forgets the lanes of it that have nothing any more. */
const count = (path: ReadonlyArray<Node>, waiting: number, running: number): void => {
  for (const node of path) {
    node.waiting += waiting
    node.running += running
  }
  for (const [within, { name, running, waiting }] of lanesWithin(path)) {
    if (waiting === 0 && running === 0) within.lanes.delete(name)
  }
}

/** All that waits in a lane. */
const worksIn = ({ lanes, works }: Node): ReadonlyArray<Waiting> => [
  ...works,
  ...[...lanes.values()].flatMap(worksIn)
]

interface Next {
  readonly work: Waiting
  /** The most that any of its lanes has used lately. */
  readonly used: number
}

/** The work whose turn is next in a lane, or undefined when none may begin. */
const nextIn = ({ atOnce, lanes, running, used, works }: Node): Next | undefined => {
  if (running >= atOnce) return undefined
  for (const oldest of works) return { work: oldest, used: used() }
  let next: Next | undefined
  let fewest = Infinity
  for (const lane of lanes.values()) {
    if (lane.running > fewest || (next?.used === 0 && lane.running === fewest)) continue
    const found = nextIn(lane)
    if (found === undefined) continue
    if (next !== undefined && lane.running === fewest && found.used >= next.used) continue
    fewest = lane.running
    next = found
    if (fewest === 0 && next.used === 0) break
  }
  return next === undefined ? undefined : { work: next.work, used: Math.max(used(), next.used) }
}

/**
 * A queue in which nobody waits for all that others have put into it.
 *
 * A work waits in a lane, which may be a lane of another lane, and so on. All works of a queue have as many lanes around them. The rule:
 *
 * - **Turns.** The next turn is that of the lane with the fewest works under way. Of several it is that of the one that has used the
 *   least lately, where lanes tell that: no less than what the lane in it has used whose turn it would be, so that nobody gains by
 *   having lanes in several others. Of several equals it is that of the one that has waited the longest since its last turn, or since
 *   it came. Within that lane it is decided likewise, and in an innermost lane the oldest work
 *   begins.
 * - **At once.** No more works are under way than the queue has turns (`atOnce`), and in a lane no more than the lane has. A lane that
 *   has all it may have is passed over.
 * - **Places.** What waits in the queue, and in each lane, is bounded (`waiting`). Works count by their size. What is under way counts
 *   no more.
 * - **Who loses a place.** When a bound is passed, a work of whatever has that bound is refused. It is the newest work of the largest
 *   lane: of the largest lane within that lane, where there are lanes in it. Of several that are equally large it is one by chance, so
 *   that nobody can arrange to be spared, or to have somebody else refused. When several bounds are passed, the innermost comes first.
 *   So whoever takes many places loses them to whoever takes few.
 */
export class FairQueue {
  readonly #all: Node
  readonly #patience: Duration.DurationInput | undefined
  readonly #random: () => number
  #isBeginning = false

  /** @param random a number from 0 up to 1, by which it is decided who of equals is refused */
  constructor({ patience, ...bounds }: QueueBounds, random: () => number = Math.random) {
    this.#all = nodeOf({ name: "all", ...bounds })
    this.#patience = patience
    this.#random = random
  }

  /**
   * Has a work wait, unless its turn is at once.
   *
   * @param lanes where it waits, the outermost first. The bounds of a lane are those that it was given when it came.
   * @param size what it counts for while it waits, more than 0
   * @returns has it leave its place; after its turn has begun, that does nothing
   */
  enter(lanes: ReadonlyArray<Lane>, { begin, refuse }: Work, size = 1): () => void {
    const path = [this.#all]
    let within = this.#all
    for (const lane of lanes) {
      const node = within.lanes.get(lane.name) ?? nodeOf(lane)
      if (node.waiting === 0) putLast(within, node)
      path.push(node)
      within = node
    }
    const work: Waiting = { begin, path, refuse, size }
    within.works.add(work)
    count(path, size, 0)
    this.#begin()
    for (const node of path.toReversed()) {
      while (node.waiting > node.most) this.#refuseOneOf(node)
    }
    return () => void this.#leave(work)
  }

  /** Refuses all that waits. */
  refuseAll(): void {
    for (const work of worksIn(this.#all)) this.#refuse(work)
  }

  /**
   * `work`, when its turn comes; `NoTurn`, without it, when it does not. Whoever is interrupted leaves its place, and so does a client
   * that goes away.
   */
  inTurn<A, E, R>(lanes: ReadonlyArray<Lane>, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | NoTurn, R> {
    return Effect.flatMap(CurrentRequest, (request) =>
      Effect.suspend(() => {
        const gone = request.gone()
        if (gone?.aborted === true) return Effect.fail(new NoTurn())
        const turn = Deferred.unsafeMake<void, NoTurn>(FiberId.none)
        const noTurn = Effect.fail(new NoTurn())
        const enter = Effect.sync(() => {
          let end = () => {}
          let isWaiting = true
          const settle = (outcome: Effect.Effect<void, NoTurn>) => {
            isWaiting = false
            gone?.removeEventListener("abort", goAway)
            Deferred.unsafeDone(turn, outcome)
          }
          const goAway = () => {
            leave()
            settle(noTurn)
          }
          const leave = this.enter(lanes, {
            begin: (ended) => {
              end = ended
              settle(Effect.void)
            },
            refuse: () => settle(noTurn)
          })
          if (isWaiting) gone?.addEventListener("abort", goAway)
          return () => {
            goAway()
            end()
          }
        })
        const wait =
          this.#patience === undefined
            ? Deferred.await(turn)
            : Effect.timeoutFail(Deferred.await(turn), {
                duration: this.#patience,
                onTimeout: () => new NoTurn()
              })
        return Effect.acquireUseRelease(
          enter,
          () => Effect.zipRight(wait, work),
          (leaveOrEnd) => Effect.sync(leaveOrEnd)
        )
      })
    )
  }

  /** Gives free turns to those whose turn it is. */
  #begin(): void {
    // A work may end while it begins: the loop that has begun it goes on.
    if (this.#isBeginning) return
    this.#isBeginning = true
    try {
      for (let next = nextIn(this.#all); next !== undefined; next = nextIn(this.#all)) this.#give(next.work)
    } finally {
      this.#isBeginning = false
    }
  }

  #give(work: Waiting): void {
    const { begin, path, size } = work
    path.at(-1)?.works.delete(work)
    count(path, -size, 1)
    for (const [within, lane] of lanesWithin(path)) putLast(within, lane)
    let isUnderWay = true
    begin(() => {
      if (!isUnderWay) return
      isUnderWay = false
      count(path, 0, -1)
      this.#begin()
    })
  }

  /** Whether it was waiting. */
  #leave(work: Waiting): boolean {
    const { path, size } = work
    if (path.at(-1)?.works.delete(work) !== true) return false
    count(path, -size, 0)
    return true
  }

  #refuse(work: Waiting): void {
    if (this.#leave(work)) work.refuse()
  }

  #refuseOneOf(node: Node): void {
    let largest = node
    while (largest.works.size === 0) largest = this.#oneOfLargest(largest.lanes.values()) ?? largest
    const newest = [...largest.works].at(-1)
    if (newest !== undefined) this.#refuse(newest)
  }

  #oneOfLargest(lanes: Iterable<Node>): Node | undefined {
    let largest: Array<Node> = []
    let most = 0
    for (const lane of lanes) {
      if (lane.waiting > most) {
        most = lane.waiting
        largest = []
      }
      if (lane.waiting === most) largest.push(lane)
    }
    return largest[Math.floor(this.#random() * largest.length)]
  }
}

/** `work` for more than the request that began it: it keeps its place in a queue when the client goes away. */
export const forOthersToo = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentRequest, (request) =>
    Effect.provideService(work, CurrentRequest, { ...request, gone: () => undefined })
  )
