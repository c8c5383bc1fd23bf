import { Effect, Layer } from "effect"
import { readerCredentials } from "../sessions/credential.ts"
import { RedactionApi } from "./api.ts"
import * as http from "./http.ts"
import { Redaction } from "./service.ts"

/** Destroys the personal data of sessions. */
export const redaction = {
  contract: [RedactionApi],
  routes: http.layer,
  credentials: Layer.provide(http.credentials, readerCredentials),
  services: Redaction.Default,
  housekeeping: { retention: Effect.flatMap(Redaction, ({ retain }) => retain) }
} as const
