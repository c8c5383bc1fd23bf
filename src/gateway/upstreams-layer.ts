import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Upstreams } from "../marketplace/catalog/upstreams.ts"
import { UpstreamAddresses } from "./resolve.ts"

/** The catalog takes no upstream that the gateway would not dial; a name may yet get its address. */
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
