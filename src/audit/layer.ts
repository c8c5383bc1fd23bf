import { Layer } from "effect"
import { Anchored } from "./anchored-service.ts"
import * as configuredAnchors from "./configured-anchors.ts"
import { AuditRepo } from "./repo.ts"
import { Audit } from "./service.ts"

/** Needs no secret key. */
export const anchored = Anchored.Default.pipe(
  Layer.provideMerge(configuredAnchors.layer),
  Layer.provideMerge(AuditRepo.Default)
)

export const layer = Layer.provideMerge(Audit.Default, anchored)
