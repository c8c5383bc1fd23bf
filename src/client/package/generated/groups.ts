// Made from doorlock's contract by `bun run test contract/client -u`. Do not edit.

import { type Call, group, type PagedCall } from "../calls.ts"
import {
  type CallOptions,
  type ClientOptions,
  type Connection,
  connect,
  type IdempotentOptions,
  type SessionTokenOptions
} from "../connection.ts"
import type {
  AcceptInvitation,
  AddKycSessionNote,
  ApiKey,
  ApiKeyStats,
  ApiKeysListQuery,
  ApiPlan,
  ApiVersion,
  AuditEvent,
  AuditEventsListQuery,
  BecomePublisher,
  CancelKycHandoff,
  CaptchaChallenge,
  CaptchaChallengeQuery,
  CaptchaRejected,
  CaptchaVerified,
  CatalogListQuery,
  ChangeApi,
  ChangePassword,
  ChangeRole,
  ChangeWebhookEndpoint,
  CheckDedup,
  CheckedKycSession,
  ClaimKycHandoff,
  Company,
  CompleteKycSession,
  ConfirmKycHandoff,
  CreateApi,
  CreateApiKey,
  CreateApiPlan,
  CreateApiVersion,
  CreateKycHandoff,
  CreateKycInstance,
  CreateKycSession,
  CreateMarketplaceKey,
  CreateWebhookEndpoint,
  CreatedKycSession,
  DashboardSession,
  DecideKycReview,
  DedupMatch,
  ErrorCodes,
  Event,
  EventsListQuery,
  FiguresFunnelQuery,
  FiguresOverviewQuery,
  FilesDownloadQuery,
  FollowedKycHandoff,
  HandoffsGetQuery,
  InspectKycHandoff,
  Invitation,
  Invite,
  IssueKycReceipt,
  JsonObject,
  KycFile,
  KycFunnel,
  KycHandoff,
  KycInstance,
  KycReading,
  KycReviewChoices,
  KycReviewDetails,
  KycReviewOptions,
  KycSession,
  KycSessionNote,
  KycSessionOverview,
  KycSessionResumed,
  KycTimelineEvent,
  ListedApi,
  ListedKycFile,
  ListedKycSession,
  ListedWebhookEndpoint,
  Login,
  MarketplaceKey,
  Member,
  NewApi,
  NewSubscription,
  OfferedKycSession,
  Ok,
  OpenInvitation,
  OpenInvitationByToken,
  Overview,
  OwnApi,
  Publisher,
  PublisherUsage,
  Readiness,
  ReceiptKey,
  RecoverWebhookDeliveries,
  RedeemCaptcha,
  RenewKycResubmissionLink,
  ResumeKycSession,
  ReviewsListQuery,
  RotateMarketplaceKey,
  RotateWebhookSecret,
  SessionsCsvQuery,
  SessionsListQuery,
  SignedIn,
  Signup,
  StartKycReading,
  Subscribe,
  SubscriberUsage,
  Subscription,
  Timestamp,
  UpdateKycInstance,
  UpdateKycProgress,
  UsageOfApiQuery,
  UsageOfSubscriptionQuery,
  User,
  VerificationGetQuery,
  VerificationGetReadingQuery,
  VerifyCaptcha,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookDrillReport,
  WebhookEndpoint,
  WebhooksListDeliveriesQuery
} from "./types.ts"

/**
 * Sign up and sign in. Both start a dashboard session.
 *
 * The signed-in user, their password and their dashboard sessions.
 */
export interface Account {
  /**
   * Sign up: create a company and its first user.
   *
   * Needs no credential.
   *
   * Requests from pages of other sites are refused.
   *
   * `POST /api/auth/signup`
   */
  signup(body: Signup, options?: CallOptions): Call<{
    ok: true
    user: User
    company: Company
  }, ErrorCodes["account.signup"]>

  /**
   * Sign in.
   *
   * Needs no credential.
   *
   * Requests from pages of other sites are refused.
   *
   * `POST /api/auth/login`
   */
  login(body: Login, options?: CallOptions): Call<SignedIn, ErrorCodes["account.login"]>

  /**
   * Sign out, and end the session.
   *
   * For every signed-in user.
   *
   * `POST /api/auth/logout`
   */
  logout(options?: CallOptions): Call<Ok, ErrorCodes["account.logout"]>

  /**
   * Read the signed-in user and their company.
   *
   * For every signed-in user.
   *
   * `GET /api/auth/me`
   */
  me(options?: CallOptions): Call<{
    user: User
    company: Company
  }, ErrorCodes["account.me"]>

  /**
   * Change the password, and end the user's other sessions.
   *
   * For every signed-in user.
   *
   * `POST /api/auth/password`
   */
  changePassword(body: ChangePassword, options?: CallOptions): Call<Ok, ErrorCodes["account.changePassword"]>

  /**
   * List the user's sessions, most recently used first.
   *
   * For every signed-in user.
   *
   * `GET /api/auth/sessions`
   */
  listSessions(options?: CallOptions): Call<{
    sessions: Array<DashboardSession>
  }, ErrorCodes["account.listSessions"]>

  /**
   * End one of the user's sessions.
   *
   * For every signed-in user.
   *
   * `POST /api/auth/sessions/:id/end`
   */
  endSession(id: string, options?: CallOptions): Call<Ok, ErrorCodes["account.endSession"]>

  /**
   * End all other sessions of the user.
   *
   * For every signed-in user.
   *
   * `POST /api/auth/sessions/end-others`
   */
  endOtherSessions(options?: CallOptions): Call<Ok, ErrorCodes["account.endOtherSessions"]>
}

export const account: (connection: Connection) => Account = /* @__PURE__ */ group<Account>({
  signup: "POST /api/auth/signup body",
  login: "POST /api/auth/login body",
  logout: "POST /api/auth/logout",
  me: "GET /api/auth/me",
  changePassword: "POST /api/auth/password body",
  listSessions: "GET /api/auth/sessions",
  endSession: "POST /api/auth/sessions/:id/end",
  endOtherSessions: "POST /api/auth/sessions/end-others"
})

/** Keys for the company's servers to call doorlock's API. */
export interface ApiKeys {
  /**
   * List the company's keys, newest first.
   *
   * With `limit` or `cursor`, returns a page of at most 100 keys, and `next_cursor` is null on the last page. Otherwise returns all keys.
   *
   * For signed-in viewers, members and owners.
   *
   * `GET /api/api-keys`
   */
  list(query?: ApiKeysListQuery, options?: CallOptions): PagedCall<{
    apiKeys: Array<ApiKey>
    /** The cursor of the next page; null on the last page. Absent without `limit` and `cursor`. */
    next_cursor?: string | null
  }, ApiKey, ErrorCodes["apiKeys.list"]>

  /**
   * Create a key; only this response contains its token.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-keys`
   */
  create(body: CreateApiKey, options?: CallOptions): Call<{
    apiKey: ApiKey
    /** The key's secret token. It is returned only once. */
    token: string
  }, ErrorCodes["apiKeys.create"]>

  /**
   * Count the company's keys.
   *
   * For signed-in viewers, members and owners.
   *
   * `GET /api/api-keys/stats`
   */
  stats(options?: CallOptions): Call<{
    stats: ApiKeyStats
  }, ErrorCodes["apiKeys.stats"]>

  /**
   * Revoke a key, permanently and at once.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-keys/:id/revoke`
   */
  revoke(id: string, options?: CallOptions): Call<Ok, ErrorCodes["apiKeys.revoke"]>
}

export const apiKeys: (connection: Connection) => ApiKeys = /* @__PURE__ */ group<ApiKeys>({
  list: "GET /api/api-keys query cursor=apiKeys",
  create: "POST /api/api-keys body",
  stats: "GET /api/api-keys/stats",
  revoke: "POST /api/api-keys/:id/revoke"
})

/** Who did what, when, from where and to which resource. Each event is recorded in the same transaction as the change, and never changed or removed. */
export interface AuditEvents {
  /**
   * List the company's audit events, newest first.
   *
   * The hash of each event covers the hash of the previous one, and anyone can recompute it: `hash` is the SHA-256 of the JSON array `["doorlock audit 1", <company's id>, position, id, at, actor.kind, actor.id, actor.name, address, user_agent, action, resource.kind, resource.id, resource.name, <details as JSON text>, previous_hash]` with `", "` between its elements. If you keep the position and hash of an event elsewhere, you can later prove that no event before it was changed or removed.
   *
   * For signed-in owners.
   *
   * `GET /api/audit-events`
   */
  list(query?: AuditEventsListQuery, options?: CallOptions): PagedCall<{
    events: Array<AuditEvent>
    /** The `cursor` of the next page; null on the last page. */
    next_cursor: string | null
  }, AuditEvent, ErrorCodes["auditEvents.list"]>
}

