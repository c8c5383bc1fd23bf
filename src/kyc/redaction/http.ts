import { Effect, Layer } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { ok } from "../../shared/schemas.ts"
import { forActor, partnerReader } from "../sessions/credential.ts"
import { RedactionApi } from "./api.ts"
import { SessionRedactor } from "./guards.ts"
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

export const credentials = Layer.effect(
  SessionRedactor,
  partnerReader("kyc:sessions:redact", ({ authenticateTo }) => authenticateTo("administer"))
)
