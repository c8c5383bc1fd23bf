import { Effect, Layer } from "effect"
import { BrowserSessionsApi } from "./api.ts"
import { SessionCreationApi, TestSessionsApi } from "./creation-api.ts"
import { SessionCreation } from "./creation-service.ts"
import { SessionGuesses } from "./credential.ts"
import { SessionCsv } from "./csv-service.ts"
import * as expiry from "./expiry.ts"
import * as http from "./http.ts"
import { SessionKeyRepo } from "./keys-repo.ts"
import { SessionKeys } from "./keys-service.ts"
import { SessionLifecycleApi } from "./lifecycle-api.ts"
import * as lifecycle from "./lifecycle-http.ts"
import { SessionLifecycle } from "./lifecycle-service.ts"
import { AnswerOrigins } from "./origins-service.ts"
import * as partitions from "./partitions.ts"
import { PartnerSessionsApi } from "./partner-api.ts"
import { PartnerSessions } from "./partner-service.ts"
import { SessionRepo } from "./repo.ts"
import { Sessions } from "./service.ts"
import { Successors } from "./successor-service.ts"

/** KYC sessions: a partner creates them, a browser fills them in, and the partner reads them. */
export const sessions = {
  contract: [
    TestSessionsApi,
    SessionCreationApi,
    BrowserSessionsApi,
    PartnerSessionsApi,
    SessionLifecycleApi
  ],
  routes: Layer.merge(http.layer, lifecycle.layer),
  background: expiry.layer,
  housekeeping: { "session partitions": Effect.flatMap(SessionRepo, ({ rollPartitions }) => rollPartitions) },
  credentials: http.credentials,
  services: Layer.mergeAll(
    SessionCreation.Default,
    Sessions.Default,
    PartnerSessions.Default,
    SessionCsv.Default,
    SessionLifecycle.Default,
    SessionGuesses.Default,
    AnswerOrigins.Default,
    Successors.Default
  ).pipe(
    Layer.merge(partitions.layer),
    Layer.provideMerge(SessionKeys.Default),
    Layer.provideMerge(Layer.merge(SessionRepo.Default, SessionKeyRepo.Default))
  )
} as const
