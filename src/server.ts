/** Contract, handlers, middleware and pages: one HTTP server. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DashboardCredential } from "./accounts/credential.ts"
import { Devices } from "./accounts/devices.ts"
import * as accounts from "./accounts/http.ts"
import { LastSeen } from "./accounts/last-seen.ts"
import * as members from "./accounts/members-http.ts"
import { MembersRepo } from "./accounts/members-repo.ts"
import { Members } from "./accounts/members-service.ts"
import { Passwords } from "./accounts/passwords.ts"
import { AccountRepo } from "./accounts/repo.ts"
import { Accounts } from "./accounts/service.ts"
import { Api } from "./api.ts"
import { Anchored, Anchoring } from "./audit/anchoring-service.ts"
import * as configuredAnchors from "./audit/configured-anchors.ts"
import * as audit from "./audit/http.ts"
import { AuditRepo } from "./audit/repo.ts"
import { Audit } from "./audit/service.ts"
import { Config } from "./config.ts"
import * as admission from "./gateway/admission.ts"
import * as gatewayHttp from "./gateway/http.ts"
import { PublishedRoutes } from "./gateway/published-routes.ts"
import { PublishedRouteRepo } from "./gateway/published-routes-repo.ts"
import { UpstreamAddresses } from "./gateway/resolve.ts"
import type { DirectRoutes } from "./http/direct.ts"
import { Lifecycle } from "./http/lifecycle.ts"
import * as openapi from "./http/openapi.ts"
import * as serve from "./http/serve.ts"
import { PlatformKeyCredential } from "./keys/credential.ts"
import * as keys from "./keys/http.ts"
import { LastUsed } from "./keys/last-used.ts"
import { ApiKeyRepo } from "./keys/repo.ts"
import { ApiKeys } from "./keys/service.ts"
import { KeyVerification } from "./keys/verification.ts"
import { Challenges } from "./kyc/captcha/challenges.ts"
import * as captcha from "./kyc/captcha/http.ts"
import * as captchaIssuer from "./kyc/captcha/issuer.ts"
import { CaptchaRepo } from "./kyc/captcha/repo.ts"
import { Captcha } from "./kyc/captcha/service.ts"
import * as dedup from "./kyc/dedup/http.ts"
import { DedupRepo } from "./kyc/dedup/repo.ts"
import { Dedup } from "./kyc/dedup/service.ts"
import { EmbeddingRepo } from "./kyc/embedding/repo.ts"
import { Embedding } from "./kyc/embedding/service.ts"
import * as configuredStore from "./kyc/files/configured-store.ts"
import { Examination } from "./kyc/files/examination.ts"
import * as files from "./kyc/files/http.ts"
import { Intake } from "./kyc/files/intake.ts"
import { FileRepo } from "./kyc/files/repo.ts"
import { Files } from "./kyc/files/service.ts"
import * as handoffs from "./kyc/handoffs/http.ts"
import { HandoffRepo } from "./kyc/handoffs/repo.ts"
import { Handoffs } from "./kyc/handoffs/service.ts"
import * as instances from "./kyc/instances/http.ts"
import { InstanceRepo } from "./kyc/instances/repo.ts"
import * as schemas from "./kyc/instances/schemas-http.ts"
import { Instances } from "./kyc/instances/service.ts"
import { SessionGuesses } from "./kyc/sessions/credential.ts"
import * as sessions from "./kyc/sessions/http.ts"
import { PartnerSessionRepo } from "./kyc/sessions/partner-repo.ts"
import { PartnerSessions } from "./kyc/sessions/partner-service.ts"
import { SessionRepo } from "./kyc/sessions/repo.ts"
import { Sessions } from "./kyc/sessions/service.ts"
import * as timeline from "./kyc/timeline/http.ts"
import { TimelineRepo } from "./kyc/timeline/repo.ts"
import { Timelines } from "./kyc/timeline/service.ts"
import { ApiDescriptions } from "./marketplace/catalog/descriptions.ts"
import { FragmentRepo } from "./marketplace/catalog/fragment-repo.ts"
import * as catalog from "./marketplace/catalog/http.ts"
import { ApiLists } from "./marketplace/catalog/lists.ts"
import { OpenApiDocuments } from "./marketplace/catalog/openapi-documents.ts"
import * as publishing from "./marketplace/catalog/publishing-http.ts"
import { PublishingRepo } from "./marketplace/catalog/publishing-repo.ts"
import { Publishing } from "./marketplace/catalog/publishing-service.ts"
import { CatalogRepo } from "./marketplace/catalog/repo.ts"
import { Catalog } from "./marketplace/catalog/service.ts"
import * as storedDocuments from "./marketplace/catalog/stored-documents.ts"
import { PlanLimits } from "./marketplace/limits/service.ts"
import { MarketplaceKeyCredential } from "./marketplace/subscriptions/credential.ts"
import * as subscriptions from "./marketplace/subscriptions/http.ts"
import { IdempotencyRepo } from "./marketplace/subscriptions/idempotency-repo.ts"
import { MarketplaceKeyRepo } from "./marketplace/subscriptions/keys-repo.ts"
import { MarketplaceKeys } from "./marketplace/subscriptions/keys-service.ts"
import { SubscriptionRepo } from "./marketplace/subscriptions/repo.ts"
import { Subscriptions } from "./marketplace/subscriptions/service.ts"
import { Subscribing } from "./marketplace/subscriptions/subscribe-service.ts"
import { MarketplaceKeyVerification } from "./marketplace/subscriptions/verification.ts"
import * as usage from "./marketplace/usage/http.ts"
import { UsageRecordingRepo } from "./marketplace/usage/recording-repo.ts"
import { UsageRecorder } from "./marketplace/usage/recording-service.ts"
import { UsageRepo } from "./marketplace/usage/repo.ts"
import { Usage } from "./marketplace/usage/service.ts"
import { AccessLogger } from "./observability/access-log.ts"
import * as operations from "./operations/http.ts"
import { Readiness } from "./operations/service.ts"
import * as dashboard from "./pages/dashboard.ts"
import * as docs from "./pages/docs.ts"
import * as front from "./pages/front.ts"
import * as kycPage from "./pages/kyc.ts"
import { Seal } from "./secrets/seal.ts"
import * as upstreams from "./upstreams.ts"

const repositories = Layer.mergeAll(
  AccountRepo.Default,
  ApiKeyRepo.Default,
  AuditRepo.Default,
  CaptchaRepo.Default,
  CatalogRepo.Default,
  DedupRepo.Default,
  EmbeddingRepo.Default,
  FileRepo.Default,
  FragmentRepo.Default,
  HandoffRepo.Default,
  IdempotencyRepo.Default,
  InstanceRepo.Default,
  MarketplaceKeyRepo.Default,
  MembersRepo.Default,
  PartnerSessionRepo.Default,
  PublishedRouteRepo.Default,
  PublishingRepo.Default,
  SessionRepo.Default,
  SubscriptionRepo.Default,
  TimelineRepo.Default,
  UsageRecordingRepo.Default,
  UsageRepo.Default
)

/** The use cases of every feature, on the database. */
export const services = Layer.mergeAll(
  Accounts.Default,
  ApiKeys.Default,
  Captcha.Default,
  Catalog.Default,
  Challenges.Default,
  Dedup.Default,
  Embedding.Default,
  Files.Default,
  Handoffs.Default,
  Instances.Default,
  MarketplaceKeyCredential.Default,
  MarketplaceKeys.Default,
  Members.Default,
  PublishedRoutes.Default,
  PartnerSessions.Default,
  PlanLimits.Default,
  Publishing.Default,
  Readiness.Default,
  SessionGuesses.Default,
  Sessions.Default,
  Subscribing.Default,
  Timelines.Default,
  Usage.Default
).pipe(
  Layer.provideMerge(Subscriptions.Default),
  Layer.provideMerge(MarketplaceKeyVerification.Default),
  Layer.provideMerge(
    Layer.mergeAll(Devices.Default, Passwords.Default, KeyVerification.Default, captchaIssuer.layer)
  ),
  Layer.provideMerge(Layer.mergeAll(Intake.Default, Examination.Default, configuredStore.layer)),
  Layer.provideMerge(Layer.mergeAll(ApiDescriptions.Default, ApiLists.Default, upstreams.layer)),
  Layer.provideMerge(OpenApiDocuments.Default),
  Layer.provideMerge(Layer.mergeAll(LastSeen.Default, LastUsed.Default, UsageRecorder.Default)),
  Layer.provide(Seal.Default),
  Layer.provideMerge(
    Anchoring.Default.pipe(Layer.provide(Anchored.Default), Layer.provide(configuredAnchors.layer))
  ),
  Layer.provideMerge(Audit.Default),
  Layer.provideMerge(repositories)
)

