import { Effect, FiberSet, Layer, Queue } from "effect"
import { Lifecycle } from "../http/runtime/lifecycle.ts"
import { workTimeInLane } from "../observability/metrics.ts"
import { background, backgroundAtPace } from "../shared/background.ts"
import { Timing } from "../shared/timing.ts"
import { reporting } from "./figures.ts"
import { type FetchedJob, type HeldLane, Slots } from "./held-lane.ts"
import { keeping } from "./keeping.ts"
import type { WorkKind } from "./model.ts"
import { WorkRepo } from "./repo.ts"
import { settling } from "./settling.ts"
import { WorkSignal } from "./signal-service.ts"
import { StoredWorkRepo } from "./stored-repo.ts"

/** Jobs that a process may have started and not settled, over all lanes. */
const slotsInAll = 512

/**
 * Runs jobs of these kinds until the scope ends (contract.md#later-work, README.md). A pass takes due lanes, reads their jobs, starts what `Slots` permit, and
 * releases lanes that have nothing to do. A stopping process starts nothing, and gives back what does not end in time.
 */
const dispatch = <R>(kinds: ReadonlyArray<WorkKind<R>>) =>
  Effect.gen(function* () {
    const { isDraining } = yield* Lifecycle
    const { onWake } = yield* WorkSignal
    const { sleep, timeout, within } = yield* Timing
    const fibers = yield* FiberSet.make()
    const run = yield* FiberSet.runtime(fibers)<R>()
    const mostAge = timeout("work.ahead")
    const slots = new Slots(slotsInAll)
    const started = new Set<string>()
    const { claim, hasMore, lanes, leave, look, read, release, renew } = yield* keeping(kinds, slots, started)
    const settle = yield* settling<R>()

    const signals = yield* Queue.sliding<void>(1)
    const signal = () => void Queue.unsafeOffer(signals, undefined)
    let isEnding = false
    const isStopping = () => isEnding || isDraining()

    const start = (lane: HeldLane<R>, job: FetchedJob) => {
      slots.take(lane.group)
      started.add(job.id)
      lane.running++
      workTimeInLane.observe((performance.now() - job.dueAt) / 1_000)
      const over = () => {
        slots.giveBack()
        started.delete(job.id)
        signal()
      }
      const settled = () => {
        lane.unsettled--
        over()
      }
      let hasEnded = false
      const { ahead } = job
      const isFresh = ahead !== undefined && performance.now() - ahead.at < mostAge
      const ended = lane.kind.run({ ...job, lane: lane.key, ahead: isFresh ? ahead.found : undefined }).pipe(
        Effect.flatMap((end) =>
          Effect.sync(() => {
            hasEnded = true
            lane.unsettled++
            settle({ ...end, kind: lane.kind, id: job.id, attempt: job.attempt, settled })
          })
        ),
        Effect.ensuring(
          Effect.sync(() => {
            lane.running--
            slots.ended(lane.group)
            // It was interrupted, and stays stored as it is.
            if (!hasEnded) over()
            while (startOne(lane));
            if (lane.page.length === 0) signal()
          })
        )
      )
      run(ended)
    }

    /** Starts the lane's next job, unless it has none or may not. */
    const startOne = (lane: HeldLane<R>): boolean => {
      if (isStopping() || !slots.permits(lane) || performance.now() >= lane.trustedUntil) return false
      const job = lane.page.shift()
      if (job !== undefined) start(lane, job)
      return job !== undefined
    }

    /** One job of each lane in turn. */
    const startAll = Effect.sync(() => {
      while ([...lanes.values()].filter(startOne).length > 0);
    })

    const pass = Effect.suspend(() =>
      isStopping() ? leave : Effect.all([claim, read, startAll, release], { discard: true })
    ).pipe(
      Effect.tap(
        Effect.sync(() => {
          if (!isStopping() && hasMore()) signal()
        })
      ),
      Effect.catchAllCause((cause) =>
        Effect.logDebug("The database has not told what work there is", cause).pipe(
          Effect.zipRight(sleep("work.retry")),
          Effect.zipRight(Effect.sync(signal))
        )
      )
    )
    const lookAgain = () => {
      look()
      signal()
    }

    yield* reporting(
      kinds.map(({ name }) => name),
      lanes
    )
    yield* onWake(lookAgain)
    yield* backgroundAtPace(
      "work.renew",
      renew.pipe(
        Effect.catchAllCause((cause) => Effect.logDebug("Lanes could not be renewed", cause)),
        Effect.as(undefined)
      )
    )
    lookAgain()
    yield* background("work.poll", "Due work is not looked for", Effect.sync(lookAgain))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(signals), pass)))

    // Added last, so that it runs while all of this still works.
    yield* Effect.addFinalizer(() => {
      isEnding = true
      const allSettled = Effect.sync(signal).pipe(
        Effect.zipRight(sleep("work.stopping")),
        Effect.repeat({ until: () => lanes.size + started.size === 0 })
      )
      // A finalizer is uninterruptible: the timeouts would wait too.
      return within("work.stop", Effect.interruptible(FiberSet.awaitEmpty(fibers))).pipe(
        Effect.zipRight(FiberSet.clear(fibers)),
        Effect.zipRight(within("work.last_statements", Effect.interruptible(allSettled)))
      )
    })
  })

/** Runs jobs of these kinds in this process. */
export const layer = <R>(kinds: ReadonlyArray<WorkKind<R>>) =>
  kinds.length === 0
    ? Layer.empty
    : Layer.provide(Layer.scopedDiscard(dispatch(kinds)), [WorkRepo.Default, StoredWorkRepo.Default])

/** Reports what is stored of these kinds, in a process that runs no jobs. */
export const figuresOnly = (kinds: ReadonlyArray<string>) =>
  Layer.provide(Layer.scopedDiscard(reporting(kinds, new Map())), StoredWorkRepo.Default)
