import { type Family, lasting, merged, ofWorker } from "../observability/figures.ts"
import { figures } from "../observability/meters.ts"
import type { Timing } from "../shared/timing.ts"
import type { ToWorker } from "./messages.ts"

/** The metrics of all workers and of the supervisor (number 0). No count goes down, even if a worker ends. */
export class WorkerFigures {
  readonly #timing: Timing["Type"]
  readonly #ask: (message: ToWorker) => ReadonlyArray<number>
  readonly #latest = new Map<number, ReadonlyArray<Family>>()
  readonly #open = new Map<number, { readonly missing: Set<number>; readonly done: () => void }>()
  #ended: ReadonlyArray<Family> = []
  #asked = 0
  /** The collection started or scheduled last. */
  #last: Promise<unknown> = Promise.resolve()
  /** Not started yet. */
  #next: Promise<ReadonlyArray<Family>> | undefined

  /** @param ask sends a message to every worker and returns their numbers */
  constructor(timing: Timing["Type"], ask: (message: ToWorker) => ReadonlyArray<number>) {
    this.#timing = timing
    this.#ask = ask
  }

  /** @param report the request that this answers, if any */
  reported(worker: number, families: ReadonlyArray<Family>, report: number | undefined): void {
    this.#latest.set(worker, families)
    if (report !== undefined) this.#answered(worker, report)
  }

  /** A worker has ended and will not reply any more. */
  ended(worker: number): void {
    this.#ended = merged([...this.#ended, ...lasting(this.#latest.get(worker) ?? [])])
    this.#latest.delete(worker)
    for (const report of [...this.#open.keys()]) this.#answered(worker, report)
  }

  /** Requested after this call. Calls during a collection wait for it, and then share one new collection. */
  collect(): Promise<ReadonlyArray<Family>> {
    const begin = () => {
      this.#next = undefined
      return this.#collect()
    }
    this.#next ??= this.#last.then(begin, begin)
    this.#last = this.#next
    return this.#next
  }

  async #collect(): Promise<ReadonlyArray<Family>> {
    const id = ++this.#asked
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = this.#timing.after("workers.report", resolve)
    const missing = new Set(this.#ask({ _tag: "Report", id }))
    if (missing.size === 0) resolve()
    this.#open.set(id, { missing, done: resolve })
    await promise
    timer.cancel()
    this.#open.delete(id)
    return merged([
      ...ofWorker(figures(), 0),
      ...this.#ended,
      ...[...this.#latest].flatMap(([worker, families]) => ofWorker(families, worker))
    ])
  }

  #answered(worker: number, report: number): void {
    const question = this.#open.get(report)
    if (question === undefined) return
    question.missing.delete(worker)
    if (question.missing.size === 0) question.done()
  }
}
