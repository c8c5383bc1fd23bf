import { Context, type Effect } from "effect"
import type { CallRefused } from "./errors.ts"
import type { RoutePath } from "./published-routes-repo.ts"
import type { Caller } from "./shares.ts"
import type { Upstream } from "./upstream.ts"

/** An unchecked call. All parts of its path are empty if the path is not that of an API. */
export interface GatewayCall extends RoutePath {
  /** The value of `x-api-key`. */
  readonly key: string | undefined
  readonly clientAddress: () => string
}

export type Outcome =
  | { readonly by: "upstream"; readonly status: number }
  /** The gateway sent its own response instead. */
  | { readonly by: "gateway"; readonly status: number }
  /** The client disconnected; `asked`: after the gateway had started sending the request. */
  | { readonly by: "client"; readonly asked: boolean }

export interface Admission {
  readonly upstream: Upstream
  readonly caller: Caller
  /** Milliseconds for the upstream to send its response head. */
  readonly timeout: number
  /** Headers on every response to this call that report the limits. */
  readonly headers: Readonly<Record<string, string>>
  /** Called once, when the outcome is known. */
  readonly answered: (outcome: Outcome) => void
}

/** Checks the key, API, subscription and plan limits, in this order (contract.md#gateway-checks). */
export class GatewayRoutes extends Context.Tag("GatewayRoutes")<
  GatewayRoutes,
  {
    /** Decides from memory, as for most calls; undefined if that is not possible. */
    readonly admitNow: (call: GatewayCall) => Admission | CallRefused | undefined
    readonly admit: (call: GatewayCall) => Effect.Effect<Admission, CallRefused>
  }
>() {}
