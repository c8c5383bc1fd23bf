import { Layer } from "effect"
import { BrowserSessionsApi } from "./api.ts"
import { SessionCreation } from "./creation-service.ts"
import { readerCredentials, SessionGuesses } from "./credential.ts"
import * as expiry from "./expiry.ts"
import * as http from "./http.ts"
import { PartnerSessionsApi, SessionCreationApi, TestSessionsApi } from "./partner-api.ts"
import { PartnerSessions } from "./partner-service.ts"
import { SessionRepo } from "./repo.ts"
import { Sessions } from "./service.ts"
import { Successors } from "./successor-service.ts"

/** KYC sessions: a partner creates them, a browser fills them in, and the partner reads them. */
export const sessions = {
  contract: [TestSessionsApi, SessionCreationApi, BrowserSessionsApi, PartnerSessionsApi],
  routes: Layer.merge(http.layer, expiry.layer),
  credentials: Layer.provide(http.credentials, readerCredentials),
  services: Layer.mergeAll(
    SessionCreation.Default,
    Sessions.Default,
    PartnerSessions.Default,
    SessionGuesses.Default,
    Successors.Default
  ).pipe(Layer.provideMerge(SessionRepo.Default))
} as const
