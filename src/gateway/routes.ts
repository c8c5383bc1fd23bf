import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { GatewayRefusal } from "./errors.ts"
import type { Caller } from "./shares.ts"
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
export type Outcome =
  | { readonly by: "upstream"; readonly status: number }
  /** The gateway answered instead. */
  | { readonly by: "gateway"; readonly status: number }
  /** The client went away; `asked` when the upstream had been asked by then. */
  | { readonly by: "client"; readonly asked: boolean }

/** A call that is let through. */
export interface Admission {
  readonly upstream: Upstream
  readonly caller: Caller
  /** Milliseconds until the upstream's headers have to be there. */
  readonly timeout: number
  /** What the limits say of themselves, on every answer to this call. */
  readonly headers: Readonly<Record<string, string>>
  /** Told once, when it is known. */
  readonly answered: (outcome: Outcome) => void
}

/** Who may call what. In this order: the key, the API, the subscription, the plan's limits (contract.md#gateway-checks). */
export class GatewayRoutes extends Context.Tag("GatewayRoutes")<
  GatewayRoutes,
  {
    /** Decides by what this process remembers, as of most calls; undefined when somebody has to be asked first. */
    readonly admitNow: (call: GatewayCall) => Admission | GatewayRefusal | undefined
    readonly admit: (call: GatewayCall) => Effect.Effect<Admission, GatewayRefusal>
  }
>() {}
