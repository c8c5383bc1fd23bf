import type { CallSource } from "../usage/model.ts"
import { windowMillis } from "./window-model.ts"

/** A plan's limits; null means unlimited. */
export interface Plan {
  readonly requestsPerMinute: number | null
  readonly requestsPerMonth: number | null
}

export type PlannedCall = CallSource & Plan

/** What a subscriber has used after a call. */
export interface Standing {
  /** Requests that count in the last minute. */
  readonly inMinute: number
  /** Milliseconds until the first of them stops counting. */
  readonly minuteWait: number
  /** Requests that count in the month. */
  readonly inMonth: number
  /** Milliseconds until the month ends, UTC. */
  readonly monthWait: number
}

/** The outcome of a call over its limit. The month takes precedence over the minute, since it takes longer to pass. */
export type Over = "rate_limited" | "quota_exceeded"

/** The maximum `Retry-After`: a day in seconds. JavaScript timers overflow after 24 days and fire at once. */
export const longestRetry = 86_400

const seconds = (millis: number): number => Math.ceil(millis / 1000)

/** Whole seconds to wait before a retry, until the exceeded limit has room again; at most {@link longestRetry}. */
export const retryAfter = (over: Over, { minuteWait, monthWait }: Standing): number =>
  Math.min(longestRetry, Math.max(1, seconds(over === "quota_exceeded" ? monthWait : minuteWait)))

/** RFC 9651 does not send an empty list. */
const listed = (minute: string | undefined, month: string | undefined): string | undefined =>
  minute === undefined || month === undefined ? (minute ?? month) : `${minute}, ${month}`

/**
 * The `RateLimit-Policy` field (draft-ietf-httpapi-ratelimit-headers): quota and window in seconds of each
 * limit. Undefined without limits. `monthMillis` is the month's length.
 */
export const policyField = ({ requestsPerMinute, requestsPerMonth }: Plan, monthMillis: number) =>
  listed(
    requestsPerMinute === null ? undefined : `"minute";q=${requestsPerMinute};w=${windowMillis / 1000}`,
    requestsPerMonth === null ? undefined : `"month";q=${requestsPerMonth};w=${monthMillis / 1000}`
  )

/**
 * The `RateLimit` field: for each limit what remains (`r`), and the seconds until more is available (`t`). For the minute, that is when its
 * oldest request stops counting, and never more than the window in the policy; for the month, when the month ends.
 */
export const limitField = (
  { requestsPerMinute, requestsPerMonth }: Plan,
  { inMinute, inMonth, minuteWait, monthWait }: Standing
) =>
  listed(
    requestsPerMinute === null
      ? undefined
      : `"minute";r=${Math.max(0, requestsPerMinute - inMinute)};t=${Math.min(windowMillis / 1000, seconds(minuteWait))}`,
    requestsPerMonth === null
      ? undefined
      : `"month";r=${Math.max(0, requestsPerMonth - inMonth)};t=${seconds(monthWait)}`
  )
