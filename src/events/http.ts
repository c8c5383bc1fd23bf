import { Effect, Layer } from "effect"
import { group } from "../http/runtime/handlers.ts"
import { forCaller, partnerReader } from "../kyc/sessions/credential.ts"
import { EventsApi } from "./api.ts"
import { EventReader } from "./guards.ts"
import { Events } from "./service.ts"

/** The routes of `EventsApi`. */
export const layer = group(EventsApi, (handlers) =>
  Effect.map(Events, (events) =>
    handlers
      .handle("list", ({ urlParams }) => forCaller((companyId) => events.feed(companyId, urlParams)))
      .handle("get", ({ path }) =>
        forCaller((companyId) => events.get(companyId, path.id)).pipe(Effect.bindTo("event"))
      )
  )
)

/** The guard's implementation: who may read events. */
export const credentials = Layer.effect(
  EventReader,
  partnerReader("events:read", ({ authenticateTo }) => authenticateTo("read"))
)
