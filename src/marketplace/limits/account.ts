import type { Deferred } from "effect"
import { beginOf, type Month } from "../usage/calendar-model.ts"
import { type Over, type Plan, policyField, type Standing } from "./model.ts"
import { SlidingWindow } from "./window-model.ts"

/** Counts an `AccountId`'s calls. The month: those written by all processes, plus this one's unwritten. */
export class Account {
  readonly name: string
  readonly #window = new SlidingWindow()
  month: Month = { first: 0, end: 0 }
  /** Whether the database has been queried for the month's count. */
  loaded = false
  loading: Deferred.Deferred<void> | undefined
  /** The time of the last call, in milliseconds since 1970. */
  seenAt = 0
  #written = 0
  #unwritten = 0
  #policy: { readonly plan: Plan; readonly month: Month; readonly field: string | undefined } | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Begins a call. In a new month, the count restarts at 0, which is right or nearly so. */
  enter(month: Month, at: number): void {
    this.seenAt = at
    if (this.month.first === month.first) return
    this.month = month
    this.#written = 0
    this.#unwritten = 0
  }

  get used(): number {
    return this.#written + this.#unwritten
  }

  /** Whether forgetting the account loses nothing but the minute's count. */
  get isSettled(): boolean {
    return this.#unwritten === 0
  }

  over({ requestsPerMinute, requestsPerMonth }: Plan, at: number): Over | undefined {
    if (requestsPerMonth !== null && this.used >= requestsPerMonth) return "quota_exceeded"
    return requestsPerMinute !== null && this.#window.used(at) >= requestsPerMinute
      ? "rate_limited"
      : undefined
  }

  /** Counts a call, whether or not its plan limits it: the next call may be under another plan. */
  add(at: number): void {
    this.#window.add(at)
    // The month may have changed while Redis was queried.
    if (at >= beginOf(this.month.first)) this.#unwritten++
  }

  /**
   * Records how many requests of the last minute all processes together have counted, so that this process goes on
   * from there when it has to decide alone. The requests of others count from now on: at first too long, never too short.
   */
  hear(at: number, inMinute: number): void {
    this.#window.atLeast(at, inMinute)
  }

  giveBack(): void {
    this.#unwritten--
  }

  /** Records what the database says has been written for the month that begins on `first`. */
  learn(first: number, written: number): void {
    if (this.month.first === first) this.#written = Math.max(this.#written, written)
  }

  /** Records that `own` of the admitted calls are now written; `written` is the new total of all processes. */
  written(own: number, written: number): void {
    this.#unwritten -= own
    this.#written = written
  }

  monthWait(at: number): number {
    return Math.max(0, beginOf(this.month.end) - at)
  }

  standing(at: number): Standing {
    return {
      inMinute: this.#window.used(at),
      minuteWait: this.#window.wait(at),
      inMonth: this.used,
      monthWait: this.monthWait(at)
    }
  }

  /** The `RateLimit-Policy` field, which changes only with the month or the plan. */
  policy(plan: Plan): string | undefined {
    const known = this.#policy
    if (
      known?.month === this.month &&
      known.plan.requestsPerMinute === plan.requestsPerMinute &&
      known.plan.requestsPerMonth === plan.requestsPerMonth
    ) {
      return known.field
    }
    const field = policyField(plan, beginOf(this.month.end) - beginOf(this.month.first))
    this.#policy = { plan, month: this.month, field }
    return field
  }
}
