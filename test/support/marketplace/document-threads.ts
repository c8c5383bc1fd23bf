import { Worker } from "node:worker_threads"
import type { Asked, Told } from "../../../src/marketplace/catalog/document-jobs.ts"

/** The idle threads of stopped servers. */
const free: Array<DocumentThread> = []

/**
 * A document thread that the next server in this process reuses when a server stops: building the checks
 * again for each server would take longer than most tests. A thread terminated in the middle of a job does
 * end.
 */
class DocumentThread extends Worker {
  #isBusy = false

  constructor() {
    super(new URL("../../../src/marketplace/catalog/document-thread-main.ts", import.meta.url))
    this.#listen()
  }

  #listen() {
    this.on("message", ({ is }: Told) => {
      if (is === "done") this.#isBusy = false
    })
    this.on("exit", () => {
      if (free.includes(this)) free.splice(free.indexOf(this), 1)
    })
  }

  override postMessage(job: Asked) {
    this.#isBusy = true
    super.postMessage(job)
  }

  override terminate() {
    if (this.#isBusy) return super.terminate()
    this.removeAllListeners()
    this.#listen()
    free.push(this)
    return Promise.resolve(0)
  }
}

/** An idle thread, or a new one. */
export const documentThread = (): Worker => free.pop() ?? new DocumentThread()