export const auditEvents: (connection: Connection) => AuditEvents = /* @__PURE__ */ group<AuditEvents>({
  list: "GET /api/audit-events query cursor=events"
})

/**
 * Verification of captcha tokens. Error responses contain `"ok": false`.
 *
 * The built-in proof-of-work captcha, used when no other captcha is configured.
 */
export interface Captcha {
  /**
   * Verify a captcha token.
   *
   * For a rejected token, the response is 200 with `success: false` and the first reason. A token works for one session only, which may verify it again.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `POST /api/kyc/public/sessions/:sessionId/captcha/verify`
   */
  verify(sessionId: string, body: VerifyCaptcha, options?: CallOptions): Call<CaptchaVerified | CaptchaRejected, ErrorCodes["captcha.verify"]>

  /**
   * Get a proof-of-work challenge for a session.
   *
   * Needs no credential.
   *
   * `GET /api/kyc/captcha/challenge`
   */
  challenge(query: CaptchaChallengeQuery, options?: CallOptions): Call<{
    challenge: CaptchaChallenge
  }, ErrorCodes["captcha.challenge"]>

  /**
   * Exchange a solved challenge for a captcha token.
   *
   * Needs no credential.
   *
   * `POST /api/kyc/captcha/redeem`
   */
  redeem(body: RedeemCaptcha, options?: CallOptions): Call<{
    /** The captcha token, to verify for the session. */
    token: string
  }, ErrorCodes["captcha.redeem"]>
}

export const captcha: (connection: Connection) => Captcha = /* @__PURE__ */ group<Captcha>({
  verify: "POST /api/kyc/public/sessions/:sessionId/captcha/verify body",
  challenge: "GET /api/kyc/captcha/challenge query",
  redeem: "POST /api/kyc/captcha/redeem body"
})

/** APIs that companies publish. Call them through the gateway with a subscription's key. */
export interface Catalog {
  /**
   * List the published APIs, most recently published first.
   *
   * Needs no credential.
   *
   * `GET /api/api-marketplace/apis`
   */
  list(query?: CatalogListQuery, options?: CallOptions): PagedCall<{
    apis: Array<ListedApi>
    /** The number of published APIs on all pages. */
    total: number
    /** The `limit` of the request. */
    limit: number
    /** The `offset` of the request. */
    offset: number
  }, ListedApi, ErrorCodes["catalog.list"]>

  /**
   * Get one OpenAPI document for all published APIs.
   *
   * Servers, paths and security are those of the gateway. Supports `ETag` and `If-None-Match`. A version without a document appears only as a tag. The response contains at most 4 MiB per publisher, newest versions first, and 16 MiB in total, oldest publishers first; `x-doorlock-omitted` names the omitted versions and the reason for each.
   *
   * Needs no credential.
   *
   * `GET /api/api-marketplace/openapi.json`
   */
  openapiOfAll(options?: CallOptions): Call<JsonObject, ErrorCodes["catalog.openapiOfAll"]>

  /**
   * Read a published API.
   *
   * Needs no credential.
   *
   * `GET /api/api-marketplace/apis/:apiId`
   */
  get(apiId: string, options?: CallOptions): Call<{
    api: ListedApi
  }, ErrorCodes["catalog.get"]>

  /**
   * Get the OpenAPI document of a published API, with all its versions.
   *
   * Servers, paths and security are those of the gateway. Supports `ETag` and `If-None-Match`. A version without a document appears only as a tag. The response contains at most 4 MiB per publisher, newest versions first, and 16 MiB in total, oldest publishers first; `x-doorlock-omitted` names the omitted versions and the reason for each.
   *
   * Needs no credential.
   *
   * `GET /api/api-marketplace/apis/:apiId/openapi.json`
   */
  openapi(apiId: string, options?: CallOptions): Call<JsonObject, ErrorCodes["catalog.openapi"]>
}

export const catalog: (connection: Connection) => Catalog = /* @__PURE__ */ group<Catalog>({
  list: "GET /api/api-marketplace/apis query offset=apis",
  openapiOfAll: "GET /api/api-marketplace/openapi.json",
  get: "GET /api/api-marketplace/apis/:apiId",
  openapi: "GET /api/api-marketplace/apis/:apiId/openapi.json"
})

/** What happened to the company's sessions, keys, subscriptions and APIs. An event is committed together with the change, or not at all. Its data has ids and a status, but no personal data. */
export interface Events {
  /**
   * Read the event feed.
   *
   * A client that reads to the end and later continues with `next_cursor` misses no event. Events are stored for 30 days; an older cursor gets 410.
   *
   * For platform API keys with the scope `events:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/events`
   */
  list(query?: EventsListQuery, options?: CallOptions): PagedCall<{
    events: Array<Event>
    /** Continues after this page. Store it, and use it again after the last event. */
    next_cursor: string
    /** Whether more events can be read now. */
    has_more: boolean
  }, Event, ErrorCodes["events.list"]>

  /**
   * Read one event.
   *
   * For platform API keys with the scope `events:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/events/:id`
   */
  get(id: string, options?: CallOptions): Call<{
    event: Event
  }, ErrorCodes["events.get"]>
}

export const events: (connection: Connection) => Events = /* @__PURE__ */ group<Events>({
  list: "GET /api/events query after=events",
  get: "GET /api/events/:id"
})

/** How many sessions are created and completed, how long they take, and where people stop. */
export interface Figures {
  /**
   * Read recent figures, and what needs attention.
   *
   * Days are in UTC. A session counts on the day on which it was created, and on the day on which it was completed, failed, was cancelled or expired. The figures are a second or so old, those of expired sessions a minute. Sessions of mode `dev` are not counted.
   *
   * For signed-in viewers, members and owners.
   *
   * `GET /api/kyc/overview`
   */
  overview(query?: FiguresOverviewQuery, options?: CallOptions): Call<Overview, ErrorCodes["figures.overview"]>

  /**
   * Read the funnel of an instance: at which steps end users stop.
   *
   * Looks at the newest 5,000 sessions that were created in the period. Sessions of mode `dev` and resubmissions, which ask for some steps only, are not counted. A step that a rule skips counts as one to which a session came, unless it answered a later one. The steps are those of the instance's current workflow; answers to steps that it no longer has are left out.
   *
   * For platform API keys with the scope `kyc:sessions:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/kyc/instances/:id/funnel`
   */
  funnel(id: string, query?: FiguresFunnelQuery, options?: CallOptions): Call<{
    funnel: KycFunnel
  }, ErrorCodes["figures.funnel"]>
}

export const figures: (connection: Connection) => Figures = /* @__PURE__ */ group<Figures>({
  overview: "GET /api/kyc/overview query",
  funnel: "GET /api/kyc/instances/:id/funnel query"
})

/** Files that end users uploaded, for a platform key with the scope kyc:files:read or a dashboard session. They can be read even after the session has expired. */
export interface Files {
  /**
   * List a session's files, oldest first.
   *
   * If the session asks for some steps again, the list also has the files of the answers that it took over from earlier sessions.
   *
   * For platform API keys with the scope `kyc:files:read`, and for every signed-in user. With `original=true`: for platform API keys with the scope `kyc:files:original`, and for signed-in members and owners.
   *
   * `GET /api/kyc/sessions/:id/files`
   */
  list(id: string, options?: CallOptions): Call<{
    files: Array<ListedKycFile>
  }, ErrorCodes["files.list"]>

  /**
   * Download a file.
   *
   * The file, as an attachment named by its id, with a `Content-Security-Policy` that lets no script run; `ETag` is the SHA-256 of the content sent. An image is sent as a re-encoded copy: upright, and without the metadata that cameras write, such as the location. A copy has at most 20 MiB and is scaled down if necessary; the copy of a WebP of more than 16 megapixels is always scaled down. `original=true` sends the file byte for byte as uploaded, which `size` and `sha256` in the list describe. It requires the scope `kyc:files:original`, or the role owner or member. End users control the content of a file: treat it as hostile. doorlock never reads a PDF, which may contain scripts and attached files.
   *
   * For platform API keys with the scope `kyc:files:read`, and for every signed-in user. With `original=true`: for platform API keys with the scope `kyc:files:original`, and for signed-in members and owners.
   *
   * `GET /api/kyc/sessions/:id/files/:fileId`
   */
  download(id: string, fileId: string, query?: FilesDownloadQuery, options?: CallOptions): Call<Response, ErrorCodes["files.download"]>
}

