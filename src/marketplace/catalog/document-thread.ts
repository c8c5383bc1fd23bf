import { Worker } from "node:worker_threads"
import { Context, Data, Effect, type Scope } from "effect"
import { FairQueue } from "../../limits/fair-queue.ts"
import { type TimeoutName, type Timer, Timing } from "../../shared/timing.ts"
import type { Asked, DocumentJobs, JobName, Told } from "./document-jobs.ts"

/** Maximum bytes that wait for a thread, for each owner and in all. */
export interface MostWaiting {
  readonly own: number
  readonly all: number
}

/** Documents are checked in one thread; the catalog, which must not wait for that, has another. */
export type Purpose = "checks" | "words"

/** Starts a thread. */
export class DocumentWorker extends Context.Reference<DocumentWorker>()(
  "doorlock/marketplace/DocumentWorker",
  {
    defaultValue: () => (_purpose: Purpose) => new Worker(new URL("document-thread-main.ts", import.meta.url))
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
    const start = yield* DocumentWorker
    const timing = yield* Timing
    const queue = new FairQueue({ atOnce: 1, waiting: mostWaiting.all })
    let deadline: Timer | undefined
    let thread: Worker | undefined
    let current: Job | undefined
    /** Ends the turn: the thread is free for the next job, or has ended. */
    let endTurn = () => {}
    /** A terminated thread that has not ended yet, and whether it has overrun its time to end. */
    let leaving: Worker | undefined
    let isHeldUp = false
    let isClosed = false

    /** Replaces the previous deadline. */
    const within = (timeout: TimeoutName, late: () => void) => {
      deadline?.cancel()
      deadline = timing.after(timeout, late)
    }

    const inTime = () => deadline?.cancel()

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
      within("marketplace.document", giveUp)
      end(outcome)
    }

    const heard = (told: Told) => {
      switch (told.is) {
        case "begun":
          return within("marketplace.document", () => dismiss(Effect.fail(new DocumentTooSlow())))
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
        within("marketplace.document_thread", () => dismiss(turnedAway))
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
