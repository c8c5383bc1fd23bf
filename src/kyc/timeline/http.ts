import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../api.ts"
import { Caller } from "../../http/credentials.ts"
import { Timelines } from "./service.ts"

/** The routes of `TimelineApi`. */
export const layer = HttpApiBuilder.group(Api, "kyc-timeline", (handlers) =>
  Effect.map(Timelines, (timelines) =>
    handlers.handle("get", ({ path }) =>
      Effect.map(
        Effect.flatMap(Caller, ({ companyId }) => timelines.get(companyId, path.id)),
        (events) => ({ events })
      )
    )
  )
)
