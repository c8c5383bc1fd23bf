import { Layer } from "effect"
import { Anchoring } from "./anchoring-service.ts"
import { AuditEventsApi } from "./api.ts"
import * as http from "./http.ts"
import { layer } from "./layer.ts"

/** The audit trail: who did what, and the proof that nobody changed the record. */
export const audit = {
  contract: [AuditEventsApi],
  routes: http.layer,
  foundation: Layer.provideMerge(Anchoring.Default, layer)
} as const
