import { type Family, lasting, merged, ofWorker } from "../observability/figures.ts"
import { figures } from "../observability/meters.ts"
import type { ToWorker } from "./messages.ts"

/** Milliseconds that a worker has for its report; then its last one stands. */
const reportPatience = 500

/**
 * The figures of all workers, and of the process that runs them, which is number 0. Each reports by itself, and is asked again
 * when somebody wants to know: whichever worker is asked, no count is ever less than it was. What a worker counted stays when
 * it ends.
 */
export class WorkerFigures {
  readonly #ask: (message: ToWorker) => ReadonlyArray<number>
  readonly #latest = new Map<number, ReadonlyArray<Family>>()
  readonly #open = new Map<number, { readonly missing: Set<number>; readonly done: () => void }>()
  #ended: ReadonlyArray<Family> = []
  #asked = 0
  /** The collection that was begun last, or is to begin after that. */
  #last: Promise<unknown> = Promise.resolve()
  /** The one that has yet to begin. */
  #next: Promise<ReadonlyArray<Family>> | undefined

  /** @param ask sends a message to every worker, and gives their numbers */
  constructor(ask: (message: ToWorker) => ReadonlyArray<number>) {
    this.#ask = ask
  }

  /** @param report the number of the question that this answers, if any */
  reported(worker: number, families: ReadonlyArray<Family>, report: number | undefined): void {
    this.#latest.set(worker, families)
    if (report !== undefined) this.#answered(worker, report)
  }

  /** A worker has ended, and answers nothing more. */
  ended(worker: number): void {
    this.#ended = merged([...this.#ended, ...lasting(this.#latest.get(worker) ?? [])])
    this.#latest.delete(worker)
    for (const report of [...this.#open.keys()]) this.#answered(worker, report)
  }

  /**
   * Of all workers, asked after this was called. Whoever asks while they are being asked for somebody else waits for that, and
   * then shares one answer with all others who did.
   */
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
    const timer = setTimeout(resolve, reportPatience)
    const missing = new Set(this.#ask({ _tag: "Report", id }))
    if (missing.size === 0) resolve()
    this.#open.set(id, { missing, done: resolve })
    await promise
    clearTimeout(timer)
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