export const files: (connection: Connection) => Files = /* @__PURE__ */ group<Files>({
  list: "GET /api/kyc/sessions/:id/files",
  download: "GET /api/kyc/sessions/:id/files/:fileId query raw"
})

/**
 * Continue a session on another device: the routes of the first device, which has the session's token.
 *
 * Continue a session on another device: the routes of the second device, which has the link's secret.
 */
export interface Handoffs {
  /**
   * Start a handoff to another device.
   *
   * The link works for ten minutes. A new link replaces the previous one. A session may have at most 20 handoffs.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `POST /api/kyc/public/sessions/:sessionId/handoffs`
   */
  create(sessionId: string, body: CreateKycHandoff, options?: CallOptions): Call<{
    handoff: KycHandoff
    /** The link for the second device. It is returned only once. */
    url: string
  }, ErrorCodes["handoffs.create"]>

  /**
   * Read the status of a handoff.
   *
   * Once the handoff is claimed, the response has the code to show and the kind of device. Poll every two seconds.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `GET /api/kyc/public/sessions/:sessionId/handoffs/:handoffId`
   */
  get(sessionId: string, handoffId: string, query: HandoffsGetQuery, options?: CallOptions): Call<{
    handoff: FollowedKycHandoff
  }, ErrorCodes["handoffs.get"]>

  /**
   * Cancel a handoff that has not been confirmed.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel`
   */
  cancel(sessionId: string, handoffId: string, body: CancelKycHandoff, options?: CallOptions): Call<Ok, ErrorCodes["handoffs.cancel"]>

  /**
   * Inspect a link: read its handoff and session.
   *
   * Changes nothing. It is a POST so that the secret is in no URL. The response contains no personal data.
   *
   * For holders of the handoff's link: `secret` in the body is its secret.
   *
   * `POST /api/kyc/public/sessions/:sessionId/handoff-links/inspect`
   */
  inspect(sessionId: string, body: InspectKycHandoff, options?: CallOptions): Call<{
    handoff: KycHandoff
    session: OfferedKycSession
  }, ErrorCodes["handoffs.inspect"]>

  /**
   * Claim a handoff for this device.
   *
   * Only the first device can claim a handoff. The same device, identified by its `receipt`, may claim it again.
   *
   * For holders of the handoff's link: `secret` in the body is its secret.
   *
   * `POST /api/kyc/public/sessions/:sessionId/handoff-links/claim`
   */
  claim(sessionId: string, body: ClaimKycHandoff, options?: CallOptions): Call<{
    handoff: KycHandoff
  }, ErrorCodes["handoffs.claim"]>

  /**
   * Confirm a handoff: take over the session with the code that the first device shows.
   *
   * There is only one attempt: a wrong code ends the handoff.
   *
   * For holders of the handoff's link: `secret` in the body is its secret.
   *
   * `POST /api/kyc/public/sessions/:sessionId/handoff-links/confirm`
   */
  confirm(sessionId: string, body: ConfirmKycHandoff, options?: CallOptions): Call<{
    handoff: KycHandoff
    /** The session's token. It is returned only once. */
    sessionToken: string
    /** What the first device sent as `carry`; else empty. */
    carry: { [key: string]: unknown }
  }, ErrorCodes["handoffs.confirm"]>
}

export const handoffs: (connection: Connection) => Handoffs = /* @__PURE__ */ group<Handoffs>({
  create: "POST /api/kyc/public/sessions/:sessionId/handoffs body",
  get: "GET /api/kyc/public/sessions/:sessionId/handoffs/:handoffId query",
  cancel: "POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel body",
  inspect: "POST /api/kyc/public/sessions/:sessionId/handoff-links/inspect body",
  claim: "POST /api/kyc/public/sessions/:sessionId/handoff-links/claim body",
  confirm: "POST /api/kyc/public/sessions/:sessionId/handoff-links/confirm body"
})

/**
 * Verification flows of the company: what a session asks for and how its page looks. A config must match the JSON Schema at `/schemas/kyc-config.json`, a workflow the one at `/schemas/kyc-workflow.json`. Both are validated when they are saved; the message of a 400 names the field and the rule.
 *
 * For dashboard users who test an instance. The installation must allow sessions with the mode `dev`.
 */
export interface Instances {
  /**
   * List the company's instances, newest first.
   *
   * For platform API keys that name the scope `kyc:instances:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/kyc/instances`
   */
  list(options?: CallOptions): Call<{
    instances: Array<KycInstance>
  }, ErrorCodes["instances.list"]>

  /**
   * Create an instance.
   *
   * For signed-in members and owners.
   *
   * `POST /api/kyc/instances`
   */
  create(body: CreateKycInstance, options?: CallOptions): Call<{
    instance: KycInstance
  }, ErrorCodes["instances.create"]>

  /**
   * Read an instance.
   *
   * For platform API keys that name the scope `kyc:instances:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/kyc/instances/:id`
   */
  get(id: string, options?: CallOptions): Call<{
    instance: KycInstance
  }, ErrorCodes["instances.get"]>

  /**
   * Change an instance; existing sessions keep their config and workflow.
   *
   * For signed-in members and owners.
   *
   * `PATCH /api/kyc/instances/:id`
   */
  update(id: string, body?: UpdateKycInstance, options?: CallOptions): Call<{
    instance: KycInstance
  }, ErrorCodes["instances.update"]>

  /**
   * Create a test session for an instance.
   *
   * The session expires after one hour. For a disabled instance, the response is 404.
   *
   * For signed-in members and owners.
   *
   * `POST /api/kyc/instances/:id/test-session`
   */
  createTestSession(id: string, options?: CallOptions): Call<{
    session: CreatedKycSession
    /** Where to send the end user. */
    verificationUrl: string
    /** The session's secret token. Only a retry with the same Idempotency-Key returns it again. */
    sessionToken: string
  }, ErrorCodes["instances.createTestSession"]>
}

export const instances: (connection: Connection) => Instances = /* @__PURE__ */ group<Instances>({
  list: "GET /api/kyc/instances",
  create: "POST /api/kyc/instances body",
  get: "GET /api/kyc/instances/:id",
  update: "PATCH /api/kyc/instances/:id body",
  createTestSession: "POST /api/kyc/instances/:id/test-session"
})

/**
 * Open invitations to join the company.
 *
 * For the holder of an invitation's link.
 */
export interface Invitations {
  /**
   * List the open invitations, newest first.
   *
   * For signed-in owners.
   *
   * `GET /api/invitations`
   */
  list(options?: CallOptions): Call<{
    invitations: Array<Invitation>
  }, ErrorCodes["invitations.list"]>

  /**
   * Create an invitation link.
   *
   * The link works once, for seven days, and only while its creator is an owner. A new invitation for the same address replaces it. A 409 means that a user of this company has the address, or that the company has reached its limit; it never reveals users of other companies.
   *
   * For signed-in owners.
   *
   * `POST /api/invitations`
   */
  create(body: Invite, options?: CallOptions): Call<{
    invitation: Invitation
    /** The link to send to the invited person. It is returned only once. */
    url: string
  }, ErrorCodes["invitations.create"]>

  /**
   * Withdraw an invitation; its link stops working at once.
   *
   * For signed-in owners.
   *
   * `POST /api/invitations/:id/withdraw`
   */
  withdraw(id: string, options?: CallOptions): Call<Ok, ErrorCodes["invitations.withdraw"]>

  /**
   * Read an invitation by its link's token.
   *
   * For holders of the invitation's link: `token` in the body is its token.
   *
   * Requests from pages of other sites are refused.
   *
   * `POST /api/auth/invitation`
   */
  open(body: OpenInvitationByToken, options?: CallOptions): Call<{
    invitation: OpenInvitation
  }, ErrorCodes["invitations.open"]>

