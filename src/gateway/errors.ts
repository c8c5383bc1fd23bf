import * as Data from "effect/Data"

/** The key is absent, unknown, revoked, expired, or of another family. */
export class InvalidGatewayKey extends Data.TaggedError("InvalidGatewayKey") {}

/** The key is good, but its subscription is to another API, or cancelled. */
export class NotSubscribed extends Data.TaggedError("NotSubscribed") {}

/** Known only to holders of a good key: no such publisher, API or version. */
export class GatewayApiNotFound extends Data.TaggedError("GatewayApiNotFound") {}

/** The subscription's plan permits no call now. */
export class PlanExceeded extends Data.TaggedError("PlanExceeded")<{
  readonly limit: "rate" | "month"
  readonly retryAfterSeconds: number
  /** The limits' own, e.g. `RateLimit`. */
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

/** An upstream's URL, or where it leads to, is none that may be dialled; the message says which rule it breaks. */
export class UpstreamForbidden extends Data.TaggedError("UpstreamForbidden")<{
  readonly rule: "scheme" | "credentials" | "query" | "port" | "address"
}> {}

/** The name in an upstream's URL has no address. */
export class UpstreamUnresolvable extends Data.TaggedError("UpstreamUnresolvable")<{
  readonly hostname: string
}> {}
