/** The contract's table of contents. */
import * as HttpApi from "@effect/platform/HttpApi"
import { AccountApi, SignInApi } from "./accounts/api.ts"
import { AcceptanceApi, InvitationsApi, MembersApi } from "./accounts/members-api.ts"
import { AuditEventsApi } from "./audit/api.ts"
import { apiName } from "./http/handlers.ts"
import { ApiKeysApi } from "./keys/api.ts"
import { CaptchaApi, ChallengesApi } from "./kyc/captcha/api.ts"
import { DedupApi } from "./kyc/dedup/api.ts"
import { FileUploadApi, PartnerFilesApi } from "./kyc/files/api.ts"
import { HandoffLinksApi, HandoffsApi } from "./kyc/handoffs/api.ts"
import { InstancesApi } from "./kyc/instances/api.ts"
import { BrowserSessionsApi } from "./kyc/sessions/api.ts"
import { PartnerSessionsApi, SessionCreationApi } from "./kyc/sessions/partner-api.ts"
import { TestSessionsApi } from "./kyc/sessions/test-session-api.ts"
import { TimelineApi } from "./kyc/timeline/api.ts"
import { CatalogApi } from "./marketplace/catalog/api.ts"
import { PublishingApi } from "./marketplace/catalog/publishing-api.ts"
import { SubscriptionsApi } from "./marketplace/subscriptions/api.ts"
import { MarketplaceKeysApi } from "./marketplace/subscriptions/keys-api.ts"
import { UsageApi } from "./marketplace/usage/api.ts"
import { OperationsApi } from "./operations/api.ts"

export class Api extends HttpApi.make(apiName)
  .add(SignInApi)
  .add(AccountApi)
  .add(MembersApi)
  .add(InvitationsApi)
  .add(AcceptanceApi)
  .add(ApiKeysApi)
  .add(InstancesApi)
  .add(TestSessionsApi)
  .add(SessionCreationApi)
  .add(BrowserSessionsApi)
  .add(CaptchaApi)
  .add(ChallengesApi)
  .add(DedupApi)
  .add(FileUploadApi)
  .add(HandoffsApi)
  .add(HandoffLinksApi)
  .add(PartnerSessionsApi)
  .add(TimelineApi)
  .add(PartnerFilesApi)
  .add(CatalogApi)
  .add(PublishingApi)
  .add(SubscriptionsApi)
  .add(MarketplaceKeysApi)
  .add(UsageApi)
  .add(AuditEventsApi)
  .add(OperationsApi) {}
