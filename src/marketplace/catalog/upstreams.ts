import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Whether the gateway would dial an upstream: what there is against its URL, or undefined. A name may yet get an address. */
export class Upstreams extends Context.Tag("Upstreams")<
  Upstreams,
  { readonly objection: (url: URL) => Effect.Effect<"address" | "port" | undefined> }
>() {}
