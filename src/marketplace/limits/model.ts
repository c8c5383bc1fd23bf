import type { CallSource } from "../usage/model.ts"
import { windowMillis } from "./window-model.ts"

/** A plan's limits; null: unlimited. */
export interface Plan {
  readonly requestsPerMinute: number | null
  readonly requestsPerMonth: number | null
}

/** A call through the gateway that a plan limits. */
export type PlannedCall = CallSource & Plan

/** Where a subscriber stands after a call. */
export interface Standing {
  /** Requests that count in the last minute. */
  readonly inMinute: number
  /** Milliseconds until the first of them no longer does. */
  readonly minuteWait: number
  /** Requests that count in the month. */
  readonly inMonth: number
  /** Milliseconds until the month ends, UTC. */
  readonly monthWait: number
}

/** Which limit refuses a call; the month before the minute, since it takes longer to pass. */
export type Over = "rate" | "month"

/** The most that `Retry-After` says, in seconds: a day. Timers of JavaScript overflow after 24 days and fire at once. */
export const longestRetry = 86_400

const seconds = (millis: number): number => Math.ceil(millis / 1000)

/** Whole seconds to wait before another try: until the limit that refused has room again, at most {@link longestRetry}. */
export const retryAfter = (over: Over, { minuteWait, monthWait }: Standing): number =>
  Math.min(longestRetry, Math.max(1, seconds(over === "month" ? monthWait : minuteWait)))

/**
 * The `RateLimit-Policy` field (draft-ietf-httpapi-ratelimit-headers): the quota and the seconds of the
 * window of each limit the plan has. Undefined when it has none: RFC 9651 sends no empty list.
 *
 * @param monthMillis the length of the month in question
 */
export const policyField = (
  { requestsPerMinute, requestsPerMonth }: Plan,
  monthMillis: number
): string | undefined => {
  const minute = `"minute";q=${requestsPerMinute};w=${windowMillis / 1000}`
  const month = `"month";q=${requestsPerMonth};w=${monthMillis / 1000}`
  if (requestsPerMonth === null) return requestsPerMinute === null ? undefined : minute
  return requestsPerMinute === null ? month : `${minute}, ${month}`
}

/**
 * The `RateLimit` field: of each limit what remains (`r`), and the seconds until more is available (`t`):
 * until the oldest request of the minute no longer counts, never more than the window that the policy states, and until the
 * month ends.
 */
export const limitField = (
  { requestsPerMinute, requestsPerMonth }: Plan,
  { inMinute, inMonth, minuteWait, monthWait }: Standing
): string | undefined => {
  const minute =
    requestsPerMinute === null
      ? undefined
      : `"minute";r=${Math.max(0, requestsPerMinute - inMinute)};t=${Math.min(windowMillis / 1000, seconds(minuteWait))}`
  if (requestsPerMonth === null) return minute
  const month = `"month";r=${Math.max(0, requestsPerMonth - inMonth)};t=${seconds(monthWait)}`
  return minute === undefined ? month : `${minute}, ${month}`
}
