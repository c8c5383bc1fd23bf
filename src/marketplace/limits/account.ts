import type * as Deferred from "effect/Deferred"
import { beginOf, type Month } from "../usage/calendar-model.ts"
import { type Over, type Plan, policyField, type Standing } from "./model.ts"
import { SlidingWindow } from "./window-model.ts"

/**
 * What this process knows of the calls that count together (`AccountId`): the last minute's, and the month's as the sum of
 * what is written (by all processes) and what this one has admitted and not yet written.
 */
export class Account {
  readonly name: string
  readonly #window = new SlidingWindow()
  /** The month that is counted. */
  month: Month = { first: 0, end: 0 }
  /** Whether the database has been asked about it. */
  loaded = false
  loading: Deferred.Deferred<void> | undefined
  /** The last call, in milliseconds since 1970. */
  seenAt = 0
  #written = 0
  #unwritten = 0
  #policy: { readonly plan: Plan; readonly month: Month; readonly field: string | undefined } | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Begins a call. A month that is over is forgotten; that nobody has used the new one is right or nearly so. */
  enter(month: Month, at: number): void {
    this.seenAt = at
    if (this.month.first === month.first) return
    this.month = month
    this.#written = 0
    this.#unwritten = 0
  }

  /** Requests that count in the month. */
  get used(): number {
    return this.#written + this.#unwritten
  }

  /** Whether nothing is lost by forgetting it, but for the minute. */
  get isSettled(): boolean {
    return this.#unwritten === 0
  }

  /** The limit that a call would be over. */
  over({ requestsPerMinute, requestsPerMonth }: Plan, at: number): Over | undefined {
    if (requestsPerMonth !== null && this.used >= requestsPerMonth) return "month"
    return requestsPerMinute !== null && this.#window.used(at) >= requestsPerMinute ? "rate" : undefined
  }

  /** Counts a call, whether or not its plan limits it: the next may be under another plan. */
  add(at: number): void {
    this.#window.add(at)
    // While Redis was asked, the month may have changed.
    if (at >= beginOf(this.month.first)) this.#unwritten++
  }

  giveBack(): void {
    this.#unwritten--
  }

  /** The database says what is written of the month that begins on `first`. */
  learn(first: number, written: number): void {
    if (this.month.first === first) this.#written = Math.max(this.#written, written)
  }

  /** `own` of the admitted calls are written, which makes `written` of all processes. */
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

  /** The `RateLimit-Policy` field, which changes with the month only. */
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
