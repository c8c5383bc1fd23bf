import { Layer } from "effect"
import * as anchorStore from "./anchor-store.ts"
import { Anchored } from "./anchored-service.ts"
import { AuditRepo } from "./repo.ts"
import { Audit } from "./service.ts"

/** Needs no secret key. */
export const anchored = Anchored.Default.pipe(
  Layer.provideMerge(anchorStore.layer),
  Layer.provideMerge(AuditRepo.Default)
)

export const layer = Layer.provideMerge(Audit.Default, anchored)
