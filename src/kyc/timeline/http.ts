import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { Caller } from "../sessions/guards.ts"
import { TimelineApi } from "./api.ts"
import { Timelines } from "./service.ts"

export const layer = group(TimelineApi, (handlers) =>
  Effect.map(Timelines, (timelines) =>
    handlers.handle("get", ({ path }) =>
      Effect.flatMap(Caller, ({ companyId }) => timelines.get(companyId, path.id)).pipe(
        Effect.bindTo("events")
      )
    )
  )
)
