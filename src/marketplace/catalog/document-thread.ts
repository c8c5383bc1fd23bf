import { Worker } from "node:worker_threads"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Asked, DocumentJobs, JobName, Told } from "./document-jobs.ts"
import { Turns } from "./turns.ts"

interface ThreadOptions {
  /** The file that the thread runs. */
  readonly script: URL
  /** How long one document may take; then the thread is ended, and another is started for the next. */
  readonly deadlineMillis: number
}

/** A document of 1 MiB takes some tenths of a second. */
export class DocumentThreadOptions extends Context.Reference<DocumentThreadOptions>()(
  "DocumentThreadOptions",
  {
    defaultValue: (): ThreadOptions => ({
      script: new URL("document-thread-main.ts", import.meta.url),
      deadlineMillis: 10_000
    })
  }
) {}

/** The document was not done with at the deadline. */
export class DocumentTooSlow extends Data.TaggedError("DocumentTooSlow") {}

interface Job {
  readonly asked: Asked
  readonly done: (outcome: Effect.Effect<unknown, DocumentTooSlow>) => void
}

export interface DocumentThread {
  /**
   * Does the job in the thread. Owners take turns. A fault of the thread is a defect of this job alone: the next gets another
   * thread. Whoever gives up waiting frees the place.
   */
  readonly run: <Name extends JobName>(
    owner: string,
    name: Name,
    input: DocumentJobs[Name]["input"]
  ) => Effect.Effect<DocumentJobs[Name]["output"], DocumentTooSlow>
  /** How many of the owner's documents wait, and how many in all. */
  readonly waiting: (owner: string) => { readonly own: number; readonly all: number }
}

/**
 * A thread for the documents of publishers, so that none of them holds up the requests of this process. It is started for the
 * first document and kept for the next ones; it does one at a time, and ends with the scope.
 */
export const documentThread: Effect.Effect<DocumentThread, never, Scope.Scope> = Effect.gen(function* () {
  const { deadlineMillis, script } = yield* DocumentThreadOptions
  const turns = new Turns<Job>()
  let thread: Worker | undefined
  let current: Job | undefined
  let deadline: ReturnType<typeof setTimeout> | undefined

  const end = (outcome: Effect.Effect<unknown, DocumentTooSlow>) => {
    clearTimeout(deadline)
    const ended = current
    current = undefined
    ended?.done(outcome)
    next()
  }

  const dismiss = (outcome: Effect.Effect<unknown, DocumentTooSlow>) => {
    void thread?.terminate()
    thread = undefined
    end(outcome)
  }

  const heard = (told: Told) => {
    if (told.is === "begun") {
      deadline = setTimeout(() => dismiss(Effect.fail(new DocumentTooSlow())), deadlineMillis)
    } else if (told.is === "done") end(Effect.succeed(told.output))
    else end(Effect.die(new Error(told.message)))
  }

  const started = (): Worker => {
    const made = new Worker(script)
    // What an ended thread still says is about a document that nobody waits for.
    made.on("message", (told: Told) => {
      if (made === thread) heard(told)
    })
    const broken = (reason: string) => {
      if (made === thread) dismiss(Effect.die(new Error(`The thread for documents ended: ${reason}`)))
    }
    made.on("error", ({ message }) => broken(message))
    made.on("exit", (code) => broken(`exit code ${code}`))
    // It never keeps the process from ending.
    made.unref()
    return made
  }

  const next = () => {
    if (current !== undefined) return
    current = turns.next()
    if (current === undefined) return
    thread ??= started()
    thread.postMessage(current.asked)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      clearTimeout(deadline)
      void thread?.terminate()
      thread = undefined
    })
  )

  return {
    run: (owner, name, input) =>
      Effect.async((resume) => {
        // The output is of the job that is under way: there is one at a time, and `Asked` and `output` are of the same name.
        const job = { asked: { name, ...input } as Asked, done: resume as Job["done"] }
        turns.add(owner, job)
        next()
        return Effect.sync(() => turns.remove(owner, job))
      }),
    waiting: (owner) => ({ own: turns.of(owner), all: turns.size })
  }
})
