import type { Fiber, Scheduler } from "effect"
import type { Timing } from "../../shared/timing.ts"

/** Operations of a fiber until others get a turn, as in the library. */
const operationsAtOnce = 2_048

/** Turns in a row until the event loop gets one, as in the library. */
const turnsInARow = 2_048

/**
 * The scheduler of the fibers of requests, which share one queue: each turn runs what was added before it. The library's creates a queue per
 * fiber, in a `WeakMap` that the garbage collector has to visit, and looks up the allowed number of operations before each of them. Creating
 * a session takes 3 % less CPU time with this one. It knows no priorities, and nothing here uses them.
 */
export class RequestScheduler implements Scheduler.Scheduler {
  readonly #after: Timing["Type"]["after"]
  #tasks: Array<Scheduler.Task> = []
  #turns = 0
  #isScheduled = false

  constructor({ after }: Pick<Timing["Type"], "after">) {
    this.#after = after
  }

  shouldYield({ currentOpCount }: Fiber.RuntimeFiber<unknown, unknown>): number | false {
    return currentOpCount > operationsAtOnce ? 0 : false
  }

  scheduleTask(task: Scheduler.Task): void {
    this.#tasks.push(task)
    if (!this.#isScheduled) this.#schedule()
  }

  #schedule(): void {
    this.#isScheduled = true
    if (++this.#turns <= turnsInARow) {
      void Promise.resolve().then(this.#run)
      return
    }
    this.#turns = 0
    this.#after(0, this.#run)
  }

  readonly #run = (): void => {
    const tasks = this.#tasks
    this.#tasks = []
    let next = 0
    try {
      while (next < tasks.length) tasks[next++]?.()
    } finally {
      // One that throws must not keep the others from running.
      if (next < tasks.length) this.#tasks = [...tasks.slice(next), ...this.#tasks]
      if (this.#tasks.length > 0) this.#schedule()
      else {
        this.#isScheduled = false
        this.#turns = 0
      }
    }
  }
}
