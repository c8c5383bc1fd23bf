import { Effect } from "effect"
import { group } from "../http/runtime/handlers.ts"
import { forCaller } from "../keys/credential.ts"
import { EventsApi } from "./api.ts"
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
