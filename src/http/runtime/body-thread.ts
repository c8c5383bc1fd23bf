/**
 * Parses large bodies in a thread if the route needs their objects only as text. In the main thread, a body
 * of 1 MiB becomes some hundred thousand objects: every request waits while they are created and collected.
 */
import { Worker } from "node:worker_threads"
import { Context, Data } from "effect"
import type { Fields } from "../contract/object-text.ts"
import type { Apart } from "./body-apart.ts"

export interface BodyJob {
  readonly bytes: Uint8Array
  readonly fields: Fields
}

/** The thread failed, not the body. */
export class BodyThreadBroken extends Data.TaggedError("BodyThreadBroken")<{ readonly reason: unknown }> {}

export type TakeApart = (bytes: Uint8Array, fields: Fields) => Promise<Apart>

/**
 * Splits one body at a time (`large-bodies`). The thread starts with the first body and is reused. If it
 * fails, so does the current body, and the next one gets a new thread.
 */
export const bodyThread = (
  start: () => Worker = () => new Worker(new URL("body-thread-main.ts", import.meta.url))
): TakeApart => {
  let thread: Worker | undefined

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
    // The thread must not keep the process alive.
    made.unref()
    return made
  }

  return (bytes, fields) => {
    current = Promise.withResolvers()
    try {
      thread ??= started()
      thread.postMessage({ bytes, fields } satisfies BodyJob)
    } catch (reason) {
      // The system may be out of threads. The next body tries again.
      current.reject(new BodyThreadBroken({ reason }))
    }
    return current.promise
  }
}

export class BodyThread extends Context.Reference<BodyThread>()("doorlock/http/BodyThread", {
  defaultValue: (): TakeApart => bodyThread()
}) {}