const routes = Layer.mergeAll(
  accounts.layer,
  members.layer,
  keys.layer,
  instances.layer,
  sessions.layer,
  timeline.layer,
  captcha.layer,
  dedup.layer,
  files.layer,
  handoffs.layer,
  subscriptions.layer,
  usage.layer,
  audit.layer,
  catalog.layer,
  publishing.layer,
  operations.layer
)

const credentials = Layer.mergeAll(accounts.credentials, sessions.credentials, files.credentials).pipe(
  Layer.provide(Layer.mergeAll(DashboardCredential.Default, PlatformKeyCredential.Default))
)

const description = Layer.unwrapEffect(Effect.map(Config, ({ baseUrl }) => openapi.layer(Api, baseUrl)))

/** The gateway, which answers past the router. */
export const gateway = gatewayHttp.layer.pipe(
  Layer.provide(UpstreamAddresses.Default),
  Layer.provide(admission.layer),
  Layer.provide(services)
)

/** Listens, with these routes past the router; everything it stands on is provided by `main`, or by a test. */
export const layerWith = <E, R>(pastRouter: Layer.Layer<DirectRoutes, E, R>) =>
  serve.layer.pipe(
    Layer.provide(pastRouter),
    Layer.provide(HttpApiBuilder.api(Api)),
    Layer.provide(
      Layer.mergeAll(
        routes,
        description,
        schemas.layer,
        front.layer,
        dashboard.layer,
        docs.layer,
        kycPage.layer,
        storedDocuments.layer
      )
    ),
    Layer.provide(credentials),
    Layer.provide(HttpApiBuilder.Router.Live),
    Layer.provide(Layer.merge(AccessLogger.layer, Lifecycle.layer)),
    Layer.provide(services)
  )

export const layer = layerWith(gateway)
