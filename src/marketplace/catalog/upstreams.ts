import { Context, type Effect } from "effect"

/** Why the gateway would not connect to an upstream's URL, or undefined. The host's name may get an address later. */
export class Upstreams extends Context.Tag("Upstreams")<
  Upstreams,
  { readonly objection: (url: URL) => Effect.Effect<"address" | "port" | undefined> }
>() {}