  /**
   * Accept an invitation, and sign in.
   *
   * The new user signs in with the invited address. If that address already has an account (409), they may send another one as `email`; otherwise `email` is ignored.
   *
   * For holders of the invitation's link: `token` in the body is its token.
   *
   * Requests from pages of other sites are refused.
   *
   * `POST /api/auth/invitation/accept`
   */
  accept(body: AcceptInvitation, options?: CallOptions): Call<{
    ok: true
    user: User
    company: Company
  }, ErrorCodes["invitations.accept"]>
}

export const invitations: (connection: Connection) => Invitations = /* @__PURE__ */ group<Invitations>({
  list: "GET /api/invitations",
  create: "POST /api/invitations body",
  withdraw: "POST /api/invitations/:id/withdraw",
  open: "POST /api/auth/invitation body",
  accept: "POST /api/auth/invitation/accept body"
})

/** Keys for the company's servers to call an API through the gateway. */
export interface MarketplaceKeys {
  /**
   * List a subscription's keys, newest first.
   *
   * All keys that have neither expired nor been revoked, and the newest 100 of the others.
   *
   * For signed-in viewers, members and owners.
   *
   * `GET /api/api-marketplace/subscriptions/:id/keys`
   */
  list(id: string, options?: CallOptions): Call<{
    apiKeys: Array<MarketplaceKey>
  }, ErrorCodes["marketplaceKeys.list"]>

  /**
   * Create a key; only this response contains its token.
   *
   * Calls with `dk_live_` keys go to the API's upstream, calls with `dk_test_` keys to its sandbox if it has one.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/subscriptions/:id/keys`
   */
  create(id: string, body: CreateMarketplaceKey, options?: CallOptions): Call<{
    apiKey: MarketplaceKey
    /** The key's secret token. It is returned only once. */
    token: string
  }, ErrorCodes["marketplaceKeys.create"]>

  /**
   * Revoke a key, permanently and at once.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/keys/:id/revoke`
   */
  revoke(id: string, options?: CallOptions): Call<Ok, ErrorCodes["marketplaceKeys.revoke"]>

  /**
   * Replace a key with a new one; the old one keeps working for a while.
   *
   * The new key has the name and mode of the old one, and expires no later than the old one would have. The old key expires after `graceSeconds` (at once if 0), and never later than without rotation.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/keys/:id/rotate`
   */
  rotate(id: string, body?: RotateMarketplaceKey, options?: CallOptions): Call<{
    apiKey: MarketplaceKey
    /** The key's secret token. It is returned only once. */
    token: string
  }, ErrorCodes["marketplaceKeys.rotate"]>
}

export const marketplaceKeys: (connection: Connection) => MarketplaceKeys = /* @__PURE__ */ group<MarketplaceKeys>({
  list: "GET /api/api-marketplace/subscriptions/:id/keys",
  create: "POST /api/api-marketplace/subscriptions/:id/keys body",
  revoke: "POST /api/api-marketplace/keys/:id/revoke",
  rotate: "POST /api/api-marketplace/keys/:id/rotate body"
})

/** The company's users. Owners can do everything. Members can do everything except manage users and invitations and read the audit trail. Reviewers see KYC sessions, decide on them, and can get the link of a session that a resubmission made; otherwise they see only their own account. Viewers can only read. */
export interface Members {
  /**
   * List the company's users, in the order in which they joined.
   *
   * For signed-in viewers, members and owners.
   *
   * `GET /api/members`
   */
  list(options?: CallOptions): Call<{
    members: Array<Member>
  }, ErrorCodes["members.list"]>

  /**
   * Change a user's role, effective from their next request.
   *
   * For signed-in owners.
   *
   * `PATCH /api/members/:id`
   */
  changeRole(id: string, body: ChangeRole, options?: CallOptions): Call<{
    member: Member
  }, ErrorCodes["members.changeRole"]>

  /**
   * Remove a user, end their sessions and withdraw their invitations; the company's keys stay valid.
   *
   * For signed-in owners.
   *
   * `POST /api/members/:id/remove`
   */
  remove(id: string, options?: CallOptions): Call<Ok, ErrorCodes["members.remove"]>
}

export const members: (connection: Connection) => Members = /* @__PURE__ */ group<Members>({
  list: "GET /api/members",
  changeRole: "PATCH /api/members/:id body",
  remove: "POST /api/members/:id/remove"
})

/** For operators of the service. */
export interface Operations {
  /**
   * Liveness check.
   *
   * Needs no credential.
   *
   * `GET /healthz`
   */
  health(options?: CallOptions): Call<Ok>

  /**
   * Readiness check.
   *
   * Needs no credential.
   *
   * `GET /readyz`
   */
  ready(options?: CallOptions): Call<Readiness, ErrorCodes["operations.ready"]>

  /**
   * Metrics for Prometheus.
   *
   * In the Prometheus text format, version 0.0.4, for all processes that share the port. If `METRICS_TOKEN` is set, send it as `Authorization: Bearer`; otherwise connect directly, without a proxy, from this machine or a private network. Any other request gets a 404.
   *
   * For callers that present `METRICS_TOKEN` as `Authorization: Bearer`; if it is not set, for this machine and private networks.
   *
   * `GET /metrics`
   */
  metrics(options?: CallOptions): Call<Response>
}

export const operations: (connection: Connection) => Operations = /* @__PURE__ */ group<Operations>({
  health: "GET /healthz",
  ready: "GET /readyz",
  metrics: "GET /metrics raw"
})

/** Routes for publishers: APIs, versions, upstreams and plans. */
export interface Publishing {
  /**
   * Create an API as a draft.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/apis`
   */
  createApi(body: CreateApi, options?: CallOptions): Call<{
    api: NewApi
  }, ErrorCodes["publishing.createApi"]>

  /**
   * Change an API's name and description.
   *
   * Omitted fields stay as they are. The slug cannot be changed, because it is part of the API's URLs.
   *
   * For signed-in members and owners.
   *
   * `PATCH /api/api-marketplace/apis/:apiId`
   */
  updateApi(apiId: string, body?: ChangeApi, options?: CallOptions): Call<{
    api: OwnApi
  }, ErrorCodes["publishing.updateApi"]>

  /**
   * Become a publisher.
   *
   * The gateway paths of its APIs begin with its slug. A slug is refused if it resembles a well-known brand, a role of this service such as `admin`, or another publisher's slug.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/publishers`
   */
  becomePublisher(body: BecomePublisher, options?: CallOptions): Call<{
    publisher: Publisher
  }, ErrorCodes["publishing.becomePublisher"]>

  /**
   * Read the company's publisher.
   *
   * For signed-in viewers, members and owners.
   *
   * `GET /api/api-marketplace/publisher`
   */
  getPublisher(options?: CallOptions): Call<{
    publisher: Publisher
  }, ErrorCodes["publishing.getPublisher"]>

  /**
   * List the company's own APIs, newest first, with drafts and upstreams.
   *
   * For signed-in viewers, members and owners.
   *
   * `GET /api/api-marketplace/publisher/apis`
   */
  listApis(options?: CallOptions): Call<{
    apis: Array<OwnApi>
  }, ErrorCodes["publishing.listApis"]>

  /**
   * Add a version; it cannot be changed later.
   *
   * The gateway forwards `<gateway>/<publisher>/<api>/v/<version>/<rest>` to `<upstreamUrl>/<rest>`, and a call with a test key to `<sandboxUpstreamUrl>/<rest>`. `openapi` is an OpenAPI 3.0 or 3.1 document without references to other documents. Its paths are relative to `upstreamUrl`; if the path of its first server extends that of `upstreamUrl`, the extra part is prepended to them. The published copy has the gateway's addresses, security and errors instead of the upstream's.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/apis/:apiId/versions`
   */
  createVersion(apiId: string, body: CreateApiVersion, options?: CallOptions): Call<{
    version: ApiVersion
  }, ErrorCodes["publishing.createVersion"]>

  /**
   * Add a plan; it cannot be changed later.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/apis/:apiId/plans`
   */
  createPlan(apiId: string, body: CreateApiPlan, options?: CallOptions): Call<{
    plan: ApiPlan
  }, ErrorCodes["publishing.createPlan"]>

  /**
   * Publish an API, in the catalog and on the gateway.
   *
   * Fails with 409 while the API's `taken_down` is not null: the operator has taken it down and must allow it again first.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/apis/:apiId/publish`
   */
  publish(apiId: string, options?: CallOptions): Call<Ok, ErrorCodes["publishing.publish"]>

