/** When a delivery is attempted again (contract.md#webhook-schedule). */

/** Milliseconds from each failed attempt to the next one. */
const delays = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
  (seconds) => seconds * 1_000
)

/** How many attempts a delivery gets. */
export const mostAttempts = delays.length + 1

/** Each delay varies by up to this part of it, so that deliveries that failed together do not return together. */
const jitter = 0.2

/** Milliseconds from `now` that a `Retry-After` header asks for (RFC 9110, section 10.2.3); 0 if it is malformed. */
const askedDelay = (header: string, now: number): number => {
  if (/^\d{1,15}$/.test(header)) return Number(header) * 1_000
  const at = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? 0 : at - now
}

interface Failed {
  /** How many attempts have failed, this one included. */
  readonly tries: number
  /** The `Retry-After` header of a 429 or 503. */
  readonly retryAfter?: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  /** At least 0, less than 1. */
  readonly random: number
}

/** Milliseconds until the next attempt; undefined after the last one. `Retry-After` at most doubles the time. */
export const nextDelay = ({ now, random, retryAfter, tries }: Failed): number | undefined => {
  const usual = delays[tries - 1]
  if (usual === undefined) return undefined
  const own = usual * (1 - jitter + 2 * jitter * random)
  const asked = retryAfter === undefined ? 0 : askedDelay(retryAfter, now)
  return Math.round(Math.min(Math.max(own, asked), 2 * own))
}
