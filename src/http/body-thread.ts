/**
 * Large bodies with objects that are wanted as text are parsed in a thread. What one of 1 MiB is made of in the thread that answers
 * requests is some hundred thousand objects: everybody waits while they are made, and again while they are collected.
 */
import { Worker } from "node:worker_threads"
import type { Apart } from "./body-apart.ts"
import { oneAtATime } from "./large-bodies.ts"
import type { Fields } from "./object-text.ts"

/** To the thread. */
export interface BodyJob {
  readonly bytes: Uint8Array
  readonly fields: Fields
}

/**
 * Takes bodies apart in a thread of their own, one at a time. The thread is started for the first and kept for the next; should it fail,
 * the body it had fails alone, and the next gets another thread.
 */
export const bodyThread = (
  start: () => Worker = () => new Worker(new URL("body-thread-main.ts", import.meta.url))
) => {
  const inTurn = oneAtATime()
  let thread: Worker | undefined

  /** Ends what is under way. */
  let current: PromiseWithResolvers<Apart> | undefined

  const started = (): Worker => {
    const made = start()
    const broke = (reason: unknown) => {
      if (made !== thread) return
      thread = undefined
      current?.reject(new Error(`The thread for bodies broke: ${reason}`))
    }
    made.on("message", (apart: Apart) => current?.resolve(apart))
    made.on("error", broke)
    made.on("exit", (code) => broke(`exit code ${code}`))
    // It never keeps the process from ending.
    made.unref()
    return made
  }

  const run = (job: BodyJob): Promise<Apart> => {
    current = Promise.withResolvers()
    thread ??= started()
    thread.postMessage(job)
    return current.promise
  }

  return (bytes: Uint8Array, fields: Fields): Promise<Apart> => inTurn(() => run({ bytes, fields }))
}

/** Of this process. */
export const takenApart = bodyThread()