  /**
   * Unpublish an API; its subscriptions stay, but the gateway refuses calls until it is published again.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/apis/:apiId/unpublish`
   */
  unpublish(apiId: string, options?: CallOptions): Call<Ok, ErrorCodes["publishing.unpublish"]>
}

export const publishing: (connection: Connection) => Publishing = /* @__PURE__ */ group<Publishing>({
  createApi: "POST /api/api-marketplace/apis body",
  updateApi: "PATCH /api/api-marketplace/apis/:apiId body",
  becomePublisher: "POST /api/api-marketplace/publishers body",
  getPublisher: "GET /api/api-marketplace/publisher",
  listApis: "GET /api/api-marketplace/publisher/apis",
  createVersion: "POST /api/api-marketplace/apis/:apiId/versions body",
  createPlan: "POST /api/api-marketplace/apis/:apiId/plans body",
  publish: "POST /api/api-marketplace/apis/:apiId/publish",
  unpublish: "POST /api/api-marketplace/apis/:apiId/unpublish"
})

/**
 * Proof for the end user: who asked for their data and why, which kinds of data they handed over, and how long it is kept.
 *
 * The public keys that verify receipts, including keys that no longer sign.
 */
export interface Receipts {
  /**
   * Get the receipt of a finished session.
   *
   * A compact JWS (RFC 7515), signed with ed25519 by a key of `/.well-known/doorlock-receipts.json`. Its payload is JSON and contains none of the data that were handed over. `bun cli receipt verify` and the page `/receipt` check it.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `POST /api/kyc/public/sessions/:sessionId/receipt`
   */
  issue(sessionId: string, body: IssueKycReceipt, options?: CallOptions): Call<{
    /** A compact JWS: three base64url parts, joined by dots. */
    receipt: string
  }, ErrorCodes["receipts.issue"]>

  /**
   * List the public keys of receipts, as a JWK set (RFC 7517).
   *
   * Needs no credential.
   *
   * `GET /.well-known/doorlock-receipts.json`
   */
  keys(options?: CallOptions): Call<{
    keys: Array<ReceiptKey>
  }, ErrorCodes["receipts.keys"]>
}

export const receipts: (connection: Connection) => Receipts = /* @__PURE__ */ group<Receipts>({
  issue: "POST /api/kyc/public/sessions/:sessionId/receipt body",
  keys: "GET /.well-known/doorlock-receipts.json"
})

/** What the company decides on its completed sessions, and its notes about them. The sessions of an instance are reviewed if the review mode in its config is `manual`. */
export interface Reviews {
  /**
   * List reviews: by default those that wait for a decision, longest waiting first.
   *
   * With `status=decided`: the latest decision first. `next_cursor` is null on the last page.
   *
   * For platform API keys with the scope `kyc:reviews:read`, and for every signed-in user.
   *
   * `GET /api/kyc/reviews`
   */
  list(query?: ReviewsListQuery, options?: CallOptions): PagedCall<{
    reviews: Array<KycReviewDetails>
    /** The `cursor` of the next page; null on the last page. */
    next_cursor: string | null
  }, KycReviewDetails, ErrorCodes["reviews.list"]>

  /**
   * List the choices for filters: the company's instances and reviewers.
   *
   * For platform API keys with the scope `kyc:reviews:read`, and for every signed-in user.
   *
   * `GET /api/kyc/reviews/choices`
   */
  choices(options?: CallOptions): Call<KycReviewChoices, ErrorCodes["reviews.choices"]>

  /**
   * Read the review of a session, and what a decision may name.
   *
   * `review` is null if the session is not completed or its instance has no review.
   *
   * For platform API keys with the scope `kyc:reviews:read`, and for every signed-in user.
   *
   * `GET /api/kyc/sessions/:id/review`
   */
  get(id: string, options?: CallOptions): Call<{
    /** Null unless the session is completed and its instance has a review. */
    review: KycReviewDetails | null
    options: KycReviewOptions
  }, ErrorCodes["reviews.get"]>

  /**
   * Decide on a completed session.
   *
   * A decision is final; if two arrive at once, one wins. With four eyes, the first decision is a proposal: the same one by another person is final, and a different one replaces it. A platform key counts as the user who created it; a key that the operator created cannot confirm or replace, and no key can confirm the proposal of a key. `resubmission` creates a session that asks only for `steps` and takes over all other answers; send the end user to `verificationUrl`. A claim keeps other users from deciding, but not platform keys.
   *
   * For platform API keys with the scope `kyc:reviews:write`, and for signed-in reviewers, members and owners.
   *
   * `POST /api/kyc/sessions/:id/review`
   */
  decide(id: string, body: DecideKycReview, options?: CallOptions): Call<{
    review: KycReviewDetails
    /** After a decided resubmission: where to send the end user. It is returned only once; `POST /api/kyc/sessions/:id/review/link` creates another one. */
    verificationUrl?: string
  }, ErrorCodes["reviews.decide"]>

  /**
   * Claim a session for 15 minutes, or renew your own claim.
   *
   * Until the claim ends, no other user can decide on the session. If another user has claimed it, the response is 409, with their id in the header `doorlock-reviewer`.
   *
   * For signed-in reviewers, members and owners.
   *
   * `POST /api/kyc/sessions/:id/review/claim`
   */
  claim(id: string, options?: CallOptions): Call<{
    review: KycReviewDetails
  }, ErrorCodes["reviews.claim"]>

  /**
   * Release your claim.
   *
   * For signed-in reviewers, members and owners.
   *
   * `POST /api/kyc/sessions/:id/review/release`
   */
  release(id: string, options?: CallOptions): Call<{
    review: KycReviewDetails
  }, ErrorCodes["reviews.release"]>

  /**
   * Get a new link for a resubmission.
   *
   * The response to a decision has the link only once; this creates another. The previous link stops working at once, an open handoff ends, and the lifetime starts anew, even if the new session has expired. `session` is the new one.
   *
   * For platform API keys with the scope `kyc:reviews:write`, and for signed-in reviewers, members and owners.
   *
   * `POST /api/kyc/sessions/:id/review/link`
   */
  renewLink(id: string, body?: RenewKycResubmissionLink, options?: CallOptions): Call<{
    session: KycSessionOverview
    /** Where to send the end user. It is returned only once. */
    verificationUrl: string
  }, ErrorCodes["reviews.renewLink"]>

  /**
   * List the notes about a session, oldest first.
   *
   * For platform API keys with the scope `kyc:reviews:read`, and for every signed-in user.
   *
   * `GET /api/kyc/sessions/:id/notes`
   */
  listNotes(id: string, options?: CallOptions): Call<{
    notes: Array<KycSessionNote>
  }, ErrorCodes["reviews.listNotes"]>

  /**
   * Add a note to a session.
   *
   * Notes cannot be changed. They are removed only with the session's personal data. The end user never sees them. A session may have 1000, besides those of decisions.
   *
   * For signed-in reviewers, members and owners.
   *
   * `POST /api/kyc/sessions/:id/notes`
   */
  addNote(id: string, body: AddKycSessionNote, options?: CallOptions): Call<{
    note: KycSessionNote
  }, ErrorCodes["reviews.addNote"]>
}

export const reviews: (connection: Connection) => Reviews = /* @__PURE__ */ group<Reviews>({
  list: "GET /api/kyc/reviews query cursor=reviews",
  choices: "GET /api/kyc/reviews/choices",
  get: "GET /api/kyc/sessions/:id/review",
  decide: "POST /api/kyc/sessions/:id/review body",
  claim: "POST /api/kyc/sessions/:id/review/claim",
  release: "POST /api/kyc/sessions/:id/review/release",
  renewLink: "POST /api/kyc/sessions/:id/review/link body",
  listNotes: "GET /api/kyc/sessions/:id/notes",
  addNote: "POST /api/kyc/sessions/:id/notes body"
})

/**
 * The partner's server creates a session and sends the end user to its `verificationUrl`.
 *
 * A company's sessions, with what the server itself recorded about them. They can be read even after they have expired.
 *
 * Cancels or resumes a session that is not finished. The responses contain nothing that the end user entered.
 *
 * What happened in a session and when, for a platform key with the scope kyc:sessions:read or a dashboard session. It can be read even after the session has expired.
 *
 * The sessions in which the same document or person was seen, for a platform key with the scope kyc:sessions:read or a dashboard session.
 *
 * Everything that is stored about the person in a session, to hand over to them.
 *
 * Destroys the personal data of a session.
 */
