import { Effect, Layer } from "effect"
import * as companies from "../../accounts/cli-layer.ts"
import * as instances from "../instances/layer.ts"
import { Instances } from "../instances/service.ts"
import * as timeline from "../timeline/layer.ts"
import { Timelines } from "../timeline/service.ts"
import { PartnerSessionRepo } from "./partner-repo.ts"
import { PartnerSessions } from "./partner-service.ts"

export const useCases = Effect.all({
  instances: Instances,
  sessions: PartnerSessions,
  timelines: Timelines
})

export const layer = Layer.mergeAll(PartnerSessions.Default, instances.layer, timeline.layer).pipe(
  Layer.provide(PartnerSessionRepo.Default),
  Layer.provideMerge(companies.layer)
)
