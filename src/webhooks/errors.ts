import { Data } from "effect"

/** The company has no such endpoint. */
export class WebhookEndpointNotFound extends Data.TaggedError("WebhookEndpointNotFound") {}

/** The company has no such delivery, or it is more than 30 days old. */
export class DeliveryNotFound extends Data.TaggedError("DeliveryNotFound") {}

export class TooManyWebhookEndpoints extends Data.TaggedError("TooManyWebhookEndpoints") {}

/** Nothing is sent to a disabled endpoint. */
export class WebhookEndpointDisabled extends Data.TaggedError("WebhookEndpointDisabled") {}

/** The URL must not be called; `rule` says why. */
export class WebhookUrlRefused extends Data.TaggedError("WebhookUrlRefused")<{
  readonly rule: "scheme" | "port" | "address"
}> {}

/** Deliveries that old are not stored. */
export class SinceTooOld extends Data.TaggedError("SinceTooOld") {}
