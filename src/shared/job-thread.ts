/** A thread for jobs of one kind. */
import type { Worker } from "node:worker_threads"
import { Data } from "effect"

/** The thread failed or was ended: its job is not at fault, or took too long. */
class ThreadBroken extends Data.TaggedError("ThreadBroken")<{ readonly reason: unknown }> {}

export interface JobThread<Job, Output> {
  /** Jobs run one after the other. Rejects with `ThreadBroken`. */
  readonly run: (job: Job) => Promise<Output>
  /** Ends the thread, and with it the jobs. The next thread starts once this one has ended. */
  readonly end: () => Promise<unknown>
}

/**
 * The thread starts with the first job and is reused. It answers each message with one. If it fails, so do its
 * jobs, and the next one gets a new thread.
 */
export const jobThread = <Job, Output>(start: () => Worker): JobThread<Job, Output> => {
  let thread: Worker | undefined
  let ending: Promise<unknown> = Promise.resolve()
  const jobs: Array<PromiseWithResolvers<Output>> = []

  const broke = (reason: unknown): void => {
    thread = undefined
    for (const job of jobs.splice(0)) job.reject(new ThreadBroken({ reason }))
  }

  const started = (): Worker => {
    const made = start()
    const brokeIfCurrent = (reason: unknown) => {
      if (made === thread) broke(reason)
    }
    made.on("message", (output: Output) => {
      if (made === thread) jobs.shift()?.resolve(output)
    })
    made.on("error", brokeIfCurrent)
    made.on("exit", (code) => brokeIfCurrent(`exit code ${code}`))
    // The thread must not keep the process alive.
    made.unref()
    return made
  }

  return {
    run: async (sent) => {
      await ending
      const job = Promise.withResolvers<Output>()
      jobs.push(job)
      try {
        thread ??= started()
        thread.postMessage(sent)
      } catch (reason) {
        // The system may be out of threads. The next job tries again.
        broke(reason)
      }
      return job.promise
    },
    end: () => {
      if (thread !== undefined) ending = thread.terminate().catch(() => {})
      broke("ended")
      return ending
    }
  }
}
