/**
 * Parses large bodies in a thread if the route needs their objects only as text. In the main thread, a body
 * of 1 MiB becomes some hundred thousand objects: every request waits while they are created and collected.
 */
import { Worker } from "node:worker_threads"
import { Context } from "effect"
import { jobThread } from "../../shared/job-thread.ts"
import type { Fields } from "../contract/object-text.ts"
import type { Apart } from "./body-apart.ts"

export interface BodyJob {
  readonly bytes: Uint8Array
  readonly fields: Fields
}

export type TakeApart = (bytes: Uint8Array, fields: Fields) => Promise<Apart>

/** Splits bodies. Rejects with `ThreadBroken`. */
export const bodyThread = (
  start: () => Worker = () => new Worker(new URL("body-thread-main.ts", import.meta.url))
): TakeApart => {
  const { run } = jobThread<BodyJob, Apart>(start)
  return (bytes, fields) => run({ bytes, fields })
}

export class BodyThread extends Context.Reference<BodyThread>()("doorlock/http/BodyThread", {
  defaultValue: (): TakeApart => bodyThread()
}) {}
