import { Effect, Layer } from "effect"
import { UsageApi } from "./api.ts"
import * as http from "./http.ts"
import { UsageRecordingRepo } from "./recording-repo.ts"
import { UsagePartitions, UsageRecorder } from "./recording-service.ts"
import { UsageRepo } from "./repo.ts"
import { Usage } from "./service.ts"
import { UnsentUsage } from "./unsent-service.ts"

/** How often APIs are called. */
export const usage = {
  contract: [UsageApi],
  routes: http.layer,
  services: Layer.mergeAll(
    Usage.Default,
    UsageRecorder.Default,
    UnsentUsage.Default,
    UsagePartitions.Default
  ).pipe(Layer.provideMerge(Layer.merge(UsageRepo.Default, UsageRecordingRepo.Default))),
  housekeeping: {
    "usage batches": Effect.flatMap(UsageRecordingRepo, ({ addWaiting }) => addWaiting),
    "unsent usage": Effect.flatMap(UnsentUsage, ({ send }) => send),
    "usage partitions": Effect.flatMap(UsagePartitions, ({ roll }) => roll),
    "usage recorders": Effect.flatMap(UsageRecordingRepo, ({ deleteOldRecorders }) => deleteOldRecorders)
  }
} as const
