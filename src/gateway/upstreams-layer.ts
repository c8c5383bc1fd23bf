import { Effect, Layer } from "effect"
import { Upstreams } from "../marketplace/catalog/upstreams.ts"
import { UpstreamAddresses } from "./resolve.ts"

/** Makes the catalog reject upstreams to which the gateway would not connect. A name need not resolve yet. */
export const layer = Layer.effect(
  Upstreams,
  Effect.map(UpstreamAddresses, ({ check }) => ({
    objection: (url: URL) =>
      Effect.catchTags(Effect.as(check(url), undefined), {
        UpstreamForbidden: ({ rule }) =>
          Effect.succeed(rule === "port" ? ("port" as const) : ("address" as const)),
        UpstreamUnresolvable: () => Effect.succeed(undefined)
      })
  }))
).pipe(Layer.provide(UpstreamAddresses.Default))
