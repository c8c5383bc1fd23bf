import { Data } from "effect"

/** The key is missing, unknown, revoked, expired, or of another kind. */
export class InvalidGatewayKey extends Data.TaggedError("InvalidGatewayKey") {}

/** The key is valid, but its subscription is cancelled or for another API. */
export class NotSubscribed extends Data.TaggedError("NotSubscribed") {}

/** The publisher, API or version does not exist. Only the holder of a valid key learns this. */
export class GatewayApiNotFound extends Data.TaggedError("GatewayApiNotFound") {}

export class PlanExceeded extends Data.TaggedError("PlanExceeded")<{
  readonly limit: "rate" | "month"
  readonly retryAfterSeconds: number
  /** Headers that report the limits, such as `RateLimit`. */
  readonly headers: Readonly<Record<string, string>>
}> {}

/** Too many made-up keys from one address. */
export class TooManyGuesses extends Data.TaggedError("TooManyGuesses")<{
  readonly retryAfterSeconds: number
}> {}

export type GatewayRefusal =
  | InvalidGatewayKey
  | NotSubscribed
  | GatewayApiNotFound
  | PlanExceeded
  | TooManyGuesses

/** The upstream must not be dialled; `rule` says why. */
export class UpstreamForbidden extends Data.TaggedError("UpstreamForbidden")<{
  readonly rule: "scheme" | "credentials" | "query" | "port" | "address"
}> {}

/** The name in an upstream's URL has no address. */
export class UpstreamUnresolvable extends Data.TaggedError("UpstreamUnresolvable")<{
  readonly hostname: string
}> {}