export interface Sessions {
  /**
   * Create a session.
   *
   * With an `Idempotency-Key` it is safe to retry: for 24 hours, the same key and body from the same company return the same session and token.
   *
   * For platform API keys with the scope `kyc:sessions:create`.
   *
   * `POST /api/kyc/public/sessions`
   */
  create(body: CreateKycSession, options?: IdempotentOptions): Call<{
    session: CreatedKycSession
    /** Where to send the end user. */
    verificationUrl: string
    /** The session's secret token. Only a retry with the same Idempotency-Key returns it again. */
    sessionToken: string
  }, ErrorCodes["sessions.create"]>

  /**
   * List the company's sessions, newest first.
   *
   * `next_cursor` is null on the last page, and only there: a page may have fewer sessions than `limit`, or none, if they are large or if few match the filters. A session has expired if its `expires_at` passed before it was finished; its `status` stays `created` or `running`. `expired=true` lists only expired sessions, `expired=false` all others. The config and the workflow of each session come only if `include` asks for them.
   *
   * For platform API keys with the scope `kyc:sessions:read`, and for every signed-in user.
   *
   * `GET /api/kyc/sessions`
   */
  list(query?: SessionsListQuery, options?: CallOptions): PagedCall<{
    sessions: Array<ListedKycSession>
    /** The `cursor` of the next page; null on the last page. */
    next_cursor: string | null
  }, ListedKycSession, ErrorCodes["sessions.list"]>

  /**
   * Download sessions as CSV.
   *
   * All sessions that match, in the order of the list and without personal data. The text is UTF-8, and its first line has the names of the columns. All values are in quotes. What a spreadsheet would take for a formula, as a value or as a part of one, begins with an apostrophe.
   *
   * For platform API keys with the scope `kyc:sessions:read`, and for every signed-in user.
   *
   * `GET /api/kyc/sessions.csv`
   */
  csv(query?: SessionsCsvQuery, options?: CallOptions): Call<Response, ErrorCodes["sessions.csv"]>

  /**
   * Read a session.
   *
   * For platform API keys with the scope `kyc:sessions:read`, and for every signed-in user.
   *
   * `GET /api/kyc/sessions/:id`
   */
  get(id: string, options?: CallOptions): Call<{
    session: CheckedKycSession
  }, ErrorCodes["sessions.get"]>

  /**
   * Cancel an unfinished session.
   *
   * Also cancels a session that has expired. The hosted page tells the end user at the next step that the verification was cancelled.
   *
   * For platform API keys with the scope `kyc:sessions:write`, and for signed-in members and owners.
   *
   * `POST /api/kyc/sessions/:id/cancel`
   */
  cancel(id: string, options?: CallOptions): Call<{
    session: KycSessionOverview
  }, ErrorCodes["sessions.cancel"]>

  /**
   * Get a new link for an unfinished session.
   *
   * The end user continues where they stopped. The previous link and token stop working at once, and an open handoff ends. With `expiresInSeconds` the session's lifetime starts anew, even if it has expired. Without it `expires_at` stays as it is, and an expired session is 410.
   *
   * For platform API keys with the scope `kyc:sessions:write`, and for signed-in members and owners.
   *
   * `POST /api/kyc/sessions/:id/resume`
   */
  resume(id: string, body?: ResumeKycSession, options?: CallOptions): Call<KycSessionResumed, ErrorCodes["sessions.resume"]>

  /**
   * Read the timeline of a session: its events, oldest first.
   *
   * Only what the server itself has observed. The last event of an unfinished session is its expiry, past or future.
   *
   * For platform API keys with the scope `kyc:sessions:read`, and for every signed-in user.
   *
   * `GET /api/kyc/sessions/:id/timeline`
   */
  timeline(id: string, options?: CallOptions): Call<{
    events: Array<KycTimelineEvent>
  }, ErrorCodes["sessions.timeline"]>

  /**
   * List matching sessions: those with the same document or person, newest first.
   *
   * Sessions that checked one of the key hashes that this session checked, or begin with such a check of the session that they resubmit, besides those that resubmit this one, or that it resubmits; at most the 20 newest.
   *
   * For platform API keys with the scope `kyc:sessions:read`, and for every signed-in user.
   *
   * `GET /api/kyc/sessions/:id/matches`
   */
  matches(id: string, options?: CallOptions): Call<{
    matches: Array<DedupMatch>
  }, ErrorCodes["sessions.matches"]>

  /**
   * Export a session as a ZIP.
   *
   * Everything that is stored about the person, readable without doorlock: `session.json`, `consents.json`, `timeline.json`, `checks.json`, `readings.json`, `review.json`, `notes.json` and `files.json`; the uploaded files below `files/`, and the copies of images without metadata below `copies/`. `README.txt` explains them. `missing.json`, the last entry, lists files that could not be read (`not found`, `incomplete`) or whose content is no longer what was received (`changed`); it is `[]` if there are none. The archive is built while it is sent, so its length is not known in advance, and an archive without `missing.json` is incomplete. Works after the session has expired. End users control the content of the files: treat it as hostile.
   *
   * For platform API keys with the scope `kyc:sessions:export`, and for signed-in members and owners.
   *
   * `GET /api/kyc/sessions/:id/export`
   */
  export(id: string, options?: CallOptions): Call<Response, ErrorCodes["sessions.export"]>

  /**
   * Destroy the personal data of a session.
   *
   * From then on, nobody can read the data, and it cannot be restored: the session's key is destroyed, and its files are deleted at once, or as soon as the file store is reachable. What stays: that there was a session, when, how it ended, and `external_reference`. A session that is still open ends as `cancelled`. A second call changes nothing. docs/privacy.md says what this means for backups.
   *
   * For platform API keys with the scope `kyc:sessions:redact`, and for signed-in owners.
   *
   * `POST /api/kyc/sessions/:id/redact`
   */
  redact(id: string, options?: CallOptions): Call<Ok, ErrorCodes["sessions.redact"]>
}

export const sessions: (connection: Connection) => Sessions = /* @__PURE__ */ group<Sessions>({
  create: "POST /api/kyc/public/sessions body idempotent",
  list: "GET /api/kyc/sessions query cursor=sessions",
  csv: "GET /api/kyc/sessions.csv query raw",
  get: "GET /api/kyc/sessions/:id",
  cancel: "POST /api/kyc/sessions/:id/cancel",
  resume: "POST /api/kyc/sessions/:id/resume body",
  timeline: "GET /api/kyc/sessions/:id/timeline",
  matches: "GET /api/kyc/sessions/:id/matches",
  export: "GET /api/kyc/sessions/:id/export raw",
  redact: "POST /api/kyc/sessions/:id/redact"
})

/** The company's rights to call published APIs, each under a plan. */
export interface Subscriptions {
  /**
   * Subscribe to an API: choose a plan, and get a first key.
   *
   * Safe to retry: for 24 hours, the same request with the same Idempotency-Key returns the same response with the same token, even if the first response was lost. Errors are not stored. A company has at most one active subscription to an API, and may subscribe to its own APIs.
   *
   * For platform API keys that name the scope `marketplace:subscriptions:create`, and for signed-in members and owners.
   *
   * `POST /api/api-marketplace/apis/:apiId/subscribe`
   */
  create(apiId: string, body: Subscribe, options?: IdempotentOptions): Call<{
    subscription: NewSubscription
    apiKey: MarketplaceKey
    /** The first key's secret token. Only a retry with the same Idempotency-Key returns it again. */
    token: string
  }, ErrorCodes["subscriptions.create"]>

  /**
   * List the company's subscriptions, newest first.
   *
   * All active subscriptions, and the newest 100 cancelled ones. Older ones can still be read by id.
   *
   * For platform API keys that name the scope `marketplace:subscriptions:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/api-marketplace/subscriptions`
   */
  list(options?: CallOptions): Call<{
    subscriptions: Array<Subscription>
  }, ErrorCodes["subscriptions.list"]>

  /**
   * Read a subscription.
   *
   * For platform API keys that name the scope `marketplace:subscriptions:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/api-marketplace/subscriptions/:id`
   */
  get(id: string, options?: CallOptions): Call<{
    subscription: Subscription
  }, ErrorCodes["subscriptions.get"]>

