import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { forCaller } from "../../keys/credential.ts"
import { TimelineApi } from "./api.ts"
import { Timelines } from "./service.ts"

export const layer = group(TimelineApi, (handlers) =>
  Effect.map(Timelines, (timelines) =>
    handlers.handle("get", ({ path }) =>
      forCaller((companyId) => timelines.get(companyId, path.id)).pipe(Effect.bindTo("events"))
    )
  )
)
