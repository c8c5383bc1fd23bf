import { Effect, Layer } from "effect"
import * as companies from "../../accounts/cli-layer.ts"
import { Instances } from "../instances/service.ts"
import { Timelines } from "../timeline/service.ts"
import { SessionKeyRepo } from "./keys-repo.ts"
import { SessionKeys } from "./keys-service.ts"
import { SessionLifecycle } from "./lifecycle-service.ts"
import { PartnerSessions } from "./partner-service.ts"

export const useCases = Effect.all({
  instances: Instances,
  keys: SessionKeys,
  lifecycle: SessionLifecycle,
  sessions: PartnerSessions,
  timelines: Timelines
})

export const layer = Layer.mergeAll(
  PartnerSessions.Default,
  SessionLifecycle.Default,
  Instances.Default,
  Timelines.Default
).pipe(
  Layer.provideMerge(Layer.provide(SessionKeys.Default, SessionKeyRepo.Default)),
  Layer.provideMerge(companies.layer)
)
