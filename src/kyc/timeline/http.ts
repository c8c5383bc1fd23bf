import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { Caller } from "../sessions/guards.ts"
import { TimelineApi } from "./api.ts"
import { Timelines } from "./service.ts"

/** The routes of `TimelineApi`. */
export const layer = group(TimelineApi, (handlers) =>
  Effect.map(Timelines, (timelines) =>
    handlers.handle("get", ({ path }) =>
      Effect.map(
        Effect.flatMap(Caller, ({ companyId }) => timelines.get(companyId, path.id)),
        (events) => ({ events })
      )
    )
  )
)
