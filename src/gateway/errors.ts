import { Data } from "effect"
import type { KeyReason } from "../keys/errors.ts"

export type { KeyReason }

/**
 * The gateway refuses a call. `reason` is its outcome in `gatewayCalls`, and names its answer in `refusals`:
 *
 * - `invalid_key`: the key is missing, unknown, revoked, expired, or of another kind, as `keyReason` says.
 * - `not_subscribed`: the key is valid, but its subscription is cancelled or for another API.
 * - `api_not_found`: only the holder of a valid key learns that the publisher, API or version does not exist.
 * - `rate_limited`, `quota_exceeded`: the call exceeds its plan.
 * - `too_many_guesses`: too many made-up keys came from one address.
 */
export class CallRefused extends Data.TaggedError("CallRefused")<{
  readonly reason:
    | "invalid_key"
    | "not_subscribed"
    | "api_not_found"
    | "rate_limited"
    | "quota_exceeded"
    | "too_many_guesses"
  readonly keyReason?: KeyReason
  readonly retryAfterSeconds?: number
  /** Headers that report the limits, such as `RateLimit`. */
  readonly headers?: Readonly<Record<string, string>>
}> {}
