import { Worker } from "node:worker_threads"
import { Clock, Context, Data, Effect, FiberHandle, type Scope } from "effect"
import { FairQueue } from "../../limits/fair-queue.ts"
import type { Asked, DocumentJobs, JobName, Told } from "./document-jobs.ts"

/** Maximum bytes that wait for a thread, for each owner and in all. */
export interface MostWaiting {
  readonly own: number
  readonly all: number
}

/** Documents are checked in one thread; the catalog, which must not wait for that, has another. */
export type Purpose = "checks" | "words"

interface ThreadOptions {
  readonly start: (purpose: Purpose) => Worker
  /** How long a job may take before its thread is terminated. The next job gets a new one. */
  readonly deadlineMillis: number
  /** How long a thread may take to load what it needs, which does not depend on the document. */
  readonly startMillis: number
  readonly clock: Clock.Clock
}

/** A document of 1 MiB takes some tenths of a second. */
export class DocumentThreadOptions extends Context.Reference<DocumentThreadOptions>()(
  "DocumentThreadOptions",
  {
    defaultValue: (): ThreadOptions => ({
      start: () => new Worker(new URL("document-thread-main.ts", import.meta.url)),
      deadlineMillis: 10_000,
      startMillis: 60_000,
      clock: Clock.make()
    })
  }
) {}

class DocumentTooSlow extends Data.TaggedError("DocumentTooSlow") {}

/** The job did not begin: no thread was available in time, or too many jobs were waiting. */
export class DocumentTurnedAway extends Data.TaggedError("DocumentTurnedAway") {}

type Outcome = Effect.Effect<unknown, DocumentTooSlow | DocumentTurnedAway>

interface Job {
  readonly asked: Asked
  readonly done: (outcome: Outcome) => void
}

export interface DocumentThread {
  /**
   * Runs the job. Owners take turns and lose places by the rules of `FairQueue`. A fault of the thread is a
   * defect of this job only. An interrupted caller frees its place. `size` is the bytes held while waiting.
   */
  readonly run: <Name extends JobName>(
    owner: string,
    size: number,
    name: Name,
    input: DocumentJobs[Name]["input"]
  ) => Effect.Effect<DocumentJobs[Name]["output"], DocumentTooSlow | DocumentTurnedAway>
}

/**
 * A thread for publishers' content, so that it never blocks this process's requests. It starts with the first
 * job, runs one at a time, and ends with the scope. A terminated thread stops only between steps of the
 * program, never while it matches a pattern. So the next one starts when it has ended: threads that never end
 * would take all processors.
 */
export const documentThread = (
  purpose: Purpose,
  mostWaiting: MostWaiting
): Effect.Effect<DocumentThread, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { clock, deadlineMillis, start, startMillis } = yield* DocumentThreadOptions
    const queue = new FairQueue({ atOnce: 1, waiting: mostWaiting.all })
    const deadline = yield* FiberHandle.runtime(yield* FiberHandle.make())()
    let thread: Worker | undefined
    let current: Job | undefined
    /** Ends the turn: the thread is free for the next job, or has ended. */
    let endTurn = () => {}
    /** A terminated thread that has not ended yet, and whether it has overrun its time to end. */
    let leaving: Worker | undefined
    let isHeldUp = false
    let isClosed = false

    /** Replaces the previous deadline. */
    const within = (millis: number, late: () => void) =>
      void deadline(Effect.withClock(Effect.delay(Effect.sync(late), millis), clock))

    const inTime = () => void deadline(Effect.void)

    const end = (outcome: Outcome) => {
      const ended = current
      current = undefined
      ended?.done(outcome)
    }

    const turnedAway = Effect.fail(new DocumentTurnedAway())

    const giveUp = () => {
      isHeldUp = true
      queue.refuseAll()
    }

    const dismiss = (outcome: Outcome) => {
      leaving = thread
      thread = undefined
      void leaving?.terminate()
      within(deadlineMillis, giveUp)
      end(outcome)
    }

    const heard = (told: Told) => {
      switch (told.is) {
        case "begun":
          return within(deadlineMillis, () => dismiss(Effect.fail(new DocumentTooSlow())))
        case "done":
          inTime()
          end(Effect.succeed(told.output))
          return endTurn()
        case "failed":
          return dismiss(Effect.die(new Error(told.message)))
      }
    }

    const started = (): Worker => {
      const made = start(purpose)
      // Nobody waits for the job of a terminated thread any more.
      made.on("message", (told: Told) => {
        if (made === thread) heard(told)
      })
      made.on("error", ({ message }) => {
        if (made === thread) dismiss(Effect.die(new Error(`The thread for documents broke: ${message}`)))
      })
      made.on("exit", (code) => {
        if (made !== thread && made !== leaving) return
        if (made === thread) end(Effect.die(new Error(`The thread for documents ended: exit code ${code}`)))
        inTime()
        thread = undefined
        leaving = undefined
        isHeldUp = false
        endTurn()
      })
      // The thread never keeps the process alive.
      made.unref()
      return made
    }

    const begin = (job: Job, ended: () => void) => {
      current = job
      endTurn = ended
      try {
        thread ??= started()
        within(startMillis, () => dismiss(turnedAway))
        thread.postMessage(job.asked)
      } catch (error) {
        // The system may be out of threads. The next job tries again.
        inTime()
        end(Effect.die(error))
        endTurn()
      }
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        inTime()
        void thread?.terminate()
        thread = undefined
        end(turnedAway)
        queue.refuseAll()
      })
    )

    return {
      run: (owner, size, name, input) =>
        Effect.async((resume) => {
          if (isHeldUp || isClosed) return resume(turnedAway)
          // The cast: the output belongs to the current job, since there is one at a time, and `Asked` and `output` have the same name.
          const job = { asked: { name, ...input } as Asked, done: resume as Job["done"] }
          const leave = queue.enter(
            [{ name: owner, waiting: mostWaiting.own }],
            { begin: (ended) => begin(job, ended), refuse: () => job.done(turnedAway) },
            size
          )
          return Effect.sync(leave)
        })
    }
  })