  /**
   * Cancel a subscription, permanently and at once.
   *
   * Its keys stop working. The company's calls to the API in this minute and month still count if it subscribes again.
   *
   * For signed-in members and owners.
   *
   * `POST /api/api-marketplace/subscriptions/:id/cancel`
   */
  cancel(id: string, options?: CallOptions): Call<Ok, ErrorCodes["subscriptions.cancel"]>
}

export const subscriptions: (connection: Connection) => Subscriptions = /* @__PURE__ */ group<Subscriptions>({
  create: "POST /api/api-marketplace/apis/:apiId/subscribe body idempotent",
  list: "GET /api/api-marketplace/subscriptions",
  get: "GET /api/api-marketplace/subscriptions/:id",
  cancel: "POST /api/api-marketplace/subscriptions/:id/cancel"
})

/** The counts of calls through the gateway, and how many of them are billed. */
export interface Usage {
  /**
   * Read the usage of a subscription, as its subscriber.
   *
   * The current month by default; at most 366 days.
   *
   * A call is counted once its subscription is known, under the day when it arrived (UTC) and its outcome:
   *
   * | outcome | the response | billed |
   * | --- | --- | --- |
   * | `2xx` | the upstream's | yes |
   * | `3xx` | the upstream's | yes |
   * | `4xx` | the upstream's, except 401, 403 and 429 | yes |
   * | `5xx` | the upstream's own | yes |
   * | `denied` | the upstream's 401, 403 or 429 | no |
   * | `client_closed` | none: the client disconnected after the gateway had started sending the request to the upstream | yes |
   * | `gateway_error` | the gateway's: the upstream's response was missing or invalid, or the gateway did not send the request | no |
   * | `rate_limited` | 429 `Rate limit exceeded` | no |
   * | `quota_exceeded` | 429 `Monthly quota exceeded` | no |
   *
   * Calls with test keys are included in `calls` and `outcomes`, never in `billed`. A call counts against the plan if its outcome is
   * one that is billed, whether its key is a live or a test key. The plan's limits apply to all calls of a company to an API, over all its
   * keys and subscriptions, including cancelled ones. Calls to a sandbox are counted separately. Counts appear after about a second. A process
   * that is killed loses the counts that it has not yet written; one that is stopped loses none.
   *
   * For platform API keys that name the scope `usage:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/api-marketplace/subscriptions/:id/usage`
   */
  ofSubscription(id: string, query?: UsageOfSubscriptionQuery, options?: CallOptions): Call<{
    usage: SubscriberUsage
  }, ErrorCodes["usage.ofSubscription"]>

  /**
   * Read the usage of an API, as its publisher.
   *
   * The same counts as the subscribers see, in total and by subscription. A publisher sees only a subscriber's company name and plan.
   *
   * For platform API keys that name the scope `usage:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/api-marketplace/apis/:id/usage`
   */
  ofApi(id: string, query?: UsageOfApiQuery, options?: CallOptions): Call<{
    usage: PublisherUsage
  }, ErrorCodes["usage.ofApi"]>
}

export const usage: (connection: Connection) => Usage = /* @__PURE__ */ group<Usage>({
  ofSubscription: "GET /api/api-marketplace/subscriptions/:id/usage query",
  ofApi: "GET /api/api-marketplace/apis/:id/usage query"
})

/**
 * Routes for the end user's browser. The credential is the session token: `token` in the query of a GET or in the body of a POST.
 *
 * Checks whether the same document or person appeared in another session of the company.
 *
 * Files that the end user's browser uploads in its session.
 *
 * The server reads the photo of a document for a browser that cannot, so that the end user need not type what is written there.
 */
export interface Verification {
  /**
   * Read a session.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `GET /api/kyc/public/sessions/:sessionId`
   */
  get(sessionId: string, query: VerificationGetQuery, options?: CallOptions): Call<{
    session: KycSession
  }, ErrorCodes["verification.get"]>

  /**
   * Save progress: merge it into the session, and set the status.
   *
   * `progress` is merged by its top-level keys: the last write of a key wins, and null is stored as null. The merged progress has at most 64 KiB, measured as Postgres prints jsonb.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `POST /api/kyc/public/sessions/:sessionId/progress`
   */
  saveProgress(sessionId: string, body: UpdateKycProgress, options?: CallOptions): Call<{
    ok: true
    session: {
      id: string
      /** `created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status. */
      status: "created" | "running" | "completed" | "failed" | "cancelled"
      /** When the status first became `running`; null if it never did. */
      started_at: Timestamp | null
      updated_at: Timestamp
    }
  }, ErrorCodes["verification.saveProgress"]>

  /**
   * Finish a session.
   *
   * If the session is already finished, nothing changes, and the response shows how it was finished.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `POST /api/kyc/public/sessions/:sessionId/complete`
   */
  complete(sessionId: string, body: CompleteKycSession, options?: CallOptions): Call<{
    ok: true
    session: {
      id: string
      /** `created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status. */
      status: "created" | "running" | "completed" | "failed" | "cancelled"
    }
    /** Where the browser goes next. */
    redirectUrl: string
  }, ErrorCodes["verification.complete"]>

  /**
   * Check for duplicates: record a key hash, and learn whether another session has it.
   *
   * Compares sessions of the same company and mode. Repeating a check in the same session changes nothing, and a session never matches itself. A session may check at most 20 different hashes, and none once it is redacted.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `POST /api/kyc/public/sessions/:sessionId/dedup-check`
   */
  checkDuplicates(sessionId: string, body: CheckDedup, options?: CallOptions): Call<{
    ok: true
    /** Whether another session has the same key hash. The sessions that this one resubmits, or that resubmit it, do not count. */
    matchFound: boolean
    /** The session that checked this key hash first, which may be this one. */
    firstSessionId: string
    /** The session that checked this key hash last, which may be this one. */
    lastSessionId: string
    /** The number of sessions that checked this key hash, including this one. */
    seenCount: number
    /** When `firstSessionId` checked it. */
    firstSeenAt: Timestamp
    /** When `lastSessionId` checked it. */
    lastSeenAt: Timestamp
  }, ErrorCodes["verification.checkDuplicates"]>

  /**
   * Upload a file, with the session token as bearer token.
   *
   * The body is the file itself. Its first bytes determine its type; the declared type is ignored. `capture.mime` and `capture.maxBytes` of the instance's config limit the type and size: by default JPEG, PNG and PDF of at most 5 MiB, never more than 20 MiB. An image is refused if it cannot be decoded or has more than 67 megapixels. A PDF is stored without being read. A session's images are examined one at a time, in turn with other companies' images. A 503 means that the image waited too long, or that its examination took too much time or memory; `Retry-After` says when to try again. A session may have at most 40 files. After five images whose examination took too much time or memory, a session may upload one every 12 minutes; until then the response is 429 with `Retry-After`. `progress` and `result` refer to a file by its id.
   *
   * For holders of the session's token.
   *
   * `POST /api/kyc/public/sessions/:sessionId/files`
   */
  upload(sessionId: string, file: Blob, options: SessionTokenOptions): Call<{
    file: KycFile
  }, ErrorCodes["verification.upload"]>

  /**
   * Ask the server to read an uploaded photo of a document.
   *
   * Not if `config.checks.photos` of the instance is false. The machine-readable zone or the barcode of a driving licence is read, in turn with the photos of other sessions and companies. The same file again changes nothing. A session may have five photos read.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `POST /api/kyc/public/sessions/:sessionId/files/:fileId/reading`
   */
  startReading(sessionId: string, fileId: string, body: StartKycReading, options?: CallOptions): Call<{
    reading: KycReading
  }, ErrorCodes["verification.startReading"]>

  /**
   * Read what was read in a photo.
   *
   * Poll every second. A photo is read within a minute or not at all: let the end user type meanwhile. What was read is available for an hour.
   *
   * For holders of the session's token: `token` in the query or the body.
   *
   * `GET /api/kyc/public/sessions/:sessionId/files/:fileId/reading`
   */
  getReading(sessionId: string, fileId: string, query: VerificationGetReadingQuery, options?: CallOptions): Call<{
    reading: KycReading
  }, ErrorCodes["verification.getReading"]>
}

export const verification: (connection: Connection) => Verification = /* @__PURE__ */ group<Verification>({
  get: "GET /api/kyc/public/sessions/:sessionId query",
  saveProgress: "POST /api/kyc/public/sessions/:sessionId/progress body",
  complete: "POST /api/kyc/public/sessions/:sessionId/complete body",
  checkDuplicates: "POST /api/kyc/public/sessions/:sessionId/dedup-check body",
  upload: "POST /api/kyc/public/sessions/:sessionId/files file",
  startReading: "POST /api/kyc/public/sessions/:sessionId/files/:fileId/reading body",
  getReading: "GET /api/kyc/public/sessions/:sessionId/files/:fileId/reading query"
})

