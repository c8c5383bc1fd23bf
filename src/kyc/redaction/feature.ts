import { Effect, Layer } from "effect"
import { RedactionApi } from "./api.ts"
import * as http from "./http.ts"
import { SessionMonths } from "./months-service.ts"
import { Redaction } from "./service.ts"

/** Destroys the personal data of sessions. */
export const redaction = {
  contract: [RedactionApi],
  routes: http.layer,
  services: Layer.merge(Redaction.Default, SessionMonths.Default),
  housekeeping: {
    retention: Effect.flatMap(Redaction, ({ retain }) => retain),
    "months of sessions": Effect.flatMap(SessionMonths, ({ drop }) => drop)
  }
} as const
