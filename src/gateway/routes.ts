import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { GatewayRefusal } from "./errors.ts"
import type { Upstream } from "./upstream.ts"

/** What is asked of the gateway, before anything of it is known to be good. */
export interface GatewayCall {
  /** As they stand in the path, undecoded; all empty when the path is none of an API. */
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
  /** The value of `x-api-key`. */
  readonly key: string | undefined
  readonly clientAddress: () => string
}

/** How a call ended that was let through. */
export interface Outcome {
  readonly status: number
  /** Whether the status is the upstream's own; otherwise it is a fault that the gateway answered, or met. */
  readonly byUpstream: boolean
}

/** A call that is let through. */
export interface Admission {
  readonly upstream: Upstream
  /** Milliseconds until the upstream's headers have to be there. */
  readonly timeout: number
  /** What the limits say of themselves, on every answer to this call. */
  readonly headers: Readonly<Record<string, string>>
  /** Told once, when the status is known. 499 is a client that went away before. */
  readonly answered: (outcome: Outcome) => void
}

/** Who may call what. In this order: the key, the subscription, the API, the plan's limits. */
export class GatewayRoutes extends Context.Tag("GatewayRoutes")<
  GatewayRoutes,
  { readonly admit: (call: GatewayCall) => Effect.Effect<Admission, GatewayRefusal> }
>() {}