/** Endpoints to which doorlock sends the company's events by [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0. The bodies are the same as in the feed. Each delivery also has the header `doorlock-sequence`, which numbers the endpoint's deliveries without gaps, and `doorlock-sequence-signature`, which signs that number in place of the body. */
export interface Webhooks {
  /**
   * List the company's endpoints, oldest first.
   *
   * For platform API keys with the scope `webhooks:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/webhook-endpoints`
   */
  list(options?: CallOptions): Call<{
    endpoints: Array<ListedWebhookEndpoint>
  }, ErrorCodes["webhooks.list"]>

  /**
   * Add an endpoint; only this response contains the secret.
   *
   * For platform API keys with the scope `webhooks:write`, and for signed-in members and owners.
   *
   * `POST /api/webhook-endpoints`
   */
  create(body: CreateWebhookEndpoint, options?: CallOptions): Call<{
    endpoint: WebhookEndpoint
    /** With `v1`: the secret (`whsec_`). It is shown here and never again. */
    secret?: string
  }, ErrorCodes["webhooks.create"]>

  /**
   * Change, disable or enable an endpoint.
   *
   * Events for a disabled endpoint are held for 30 days. After it is enabled again, `recover` sends them.
   *
   * For platform API keys with the scope `webhooks:write`, and for signed-in members and owners.
   *
   * `PATCH /api/webhook-endpoints/:id`
   */
  update(id: string, body?: ChangeWebhookEndpoint, options?: CallOptions): Call<{
    endpoint: WebhookEndpoint
  }, ErrorCodes["webhooks.update"]>

  /**
   * Remove an endpoint, and end its waiting deliveries.
   *
   * For platform API keys with the scope `webhooks:write`, and for signed-in members and owners.
   *
   * `POST /api/webhook-endpoints/:id/remove`
   */
  remove(id: string, options?: CallOptions): Call<Ok, ErrorCodes["webhooks.remove"]>

  /**
   * Rotate an endpoint's secret; only this response contains the new one.
   *
   * Until the overlap ends, deliveries are signed with both the old and the new secret. At most five secrets are valid at once; another rotation ends the oldest.
   *
   * For platform API keys with the scope `webhooks:write`, and for signed-in members and owners.
   *
   * `POST /api/webhook-endpoints/:id/secret/rotate`
   */
  rotateSecret(id: string, body?: RotateWebhookSecret, options?: CallOptions): Call<{
    /** With `v1`: the secret (`whsec_`). It is shown here and never again. */
    secret?: string
    /** With `v1a`: the public key (`whpk_`). */
    public_key?: string
  }, ErrorCodes["webhooks.rotateSecret"]>

  /**
   * Send a test event to an endpoint.
   *
   * For platform API keys with the scope `webhooks:write`, and for signed-in members and owners.
   *
   * `POST /api/webhook-endpoints/:id/test`
   */
  test(id: string, options?: CallOptions): Call<{
    delivery: WebhookDelivery
  }, ErrorCodes["webhooks.test"]>

  /**
   * Run a drill: test whether an endpoint refuses forged requests.
   *
   * Sends a correctly signed `webhook.test` event, and then the same event with a wrong signature, with an old timestamp, unchanged, and with an altered body. These requests are not deliveries, so they have no sequence.
   *
   * For platform API keys with the scope `webhooks:write`, and for signed-in members and owners.
   *
   * `POST /api/webhook-endpoints/:id/drill`
   */
  drill(id: string, options?: CallOptions): Call<{
    report: WebhookDrillReport
  }, ErrorCodes["webhooks.drill"]>

  /**
   * Recover deliveries: resend those that failed or were held.
   *
   * Sends again all deliveries since `since` that failed or were held, oldest first, 20 a second. One call recovers at most 100000; another call continues.
   *
   * For platform API keys with the scope `webhooks:write`, and for signed-in members and owners.
   *
   * `POST /api/webhook-endpoints/:id/recover`
   */
  recover(id: string, body: RecoverWebhookDeliveries, options?: CallOptions): Call<{
    /** How many deliveries are sent again. */
    deliveries: number
  }, ErrorCodes["webhooks.recover"]>

  /**
   * List the deliveries of an endpoint, newest first.
   *
   * Deliveries are stored for 30 days.
   *
   * For platform API keys with the scope `webhooks:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/webhook-endpoints/:id/deliveries`
   */
  listDeliveries(id: string, query?: WebhooksListDeliveriesQuery, options?: CallOptions): PagedCall<{
    deliveries: Array<WebhookDelivery>
    /** The `cursor` of the next page; null on the last page. */
    next_cursor: string | null
  }, WebhookDelivery, ErrorCodes["webhooks.listDeliveries"]>

  /**
   * Read a delivery and its attempts.
   *
   * For platform API keys with the scope `webhooks:read`, and for signed-in viewers, members and owners.
   *
   * `GET /api/webhook-deliveries/:id`
   */
  getDelivery(id: string, options?: CallOptions): Call<{
    delivery: WebhookDeliveryDetails
  }, ErrorCodes["webhooks.getDelivery"]>

  /**
   * Send a delivery again at once, whatever its status.
   *
   * The delivery keeps its id, body and sequence number. If the attempt fails, the schedule of retries starts again.
   *
   * For platform API keys with the scope `webhooks:write`, and for signed-in members and owners.
   *
   * `POST /api/webhook-deliveries/:id/retry`
   */
  retryDelivery(id: string, options?: CallOptions): Call<{
    ok: true
  }, ErrorCodes["webhooks.retryDelivery"]>
}

export const webhooks: (connection: Connection) => Webhooks = /* @__PURE__ */ group<Webhooks>({
  list: "GET /api/webhook-endpoints",
  create: "POST /api/webhook-endpoints body",
  update: "PATCH /api/webhook-endpoints/:id body",
  remove: "POST /api/webhook-endpoints/:id/remove",
  rotateSecret: "POST /api/webhook-endpoints/:id/secret/rotate body",
  test: "POST /api/webhook-endpoints/:id/test",
  drill: "POST /api/webhook-endpoints/:id/drill",
  recover: "POST /api/webhook-endpoints/:id/recover body",
  listDeliveries: "GET /api/webhook-endpoints/:id/deliveries query cursor=deliveries",
  getDelivery: "GET /api/webhook-deliveries/:id",
  retryDelivery: "POST /api/webhook-deliveries/:id/retry"
})

/** All groups of routes. */
export interface Client {
  readonly account: Account
  readonly apiKeys: ApiKeys
  readonly auditEvents: AuditEvents
  readonly captcha: Captcha
  readonly catalog: Catalog
  readonly events: Events
  readonly figures: Figures
  readonly files: Files
  readonly handoffs: Handoffs
  readonly instances: Instances
  readonly invitations: Invitations
  readonly marketplaceKeys: MarketplaceKeys
  readonly members: Members
  readonly operations: Operations
  readonly publishing: Publishing
  readonly receipts: Receipts
  readonly reviews: Reviews
  readonly sessions: Sessions
  readonly subscriptions: Subscriptions
  readonly usage: Usage
  readonly verification: Verification
  readonly webhooks: Webhooks
}

/**
 * A client for all routes. It sends nothing yet. A page that uses few routes becomes smaller if it connects only their groups:
 * `sessions(connect(options))`.
 */
export const createClient = (options: ClientOptions): Client => {
  const connection = connect(options)
  return {
    account: account(connection),
    apiKeys: apiKeys(connection),
    auditEvents: auditEvents(connection),
    captcha: captcha(connection),
    catalog: catalog(connection),
    events: events(connection),
    figures: figures(connection),
    files: files(connection),
    handoffs: handoffs(connection),
    instances: instances(connection),
    invitations: invitations(connection),
    marketplaceKeys: marketplaceKeys(connection),
    members: members(connection),
    operations: operations(connection),
    publishing: publishing(connection),
    receipts: receipts(connection),
    reviews: reviews(connection),
    sessions: sessions(connection),
    subscriptions: subscriptions(connection),
    usage: usage(connection),
    verification: verification(connection),
    webhooks: webhooks(connection)
  }
}
