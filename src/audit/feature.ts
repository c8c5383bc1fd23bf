import * as Layer from "effect/Layer"
import { Anchored } from "./anchored-service.ts"
import { Anchoring } from "./anchoring-service.ts"
import { AuditEventsApi } from "./api.ts"
import * as configuredAnchors from "./configured-anchors.ts"
import * as http from "./http.ts"
import { AuditRepo } from "./repo.ts"
import { Audit } from "./service.ts"

/** The audit trail: who did what, and the proof that nothing was changed. */
export const audit = {
  contract: [AuditEventsApi],
  routes: http.layer,
  foundation: Anchoring.Default.pipe(
    Layer.provide(Anchored.Default),
    Layer.provide(configuredAnchors.layer),
    Layer.provideMerge(Audit.Default),
    Layer.provideMerge(AuditRepo.Default)
  )
} as const
