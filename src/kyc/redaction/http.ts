import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { forActor } from "../../keys/credential.ts"
import { ok } from "../../shared/schemas.ts"
import { RedactionApi } from "./api.ts"
import { Redaction } from "./service.ts"

export const layer = group(RedactionApi, (handlers) =>
  Effect.map(Redaction, (redaction) =>
    handlers.handle("redact", ({ path }) =>
      Effect.as(
        forActor((by) => redaction.redact(by, path.id)),
        ok
      )
    )
  )
)
