import { Worker } from "node:worker_threads"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import type * as Scope from "effect/Scope"
import { FairQueue } from "../../limits/fair-queue.ts"
import type { Asked, DocumentJobs, JobName, Told } from "./document-jobs.ts"

/** Bytes that wait for a thread, at most: of an owner, and of all. */
export interface MostWaiting {
  readonly own: number
  readonly all: number
}

/** What a thread is for: documents are checked in one, and the catalogue, which must not wait for them, has another. */
export type Purpose = "checks" | "words"

interface ThreadOptions {
  readonly start: (purpose: Purpose) => Worker
  /** How long one job may take; then the thread is ended, and another is started for the next. */
  readonly deadlineMillis: number
  /** How long a thread may take to get what it needs, which is not of a document's making. */
  readonly startMillis: number
  /** By which these times pass. */
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

/** The job was not done at the deadline. */
class DocumentTooSlow extends Data.TaggedError("DocumentTooSlow") {}

/** The job was not begun, which says nothing about the document: there was no thread for it in time, or no room for all that wait. */
export class DocumentTurnedAway extends Data.TaggedError("DocumentTurnedAway") {}

type Outcome = Effect.Effect<unknown, DocumentTooSlow | DocumentTurnedAway>

interface Job {
  readonly asked: Asked
  readonly done: (outcome: Outcome) => void
}

export interface DocumentThread {
  /**
   * Does the job in the thread. Owners take turns, and lose places, by the rule of `FairQueue`. A fault of the thread is a defect of
   * this job alone: the next gets another thread. Whoever gives up waiting frees the place.
   *
   * @param size bytes that wait with it
   */
  readonly run: <Name extends JobName>(
    owner: string,
    size: number,
    name: Name,
    input: DocumentJobs[Name]["input"]
  ) => Effect.Effect<DocumentJobs[Name]["output"], DocumentTooSlow | DocumentTurnedAway>
}

/**
 * A thread for what publishers write, so that none of it holds up the requests of this process. It is started for the first job
 * and kept for the next ones; it does one at a time, and ends with the scope.
 *
 * There is one at a time, too: a thread that is told to end does so only between steps of the program, and never in the middle of
 * matching a pattern. So the next is started once it has ended, or else threads that never end would take all processors.
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
    /** Is to end and has not yet; and whether it has been waited for long enough. */
    let leaving: Worker | undefined
    let isHeldUp = false
    let isClosed = false

    /** Instead of the deadline before. */
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

    const tooSlow = () => dismiss(Effect.fail(new DocumentTooSlow()))
    const notStarted = () => dismiss(turnedAway)

    const heard = (told: Told) => {
      switch (told.is) {
        case "begun":
          return within(deadlineMillis, tooSlow)
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
      // What an ended thread still says is about a job that nobody waits for.
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
      // It never keeps the process from ending.
      made.unref()
      return made
    }

    const begin = (job: Job, ended: () => void) => {
      current = job
      endTurn = ended
      try {
        thread ??= started()
        within(startMillis, notStarted)
        thread.postMessage(job.asked)
      } catch (error) {
        // There may be no more threads to be had. The next job tries again.
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
          // The output is of the job that is under way: there is one at a time, and `Asked` and `output` are of the same name.
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
