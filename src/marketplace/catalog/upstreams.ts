import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Why the gateway would not connect to an upstream's URL, or undefined. The host's name may get an address later. */
export class Upstreams extends Context.Tag("Upstreams")<
  Upstreams,
  { readonly objection: (url: URL) => Effect.Effect<"address" | "port" | undefined> }
>() {}
