/** What commands show of a session: its company, its instance and its timeline too. */
import * as Layer from "effect/Layer"
import * as companies from "../../accounts/cli-layer.ts"
import * as instances from "../instances/layer.ts"
import * as timeline from "../timeline/layer.ts"
import { PartnerSessionRepo } from "./partner-repo.ts"
import { PartnerSessions } from "./partner-service.ts"

export { Instances } from "../instances/service.ts"
export { Timelines } from "../timeline/service.ts"
export { PartnerSessions }

export const layer = Layer.mergeAll(PartnerSessions.Default, instances.layer, timeline.layer).pipe(
  Layer.provide(PartnerSessionRepo.Default),
  Layer.provideMerge(companies.layer)
)
