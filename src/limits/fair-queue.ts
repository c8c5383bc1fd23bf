import { Data, Deferred, Duration, Effect, FiberId } from "effect"
import { CurrentRequest } from "../shared/current-request.ts"
import { Timing } from "../shared/timing.ts"
import {
  type Bounds,
  count,
  type Lane,
  lanesWithin,
  type Node,
  nextIn,
  nodeOf,
  putLast,
  type Waiting,
  type Work,
  worksIn
} from "./fair-queue-lanes.ts"

export type { Lane } from "./fair-queue-lanes.ts"

/** The task found no place, lost it to another, waited too long, or its client disconnected. */
export class NoTurn extends Data.TaggedError("NoTurn") {}

interface QueueBounds extends Bounds {
  readonly atOnce: number
  /** How long `inTurn` waits for a turn. Default: no limit. */
  readonly timeout?: Duration.DurationInput
}

/**
 * A queue in which nobody waits for everything that others have enqueued. Tasks wait in lanes, which may be
 * nested; all tasks of one queue are nested equally deep.
 *
 * - **Turns.** The next turn goes to the lane with the fewest running tasks, then the longest time since its
 *   last turn or arrival. The same rules choose among inner lanes; in an innermost lane, the oldest task begins.
 * - **At once.** The queue and each lane run at most `atOnce` tasks. A full lane is skipped.
 * - **Places.** The total size of the waiting tasks is bounded (`waiting`), in the queue and in each lane.
 * - **Who loses a place.** Beyond a bound, the innermost first, the largest inner lane loses a place, down to
 *   the newest task of an innermost lane. So callers that take many places lose them to callers that take
 *   few. Chance decides between equally large lanes, so that nobody can arrange who is refused.
 */
export class FairQueue {
  readonly #all: Node
  readonly #timeout: number | undefined
  readonly #random: () => number
  #isBeginning = false

  /** @param random from 0 up to 1; picks which of several equals is refused */
  constructor({ timeout, ...bounds }: QueueBounds, random: () => number = Math.random) {
    this.#all = nodeOf({ name: "all", ...bounds })
    this.#timeout = timeout === undefined ? undefined : Duration.toMillis(timeout)
    this.#random = random
  }

  /**
   * Enqueues a task, which begins at once if a turn is free. Returns how to leave the queue before the turn.
   *
   * @param lanes outermost first; a lane keeps the bounds it was created with
   * @param size what the task counts for while it waits, more than 0
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

  refuseAll(): void {
    for (const work of worksIn(this.#all)) this.#refuse(work)
  }

  /** Fails with `NoTurn` if it gets no turn. An interrupted fiber or a client that leaves gives up its place. */
  inTurn<A, E, R>(
    lanes: ReadonlyArray<Lane>,
    work: Effect.Effect<A, E, R>,
    size = 1
  ): Effect.Effect<A, E | NoTurn, R> {
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
          const leave = this.enter(
            lanes,
            {
              begin: (ended) => {
                end = ended
                settle(Effect.void)
              },
              refuse: () => settle(noTurn)
            },
            size
          )
          if (isWaiting) gone?.addEventListener("abort", goAway)
          return () => {
            goAway()
            end()
          }
        })
        const timeout = this.#timeout
        const wait =
          timeout === undefined
            ? Deferred.await(turn)
            : Effect.flatMap(Timing, ({ withinOr }) =>
                withinOr(timeout, Deferred.await(turn), () => new NoTurn())
              )
        return Effect.acquireUseRelease(
          enter,
          () => Effect.zipRight(wait, work),
          (leaveOrEnd) => Effect.sync(leaveOrEnd)
        )
      })
    )
  }

  #begin(): void {
    // A task may end while it begins. The loop that began it then continues.
    if (this.#isBeginning) return
    this.#isBeginning = true
    try {
      for (let next = nextIn(this.#all); next !== undefined; next = nextIn(this.#all)) this.#give(next)
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

  /** Returns whether the task was waiting. */
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
