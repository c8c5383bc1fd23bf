/**
 * Large bodies with objects that are wanted as text are parsed in a thread. What one of 1 MiB is made of in the thread that answers
 * requests is some hundred thousand objects: everybody waits while they are made, and again while they are collected.
 */
import { Worker } from "node:worker_threads"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type { Fields } from "../contract/object-text.ts"
import type { Apart } from "./body-apart.ts"

/** To the thread. */
export interface BodyJob {
  readonly bytes: Uint8Array
  readonly fields: Fields
}

/** The thread failed, which says nothing about the body. */
export class BodyThreadBroken extends Data.TaggedError("BodyThreadBroken")<{ readonly reason: unknown }> {}

export type TakeApart = (bytes: Uint8Array, fields: Fields) => Promise<Apart>

/**
 * Takes bodies apart in a thread of their own. It must be given one at a time (`large-bodies`). The thread is started for the first and
 * kept for the next; should it fail, the body it had fails alone, and the next gets another thread.
 */
export const bodyThread = (
  start: () => Worker = () => new Worker(new URL("body-thread-main.ts", import.meta.url))
): TakeApart => {
  let thread: Worker | undefined

  /** Ends what is under way. */
  let current: PromiseWithResolvers<Apart> | undefined

  const started = (): Worker => {
    const made = start()
    const broke = (reason: unknown) => {
      if (made !== thread) return
      thread = undefined
      current?.reject(new BodyThreadBroken({ reason }))
    }
    made.on("message", (apart: Apart) => current?.resolve(apart))
    made.on("error", broke)
    made.on("exit", (code) => broke(`exit code ${code}`))
    // It never keeps the process from ending.
    made.unref()
    return made
  }

  return (bytes, fields) => {
    current = Promise.withResolvers()
    try {
      thread ??= started()
      thread.postMessage({ bytes, fields } satisfies BodyJob)
    } catch (reason) {
      // There may be no more threads to be had. The next body tries again.
      current.reject(new BodyThreadBroken({ reason }))
    }
    return current.promise
  }
}

/** That of this process. */
export class BodyThread extends Context.Reference<BodyThread>()("doorlock/http/BodyThread", {
  defaultValue: (): TakeApart => bodyThread()
}) {}
