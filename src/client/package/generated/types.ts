// Made from doorlock's contract by `bun run test contract/client -u`. Do not edit.

export interface KycSessionCreatedEvent {
  id: string
  type: "kyc.session.created"
  timestamp: Timestamp
  data: KycSessionEventData
}

export type Timestamp = string

export interface KycSessionEventData {
  /** The id of the resource that changed. */
  id: string
  instance_id: string
  status: "created" | "running" | "completed" | "failed" | "cancelled" | "expired"
  mode: "prod" | "dev"
  external_reference?: string
  /** The path of the resource in the API. */
  url: string
}

export interface KycSessionStartedEvent {
  id: string
  type: "kyc.session.started"
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionCompletedEvent {
  id: string
  type: "kyc.session.completed"
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionFailedEvent {
  id: string
  type: "kyc.session.failed"
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionCancelledEvent {
  id: string
  type: "kyc.session.cancelled"
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionResumedEvent {
  id: string
  type: "kyc.session.resumed"
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionExpiredEvent {
  id: string
  type: "kyc.session.expired"
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionReviewClaimedEvent {
  id: string
  type: "kyc.session.review_claimed"
  timestamp: Timestamp
  data: KycReviewEventData
}

export interface KycReviewEventData {
  /** The id of the resource that changed. */
  id: string
  instance_id: string
  status: "created" | "running" | "completed" | "failed" | "cancelled" | "expired"
  mode: "prod" | "dev"
  external_reference?: string
  /** The path of the resource in the API. */
  url: string
  /** A user's id, or `api` for a platform key. */
  by: string
  /** The status of the review after the change. */
  review: "pending" | "proposed" | "decided"
  /** What was decided or, with four eyes, proposed. */
  decision?: "approved" | "declined" | "resubmission"
  /** The session that a resubmission asked for. */
  next_session_id?: string
}

export interface KycSessionReviewReleasedEvent {
  id: string
  type: "kyc.session.review_released"
  timestamp: Timestamp
  data: KycReviewEventData
}

export interface KycSessionReviewProposedEvent {
  id: string
  type: "kyc.session.review_proposed"
  timestamp: Timestamp
  data: KycReviewEventData
}

export interface KycSessionReviewedEvent {
  id: string
  type: "kyc.session.reviewed"
  timestamp: Timestamp
  data: KycReviewEventData
}

export interface KycSessionNotedEvent {
  id: string
  type: "kyc.session.noted"
  timestamp: Timestamp
  data: KycNoteEventData
}

export interface KycNoteEventData {
  /** The id of the resource that changed. */
  id: string
  instance_id: string
  status: "created" | "running" | "completed" | "failed" | "cancelled" | "expired"
  mode: "prod" | "dev"
  external_reference?: string
  /** The path of the resource in the API. */
  url: string
  /** A user's id, or `api` for a platform key. */
  by: string
}

export interface KycChecksCompletedEvent {
  id: string
  type: "kyc.checks.completed"
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionRedactedEvent {
  id: string
  type: "kyc.session.redacted"
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface ApiKeyCreatedEvent {
  id: string
  type: "api_key.created"
  timestamp: Timestamp
  data: ApiKeyEventData
}

export interface ApiKeyEventData {
  /** The id of the resource that changed. */
  id: string
  status: "active" | "revoked"
  /** The path of the resource in the API. */
  url: string
}

export interface ApiKeyRevokedEvent {
  id: string
  type: "api_key.revoked"
  timestamp: Timestamp
  data: ApiKeyEventData
}

export interface ApiKeyExpiringEvent {
  id: string
  type: "api_key.expiring"
  timestamp: Timestamp
  data: ApiKeyEventData
}

export interface MarketplaceSubscriptionCreatedEvent {
  id: string
  type: "marketplace.subscription.created"
  timestamp: Timestamp
  data: SubscriptionEventData
}

export interface SubscriptionEventData {
  /** The id of the resource that changed. */
  id: string
  api_id: string
  plan_id: string
  status: "active" | "cancelled"
  /** The path of the resource in the API. */
  url: string
}

export interface MarketplaceSubscriptionCancelledEvent {
  id: string
  type: "marketplace.subscription.cancelled"
  timestamp: Timestamp
  data: SubscriptionEventData
}

export interface MarketplaceKeyCreatedEvent {
  id: string
  type: "marketplace.key.created"
  timestamp: Timestamp
  data: MarketplaceKeyEventData
}

export interface MarketplaceKeyEventData {
  /** The id of the resource that changed. */
  id: string
  subscription_id: string
  mode: "live" | "test"
  status: "active" | "replaced" | "revoked"
  /** The path of the resource in the API. */
  url: string
}

export interface MarketplaceKeyRotatedEvent {
  id: string
  type: "marketplace.key.rotated"
  timestamp: Timestamp
  data: MarketplaceKeyEventData
}

export interface MarketplaceKeyRevokedEvent {
  id: string
  type: "marketplace.key.revoked"
  timestamp: Timestamp
  data: MarketplaceKeyEventData
}

export interface MarketplaceQuotaReachedEvent {
  id: string
  type: "marketplace.quota.reached"
  timestamp: Timestamp
  data: QuotaEventData
}

export interface QuotaEventData {
  /** The id of the subscription. */
  id: string
  api_id: string
  plan_id: string
  /** `test`: of the calls that go to a sandbox, which are counted separately. */
  mode: "live" | "test"
  /** How much of the plan's month is used. */
  percent: 80 | 100
  /** The calendar month, UTC. */
  month: string
  /** The path of the resource in the API. */
  url: string
}

export interface MarketplaceApiPublishedEvent {
  id: string
  type: "marketplace.api.published"
  timestamp: Timestamp
  data: ApiEventData
}

export interface ApiEventData {
  /** The id of the resource that changed. */
  id: string
  status: "draft" | "published"
  version?: string
  /** The path of the resource in the API. */
  url: string
}

export interface MarketplaceApiUnpublishedEvent {
  id: string
  type: "marketplace.api.unpublished"
  timestamp: Timestamp
  data: ApiEventData
}

export interface MarketplaceApiVersionAddedEvent {
  id: string
  type: "marketplace.api.version_added"
  timestamp: Timestamp
  data: ApiEventData
}

export interface WebhookEndpointDisabledEvent {
  id: string
  type: "webhook.endpoint.disabled"
  timestamp: Timestamp
  data: WebhookEndpointEventData
}

export interface WebhookEndpointEventData {
  /** The id of the resource that changed. */
  id: string
  status: "disabled"
  reason: "gone" | "failing"
  /** The path of the resource in the API. */
  url: string
}

export interface WebhookTestEvent {
  id: string
  type: "webhook.test"
  timestamp: Timestamp
  data: WebhookTestEventData
}

export interface WebhookTestEventData {
  /** The id of the resource that changed. */
  id: string
  /** The path of the resource in the API. */
  url: string
}

export interface Signup {
  companyName: string
  email: string
  password: string
}

export interface User {
  id: string
  email: string
  role: "owner" | "member" | "reviewer" | "viewer"
}

export interface Company {
  id: string
  name: string
}

export interface Login {
  email: string
  password: string
}

/** The session's token is in the cookie `dashboard_session`. */
export interface SignedIn {
  ok: true
  user: User
  company: Company
}

export interface Ok {
  ok: true
}

export interface ChangePassword {
  currentPassword: string
  newPassword: string
}

export interface DashboardSession {
  id: string
  current: boolean
  user_agent: string | null
  created_at: Timestamp
  last_seen_at: Timestamp
  expires_at: Timestamp
}

export interface Member {
  id: string
  email: string
  role: "owner" | "member" | "reviewer" | "viewer"
  created_at: Timestamp
  last_seen_at: Timestamp | null
}

export interface ChangeRole {
  role: "owner" | "member" | "reviewer" | "viewer"
}

export interface Invitation {
  id: string
  email: string
  role: "owner" | "member" | "reviewer" | "viewer"
  created_at: Timestamp
  expires_at: Timestamp
  /** An owner. Removing or demoting an owner withdraws their invitations. */
  invited_by: {
    id: string
    email: string
  }
}

export interface Invite {
  email: string
  role: "owner" | "member" | "reviewer" | "viewer"
}

export interface OpenInvitationByToken {
  token: string
}

export interface OpenInvitation {
  email: string
  role: "owner" | "member" | "reviewer" | "viewer"
  company_name: string
  expires_at: Timestamp
}

export interface AcceptInvitation {
  token: string
  password: string
  email?: string | undefined
}

export interface ApiKey {
  id: string
  name: string
  scopes: Array<string>
  expiresAt: Timestamp | null
  activeNow: boolean
  token_prefix: string
  created_at: Timestamp
  last_used_at: Timestamp | null
  revoked_at: Timestamp | null
}

export interface CreateApiKey {
  name: string
  /** By default ["*"]. */
  scopes?: ReadonlyArray<string> | null | undefined
  /** An ISO 8601 date or date-time. */
  expiresAt?: string | null | undefined
}

export interface ApiKeyStats {
  total: number
  active: number
  revoked_or_disabled: number
  used_last_24h: number
}

export interface KycInstance {
  id: string
  name: string
  public_key: string
  config: JsonObject
  workflow: JsonObject
  disabled_at: Timestamp | null
  created_at: Timestamp
}

export type JsonObject = { [key: string]: unknown }

export interface CreateKycInstance {
  name: string
  /** Must match the JSON Schema at `/schemas/kyc-config.json`. Unknown fields are stored and ignored. */
  config?: { [key: string]: unknown } | null | undefined
  /** Must match the JSON Schema at `/schemas/kyc-workflow.json`. Unknown fields are stored and ignored. */
  workflow?: { [key: string]: unknown } | null | undefined
}

export interface UpdateKycInstance {
  name?: string | null | undefined
  /** Must match the JSON Schema at `/schemas/kyc-config.json`. Unknown fields are stored and ignored. */
  config?: { [key: string]: unknown } | null | undefined
  /** Must match the JSON Schema at `/schemas/kyc-workflow.json`. Unknown fields are stored and ignored. */
  workflow?: { [key: string]: unknown } | null | undefined
  disabled?: boolean | null | undefined
}

export interface CreatedKycSession {
  id: string
  instance_id: string
  company_id: string
  mode: "prod" | "dev"
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  external_reference: string | null
  expires_at: Timestamp
  created_at: Timestamp
}

export interface CreateKycSession {
  instanceKey?: string | null | undefined
  instanceId?: string | null | undefined
  externalReference?: string | null | undefined
  expiresInSeconds?: number | null | undefined
  successRedirectUrl?: string | null | undefined
  failureRedirectUrl?: string | null | undefined
  metadata?: { [key: string]: unknown } | null | undefined
  mode?: "prod" | "dev" | null | undefined
}

export interface KycSession {
  id: string
  instance_id: string
  company_id: string
  mode: "prod" | "dev"
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  external_reference: string | null
  expires_at: Timestamp
  created_at: Timestamp
  /** When the status first became running. */
  started_at: Timestamp | null
  updated_at: Timestamp
  /** When a final status was reached: completed, failed or cancelled. */
  completed_at: Timestamp | null
  /** When the personal data was destroyed. From then on, `progress`, `result` and `metadata` are null. */
  redacted_at: Timestamp | null
  progress: JsonObject | null
  result: unknown
  metadata: JsonObject | null
  instance_config: JsonObject
  instance_workflow: JsonObject
}

export interface UpdateKycProgress {
  /** The session's token. */
  token: string
  progress?: { [key: string]: unknown } | undefined
  status?: "created" | "running" | "failed" | "cancelled" | undefined
}

export interface CompleteKycSession {
  /** The session's token. */
  token: string
  /** A random number that the hosted page keeps in the browser for 30 days if `checks.sameBrowser` of the config is true. Only a keyed hash of it is stored. */
  browserMark?: string | undefined
  result?: unknown | undefined
  status?: "completed" | "failed" | "cancelled" | undefined
}

export interface PartnerKycSession {
  id: string
  instance_id: string
  company_id: string
  mode: "prod" | "dev"
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  external_reference: string | null
  expires_at: Timestamp
  created_at: Timestamp
  /** When the status first became running. */
  started_at: Timestamp | null
  updated_at: Timestamp
  /** When a final status was reached: completed, failed or cancelled. */
  completed_at: Timestamp | null
  /** When the personal data was destroyed. From then on, `progress`, `result` and `metadata` are null. */
  redacted_at: Timestamp | null
  progress: JsonObject | null
  result: unknown
  metadata: JsonObject | null
  instance_config: JsonObject
  instance_workflow: JsonObject
  /** Of a session that asks for some steps again: the workflow of the first session, which has all steps. `progress` has answers to them. Null of all other sessions. */
  first_workflow: JsonObject | null
  /** What the server has noticed, each kept from the moment on: the same document or person in an earlier session; completed without the captcha; completed without a required step. */
  flags: Array<"dedup_match" | "captcha_missing" | "steps_missing">
  assurance: Assurance
  /** Null unless the session is completed and its instance has a review. */
  review: KycReview | null
  /** The session whose review asked for this one. */
  previous_session_id: string | null
  /** The session that the review of this one asked for. */
  next_session_id: string | null
}

export interface Assurance {
  captcha: {
    verified: boolean
    score: number | null
    at: Timestamp | null
  }
  dedup: {
    matchFound: boolean
    seenCount: number
  }
  requiredStepsPresent: boolean
  missingSteps: Array<string>
  durationMs: number | null
}

export interface KycReview {
  status: KycReviewStatus
  decision: KycReviewDecision | null
  /** Codes; empty until it is decided. */
  reasons: Array<string>
  decided_at: Timestamp | null
  /** A user's id, or `api` for a platform key. */
  decided_by: string | null
}

/** `pending`: nobody has decided yet. `proposed`: one person has, and another has to confirm. `decided` is final. */
export type KycReviewStatus = "pending" | "proposed" | "decided"

export type KycReviewDecision = "approved" | "declined" | "resubmission"

export interface CheckedKycSession {
  id: string
  instance_id: string
  company_id: string
  mode: "prod" | "dev"
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  external_reference: string | null
  expires_at: Timestamp
  created_at: Timestamp
  /** When the status first became running. */
  started_at: Timestamp | null
  updated_at: Timestamp
  /** When a final status was reached: completed, failed or cancelled. */
  completed_at: Timestamp | null
  /** When the personal data was destroyed. From then on, `progress`, `result` and `metadata` are null. */
  redacted_at: Timestamp | null
  progress: JsonObject | null
  result: unknown
  metadata: JsonObject | null
  instance_config: JsonObject
  instance_workflow: JsonObject
  /** Of a session that asks for some steps again: the workflow of the first session, which has all steps. `progress` has answers to them. Null of all other sessions. */
  first_workflow: JsonObject | null
  /** What the server has noticed, each kept from the moment on: the same document or person in an earlier session; completed without the captcha; completed without a required step. */
  flags: Array<"dedup_match" | "captcha_missing" | "steps_missing">
  assurance: Assurance
  /** Null unless the session is completed and its instance has a review. */
  review: KycReview | null
  /** The session whose review asked for this one. */
  previous_session_id: string | null
  /** The session that the review of this one asked for. */
  next_session_id: string | null
  /** What doorlock itself saw in the photos, in the order in which to show it. Empty unless the session is completed and `config.checks.photos` of its instance is true; `kyc.checks.completed` says when they are there. */
  checks: Array<KycCheck>
}

/** What doorlock itself saw in what a person handed in. It is information for a decision, not a decision. */
export interface KycCheck {
  id: string
  kind: "document.mrz" | "document.mrz_matches" | "document.barcode" | "document.expiry" | "person.age" | "selfie.faces" | "selfie.similarity" | "photo.quality" | "photo.duplicate" | "session.signals"
  outcome: "agrees" | "differs" | "unreadable" | "not_checked"
  /** One sentence that claims no more than was seen. */
  reason: string
  /** What was read. Its fields depend on the kind. */
  detail: { [key: string]: unknown }
  /** The photos that were checked. */
  file_ids: Array<string>
  at: Timestamp
  /** What checked it, with its version. */
  engine: string
}

export interface KycSessionOverview {
  id: string
  instance_id: string
  company_id: string
  mode: "prod" | "dev"
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  external_reference: string | null
  expires_at: Timestamp
  created_at: Timestamp
  started_at: Timestamp | null
  updated_at: Timestamp
  completed_at: Timestamp | null
}

export interface ResumeKycSession {
  expiresInSeconds?: number | null | undefined
}

export interface KycSessionResumed {
  session: KycSessionOverview
  /** Where to send the end user. */
  verificationUrl: string
  /** The session's new secret token. Only a retry of the creation with its Idempotency-Key returns it again. */
  sessionToken: string
}

export interface KycReviewDetails {
  session_id: string
  instance_id: string
  instance_name: string
  mode: "prod" | "dev"
  external_reference: string | null
  /** What the server has noticed, each kept from the moment on: the same document or person in an earlier session; completed without the captcha; completed without a required step. */
  flags: Array<"dedup_match" | "captcha_missing" | "steps_missing">
  status: KycReviewStatus
  decision: KycReviewDecision | null
  /** Codes; empty until it is decided. */
  reasons: Array<string>
  decided_at: Timestamp | null
  /** A user's id, or `api` for a platform key. */
  decided_by: string | null
  /** The user's address; null of a platform key and of a removed user. */
  decided_by_email: string | null
  waiting_since: string
  /** Who is reviewing the session now. */
  claim: {
    user_id: string
    email: string
    until: Timestamp
  } | null
  /** With four eyes: the first decision. */
  proposal: {
    decision: KycReviewDecision
    reasons: Array<string>
    steps: Array<string>
    proposed_at: Timestamp
    /** A user's id, or `api` for a platform key. */
    proposed_by: string
    /** The user's address; null of a platform key and of a removed user. */
    proposed_by_email: string | null
  } | null
  previous_session_id: string | null
  next_session_id: string | null
}

export interface KycReviewChoices {
  /** By name, at most 5,000. */
  instances: Array<{
    id: string
    name: string
  }>
  /** The users who have claimed a review or decided on one, by email address, at most 5,000. */
  reviewers: Array<{
    id: string
    email: string
  }>
}

export interface KycReviewOptions {
  four_eyes: boolean
  reasons: Array<{
    code: string
    text: string
  }>
  /** The steps that a resubmission may ask for. */
  steps: Array<{
    id: string
    type: string
  }>
}

export interface DecideKycReview {
  decision: "approved" | "declined" | "resubmission"
  /** Codes of `review.reasons` in the config of the session's instance. */
  reasons?: ReadonlyArray<string> | undefined
  note?: string | null | undefined
  /** Required for a resubmission: the steps to ask for again. */
  steps?: ReadonlyArray<string> | undefined
  /** Of a resubmission: the lifetime of the new session. Default: seven days. */
  expiresInSeconds?: number | null | undefined
}

export interface RenewKycResubmissionLink {
  /** The new lifetime of the session that the link opens. Default: seven days. */
  expiresInSeconds?: number | null | undefined
}

export interface KycSessionNote {
  id: string
  text: string
  /** A user's id, or `api` for a platform key. */
  written_by: string
  /** The user's address; null of a platform key and of a removed user. */
  written_by_email: string | null
  created_at: Timestamp
}

export interface AddKycSessionNote {
  text: string
}

export type KycTimelineEvent = {
  type: "created" | "started" | "completed" | "failed" | "cancelled" | "expires" | "expired" | "redacted"
  at: Timestamp
} | {
  type: "progress"
  at: Timestamp
  steps: Array<string>
} | {
  type: "captcha_verified"
  at: Timestamp
  score: number | null
} | {
  type: "dedup_checked"
  at: Timestamp
  /** Whether another session had the same key hash before. The sessions before a resubmission do not count. */
  matchFound: boolean
} | {
  type: "file_stored"
  at: Timestamp
  file_id: string
  content_type: "image/jpeg" | "image/png" | "image/webp" | "image/heic" | "application/pdf"
  /** Bytes. */
  size: number
} | {
  type: "handoff_created" | "handoff_claimed" | "handoff_confirmed" | "handoff_refused" | "handoff_cancelled"
  at: Timestamp
  handoff_id: string
  device: HandoffDevice | null
} | {
  type: "review_proposed" | "reviewed"
  at: Timestamp
  decision: KycReviewDecision
  /** A user's id, or `api` for a platform key. */
  by: string
}

/** The kind of device that claimed the handoff, as the device reports it. It helps the end user to notice a stranger's device. */
export type HandoffDevice = "iphone" | "ipad" | "android_phone" | "android_tablet" | "computer" | "unknown"

export interface VerifyCaptcha {
  token: string
  captchaToken: string
  siteKey: string
}

export interface CaptchaVerified {
  ok: true
  success: true
  score: number
}

export interface CaptchaRejected {
  ok: true
  success: false
  error: CaptchaRejection
}

export type CaptchaRejection = "MALFORMED" | "INVALID_SIGNATURE" | "EXPIRED" | "SITE_MISMATCH" | "SESSION_MISMATCH" | "LOW_SCORE" | "DUPE"

export interface CaptchaChallenge {
  parameters: {
    algorithm: string
    nonce: string
    salt: string
    cost: number
    keyLength: number
    keyPrefix: string
    keySignature?: string
    expiresAt?: number
    data?: { [key: string]: string | number | boolean | null }
  }
  signature?: string
}

export interface RedeemCaptcha {
  challenge: {
    parameters: {
      algorithm: string
      nonce: string
      salt: string
      cost: number
      keyLength: number
      keyPrefix: string
      keySignature?: string | undefined
      expiresAt?: number | undefined
      data?: { [key: string]: string | number | boolean | null } | undefined
    }
    signature?: string | undefined
  }
  solution: {
    counter: number
    derivedKey: string
    time?: number | undefined
  }
}

export interface Overview {
  sessions: KycSessionFigures
  reviews: WaitingReviews
  attention: Attention
}

export interface KycSessionFigures {
  /** Every day of the period, oldest first. */
  days: Array<{
    /** `YYYY-MM-DD`, UTC. */
    day: string
    created: number
    completed: number
    failed: number
    cancelled: number
    expired: number
  }>
  total: {
    created: number
    completed: number
    failed: number
    cancelled: number
    expired: number
  }
  /** Of the sessions that ended in the period, completed, failed, cancelled or expired, the share that was completed: 0 to 1. Null if none ended. */
  completed_share: number | null
  /** The median time from start to completion, of the newest 500 completed sessions that were created in the period. Null if there is none. */
  median_seconds: number | null
}

export interface WaitingReviews {
  /** Reviews of all instances and both modes that nobody has decided yet: counted up to 500. */
  waiting: number
  /** When the session that waits longest was completed; null if none waits. */
  oldest_at: Timestamp | null
}

export interface Attention {
  /** Endpoints whose last attempt failed, and those that were disabled because of failures. */
  failing_webhooks: Array<{
    id: string
    url: string
    failing_since: Timestamp | null
    disabled_at: Timestamp | null
  }>
  /** The first 20 platform API keys that expire within 30 days. */
  expiring_keys: Array<{
    id: string
    name: string
    expires_at: Timestamp
  }>
  /** Subscriptions that have reached 80 or 100 percent of this month's calls, at most 20. */
  plans_near_end: Array<{
    /** The subscription's id. */
    id: string
    api_name: string
    mode: "live" | "test"
    /** 80 or 100: how much of the month's calls is used, at least. */
    percent: number
  }>
}

export interface KycFunnel {
  /** How many sessions were counted: the newest 5,000 at most that were created in the period. */
  sessions: number
  completed: number
  /** The data steps of the instance's current workflow, in order. */
  steps: Array<{
    /** The step's id in the workflow. */
    step: string
    type: string
    /** Sessions that came to the step. */
    came: number
    /** Of those, the ones that answered it. */
    answered: number
    /** Sessions that came no further, and were cancelled or expired. */
    left: number
    /** Sessions that failed at this step, by a check or a rule. */
    failed: number
    /** The median time from the step before, or from the creation of the session, to the answer. */
    median_seconds: number | null
  }>
}

export interface CheckDedup {
  token: string
  keyHash: string
}

export interface DedupMatch {
  id: string
  instance_id: string
  mode: "prod" | "dev"
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  external_reference: string | null
  created_at: Timestamp
  completed_at: Timestamp | null
  /** What the company has decided; null if the session is not reviewed. */
  review: {
    status: KycReviewStatus
    decision: KycReviewDecision | null
  } | null
}

/** The file as it was uploaded. */
export interface KycFile {
  id: string
  /** The type that the first bytes show, not the declared one. */
  content_type: "image/jpeg" | "image/png" | "image/webp" | "image/heic" | "application/pdf"
  /** Bytes. */
  size: number
  /** The SHA-256 of the content, in hex. */
  sha256: string
  created_at: Timestamp
}

export interface ListedKycFile {
  id: string
  /** The type that the first bytes show, not the declared one. */
  content_type: "image/jpeg" | "image/png" | "image/webp" | "image/heic" | "application/pdf"
  /** Bytes. */
  size: number
  /** The SHA-256 of the content, in hex. */
  sha256: string
  created_at: Timestamp
  /** The session in which it was uploaded: this one or, if it belongs to an answer that was carried over, an earlier one. */
  session_id: string
}

export interface IssueKycReceipt {
  /** The session's token. */
  token: string
}

export interface ReceiptKey {
  kty: "OKP"
  crv: "Ed25519"
  x: string
  kid: string
  use: "sig"
  alg: "EdDSA"
}

export interface CreateKycHandoff {
  /** The session's token. */
  token: string
  carry?: { [key: string]: unknown } | undefined
}

export interface KycHandoff {
  id: string
  status: HandoffStatus
  expires_at: Timestamp
}

/** `waiting` for a device to claim it; `claimed` by one, whose end user has to enter the code; `confirmed`: the session has moved to that device; `refused`: a wrong code was entered; `cancelled` by the first device, or replaced by another; `expired`. */
export type HandoffStatus = "waiting" | "claimed" | "confirmed" | "refused" | "cancelled" | "expired"

export interface FollowedKycHandoff {
  id: string
  status: HandoffStatus
  expires_at: Timestamp
  device: HandoffDevice | null
  /** Two digits that this device shows and the end user enters on the other; only while the handoff is claimed. */
  code: string | null
}

export interface CancelKycHandoff {
  /** The session's token. */
  token: string
}

export interface InspectKycHandoff {
  /** The part of the link after `#handoff=`. */
  secret: string
}

export interface OfferedKycSession {
  id: string
  mode: "prod" | "dev"
  expires_at: Timestamp
  /** The config's `title`, `locales`, `defaultLocale` and `theme`, and the company in its `legal`. */
  instance_config: { [key: string]: unknown }
}

export interface ClaimKycHandoff {
  /** The part of the link after `#handoff=`. */
  secret: string
  /** Random text that the device generates and keeps; it identifies the device. */
  receipt: string
}

export interface ConfirmKycHandoff {
  /** The part of the link after `#handoff=`. */
  secret: string
  /** Random text that the device generates and keeps; it identifies the device. */
  receipt: string
  /** The two digits that the first device shows. */
  code: string
}

export interface Event {
  id: string
  type: "kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"
  timestamp: Timestamp
  data: { [key: string]: unknown }
}

export interface ListedApi {
  id: string
  publisher_slug: string
  slug: string
  name: string
  description: string
  versions: Array<ApiVersion>
  plans: Array<ApiPlan>
}

export interface ApiVersion {
  id: string
  version: string
  created_at: Timestamp
}

export interface ApiPlan {
  id: string
  name: string
  requests_per_minute: number | null
  requests_per_month: number | null
}

export interface BecomePublisher {
  slug: string
  name: string
}

export interface Publisher {
  id: string
  slug: string
  name: string
  created_at: Timestamp
}

export interface OwnApi {
  id: string
  publisher_slug: string
  slug: string
  name: string
  description: string
  status: "draft" | "published"
  /** Why the operator took the API down. It cannot be published while this is not null. */
  taken_down: ApiTakenDown | null
  versions: Array<OwnApiVersion>
  plans: Array<ApiPlan>
}

export interface ApiTakenDown {
  at: Timestamp
  reason: string
}

export interface OwnApiVersion {
  id: string
  version: string
  created_at: Timestamp
  upstream_url: string
  sandbox_upstream_url: string | null
  timeout_seconds: number
  has_openapi: boolean
}

export interface CreateApi {
  slug: string
  name: string
  description?: string | null | undefined
}

export interface NewApi {
  id: string
  publisher_slug: string
  slug: string
  name: string
  description: string
  status: "draft" | "published"
  versions: Array<ApiVersion>
  plans: Array<ApiPlan>
}

export interface ChangeApi {
  name?: string | null | undefined
  description?: string | null | undefined
}

export interface CreateApiVersion {
  version: string
  upstreamUrl: string
  sandboxUpstreamUrl?: string | null | undefined
  timeoutSeconds?: number | null | undefined
  openapi?: { [key: string]: unknown } | null | undefined
}

export interface CreateApiPlan {
  name: string
  requestsPerMinute?: number | null | undefined
  requestsPerMonth?: number | null | undefined
}

export interface Subscribe {
  planId: string
  /** The name of the first key. */
  name: string
}

export interface NewSubscription {
  id: string
  api_id: string
  plan_id: string
  status: "active" | "cancelled"
  created_at: Timestamp
}

export interface MarketplaceKey {
  id: string
  subscription_id: string
  name: string
  mode: "live" | "test"
  /** When a rotated key stops working. */
  expiresAt: Timestamp | null
  /** Whether the key is neither revoked nor expired, and its subscription is active. */
  activeNow: boolean
  token_prefix: string
  created_at: Timestamp
  last_used_at: Timestamp | null
  revoked_at: Timestamp | null
  /** The id of the key that replaces it. */
  rotated_to: string | null
}

export interface Subscription {
  id: string
  api_id: string
  plan_id: string
  status: "active" | "cancelled"
  created_at: Timestamp
  cancelled_at: Timestamp | null
  api: SubscribedApi
  plan: ApiPlan
}

export interface SubscribedApi {
  id: string
  publisher_slug: string
  publisher_name: string
  slug: string
  name: string
  /** If false, the gateway refuses calls to the API, also those of this subscription. */
  published: boolean
}

export interface CreateMarketplaceKey {
  name: string
  /** By default "live". */
  mode?: "live" | "test" | null | undefined
}

export interface RotateMarketplaceKey {
  /** How many seconds the old key keeps working. By default 86400. */
  graceSeconds?: number | null | undefined
}

export interface SubscriberUsage {
  subscription_id: string
  /** A day, UTC. */
  from: string
  /** A day, UTC. */
  to: string
  /** Every day of the period, including days without calls. */
  days: Array<UsageDay>
  total: UsageCounts
  /** Every key of the subscription, oldest first. */
  keys: Array<KeyUsage>
  month: {
    /** The calls that count against the plan in the current month, whatever the period: the company's calls to the API's live upstream, over all keys and subscriptions, including cancelled ones. */
    used: number
    /** The plan's requests per month; null if unlimited. */
    limit: number | null
    resets_at: Timestamp
  }
}

export interface UsageDay {
  /** A day, UTC. */
  day: string
  /** All calls, with live and test keys. */
  calls: number
  /** Calls with live keys and a billed outcome. */
  billed: number
  outcomes: UsageOutcomes
}

export interface UsageOutcomes {
  "2xx": number
  "3xx": number
  "4xx": number
  "5xx": number
  denied: number
  client_closed: number
  gateway_error: number
  rate_limited: number
  quota_exceeded: number
}

export interface UsageCounts {
  /** All calls, with live and test keys. */
  calls: number
  /** Calls with live keys and a billed outcome. */
  billed: number
  outcomes: UsageOutcomes
}

export interface KeyUsage {
  id: string
  name: string
  mode: "live" | "test"
  token_prefix: string
  /** All calls, with live and test keys. */
  calls: number
  /** Calls with live keys and a billed outcome. */
  billed: number
  outcomes: UsageOutcomes
}

export interface PublisherUsage {
  api_id: string
  /** A day, UTC. */
  from: string
  /** A day, UTC. */
  to: string
  /** Every day of the period, including days without calls. */
  days: Array<UsageDay>
  total: UsageCounts
  /** One page of the subscriptions with calls in the period, oldest first. */
  subscriptions: Array<SubscriptionUsage>
  /** The number of subscriptions on all pages. */
  total_subscriptions: number
  limit: number
  offset: number
}

export interface SubscriptionUsage {
  id: string
  status: "active" | "cancelled"
  /** The subscriber's company name. */
  company_name: string
  plan: {
    id: string
    name: string
  }
  /** All calls, with live and test keys. */
  calls: number
  /** Calls with live keys and a billed outcome. */
  billed: number
  outcomes: UsageOutcomes
}

export interface ListedWebhookEndpoint {
  id: string
  url: string
  description: string | null
  /** Null: all types. */
  event_types: Array<"kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"> | null
  /** Scheme of Standard Webhooks by which deliveries are signed: `v1` is HMAC-SHA-256 with a shared secret, `v1a` is ed25519. */
  signing: "v1" | "v1a"
  /** Of `v1a`: the newest key (`whpk_`). Null with `v1`. */
  public_key: string | null
  status: "enabled" | "disabled"
  disabled_reason: "by_user" | "gone" | "failing" | null
  created_at: Timestamp
  /** Deliveries of the last 24 hours by status, at most the newest 500. */
  last_day: {
    pending: number
    succeeded: number
    failed: number
    held: number
  }
  /** Since when no attempt has succeeded; null if the last one did, or if there was none. */
  failing_since: Timestamp | null
}

export interface CreateWebhookEndpoint {
  /** An https URL. On an installation whose upstreams may have private addresses, also http to this machine. */
  url: string
  description?: string | null | undefined
  /** By default, and with null: all types. */
  eventTypes?: ReadonlyArray<"kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"> | null | undefined
  /** Scheme of Standard Webhooks by which deliveries are signed: `v1` is HMAC-SHA-256 with a shared secret, `v1a` is ed25519. By default "v1". */
  signing?: "v1" | "v1a" | undefined
}

export interface WebhookEndpoint {
  id: string
  url: string
  description: string | null
  /** Null: all types. */
  event_types: Array<"kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"> | null
  /** Scheme of Standard Webhooks by which deliveries are signed: `v1` is HMAC-SHA-256 with a shared secret, `v1a` is ed25519. */
  signing: "v1" | "v1a"
  /** Of `v1a`: the newest key (`whpk_`). Null with `v1`. */
  public_key: string | null
  status: "enabled" | "disabled"
  disabled_reason: "by_user" | "gone" | "failing" | null
  created_at: Timestamp
}

export interface ChangeWebhookEndpoint {
  /** An https URL. On an installation whose upstreams may have private addresses, also http to this machine. */
  url?: string | undefined
  description?: string | null | undefined
  /** Null: all types. */
  eventTypes?: ReadonlyArray<"kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"> | null | undefined
  status?: "enabled" | "disabled" | undefined
}

export interface RotateWebhookSecret {
  /** By default 86400. */
  overlapSeconds?: number | undefined
}

export interface WebhookDelivery {
  id: string
  event_id: string
  event_type: "kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"
  /** 1, 2, 3, ... within the endpoint, without gaps. */
  sequence: number
  /** `pending`: an attempt is due at `next_attempt_at`. `failed`: all attempts failed. `held`: not sent, because the endpoint is disabled. */
  status: "pending" | "succeeded" | "failed" | "held"
  attempts: number
  next_attempt_at: Timestamp | null
  created_at: Timestamp
}

export interface WebhookDrillReport {
  /** Whether every step ended as expected. */
  passed: boolean
  steps: Array<WebhookDrillStep>
}

export interface WebhookDrillStep {
  sent: "good" | "wrong_signature" | "old_timestamp" | "duplicate" | "altered_body"
  /** A duplicate is accepted, or doorlock would send it again, but must not take effect twice. */
  expected: "accepted" | "refused"
  accepted: boolean
  milliseconds: number
  status: number | null
  reason: string | null
}

export interface RecoverWebhookDeliveries {
  /** An ISO 8601 date or date-time. */
  since: string
}

export interface WebhookDeliveryDetails {
  id: string
  event_id: string
  event_type: "kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"
  /** 1, 2, 3, ... within the endpoint, without gaps. */
  sequence: number
  /** `pending`: an attempt is due at `next_attempt_at`. `failed`: all attempts failed. `held`: not sent, because the endpoint is disabled. */
  status: "pending" | "succeeded" | "failed" | "held"
  attempts: number
  next_attempt_at: Timestamp | null
  created_at: Timestamp
  endpoint_id: string
  /** The body that is sent. */
  event: {
    id: string
    type: "kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"
    timestamp: Timestamp
    data: { [key: string]: unknown }
  }
  /** The attempts, oldest first; at most the last 100. */
  tried: Array<WebhookAttempt>
}

export interface WebhookAttempt {
  at: Timestamp
  milliseconds: number
  /** Of the answer; null if there was none. */
  status: number | null
  /** Why it failed, in words; null if it succeeded. */
  reason: string | null
  /** The first 4 KiB of the answer's body, as text. */
  answer: string | null
}

export interface AuditEvent {
  id: string
  /** 1, 2, 3, ... within the company. */
  position: number
  at: Timestamp
  actor: {
    kind: "user" | "api_key" | "operator"
    /** Null for an operator. */
    id: string | null
    /** The name at that time; for a user, the email address. */
    name: string
  }
  address: string | null
  user_agent: string | null
  action: AuditAction
  resource: {
    kind: "company" | "user" | "invitation" | "api_key" | "kyc_instance" | "kyc_session" | "kyc_file" | "subscription" | "marketplace_key" | "publisher" | "api" | "api_version" | "api_plan" | "webhook_endpoint" | "webhook_delivery"
    id: string
    /** The name at that time. */
    name: string | null
  }
  details: JsonObject
  /** The `hash` of the previous event; zeros for the first event. */
  previous_hash: string
  /** The SHA-256 of this event and `previous_hash`, in hex. */
  hash: string
}

/**
 * - `audit.began`: The trail of a company that existed before audit trails began.
 * - `audit.sealed`: The operator resealed the trail, whose seal did not match it; `details` say how, and from which position on.
 * - `company.created`: Sign-up, or the operator, created the company; its first user is in `details`.
 * - `user.created`: The operator created a user.
 * - `user.password_reset`: The operator gave a user another password, which ended all their sessions.
 * - `user.signed_in`: A user signed in.
 * - `user.sign_in_refused`: A sign-in as the user failed because of a wrong password.
 * - `user.signed_out`: A user signed out.
 * - `user.session_ended`: A user ended one of their sessions.
 * - `user.other_sessions_ended`: A user ended all their other sessions.
 * - `user.password_changed`: A user changed their password, which ended their other sessions.
 * - `invitation.created`: Somebody was invited; this replaces an earlier invitation of theirs.
 * - `invitation.withdrawn`: An invitation was withdrawn.
 * - `invitation.accepted`: An invited person became a user.
 * - `member.role_changed`: A user got another role.
 * - `member.removed`: A user was removed, and their sessions ended.
 * - `api_key.created`: A platform key was created.
 * - `api_key.revoked`: A platform key was revoked.
 * - `kyc_instance.created`: A KYC instance was created.
 * - `kyc_instance.changed`: Name, config or workflow of a KYC instance was changed.
 * - `kyc_instance.disabled`: A KYC instance was disabled.
 * - `kyc_instance.enabled`: A KYC instance was enabled again.
 * - `kyc_session.created`: A dashboard user created a test session.
 * - `kyc_session.claimed`: A reviewer claimed a session.
 * - `kyc_session.released`: A reviewer gave up the claim on a session.
 * - `kyc_session.review_proposed`: The first of two decisions on a session was made, with four eyes.
 * - `kyc_session.reviewed`: A session was decided.
 * - `kyc_session.noted`: A user added a note to a session.
 * - `kyc_session.cancelled`: A KYC session that was not finished was cancelled.
 * - `kyc_session.resumed`: A KYC session got a new link, and the one before it ended.
 * - `kyc_session.exported`: Everything about the person of a KYC session was exported.
 * - `kyc_session.redacted`: The personal data of a session was destroyed.
 * - `kyc_session.files_deleted`: The files of a session were deleted, because they were stored long enough; `details` say how many.
 * - `kyc_file.read`: A file of an end user was read.
 * - `subscription.created`: The company subscribed to an API and got the first key.
 * - `subscription.cancelled`: A subscription was cancelled.
 * - `marketplace_key.created`: Another marketplace key was created.
 * - `marketplace_key.revoked`: A marketplace key was revoked.
 * - `marketplace_key.rotated`: A marketplace key was replaced by another.
 * - `publisher.created`: The company became a publisher.
 * - `api.created`: An API was created.
 * - `api.changed`: Name or description of an API was changed.
 * - `api.published`: An API was published.
 * - `api.unpublished`: An API became a draft again.
 * - `api.taken_down`: The operator took an API down, or changed the reason.
 * - `api.allowed`: The operator allowed an API to be published again.
 * - `api_version.created`: An API got a version.
 * - `api_plan.created`: An API got a plan.
 * - `webhook_endpoint.created`: A webhook endpoint was added.
 * - `webhook_endpoint.changed`: URL, description or event types of a webhook endpoint were changed.
 * - `webhook_endpoint.disabled`: A webhook endpoint was disabled.
 * - `webhook_endpoint.enabled`: A webhook endpoint was enabled again.
 * - `webhook_endpoint.removed`: A webhook endpoint was removed.
 * - `webhook_endpoint.secret_rotated`: A webhook endpoint got another secret.
 * - `webhook_endpoint.tested`: A test event was sent to a webhook endpoint.
 * - `webhook_endpoint.drilled`: Good and bad requests were sent to a webhook endpoint.
 * - `webhook_endpoint.recovered`: Failed and held deliveries of a webhook endpoint were sent again.
 * - `webhook_delivery.retried`: A delivery was sent again.
 */
export type AuditAction = "audit.began" | "audit.sealed" | "company.created" | "user.created" | "user.password_reset" | "user.signed_in" | "user.sign_in_refused" | "user.signed_out" | "user.session_ended" | "user.other_sessions_ended" | "user.password_changed" | "invitation.created" | "invitation.withdrawn" | "invitation.accepted" | "member.role_changed" | "member.removed" | "api_key.created" | "api_key.revoked" | "kyc_instance.created" | "kyc_instance.changed" | "kyc_instance.disabled" | "kyc_instance.enabled" | "kyc_session.created" | "kyc_session.claimed" | "kyc_session.released" | "kyc_session.review_proposed" | "kyc_session.reviewed" | "kyc_session.noted" | "kyc_session.cancelled" | "kyc_session.resumed" | "kyc_session.exported" | "kyc_session.redacted" | "kyc_session.files_deleted" | "kyc_file.read" | "subscription.created" | "subscription.cancelled" | "marketplace_key.created" | "marketplace_key.revoked" | "marketplace_key.rotated" | "publisher.created" | "api.created" | "api.changed" | "api.published" | "api.unpublished" | "api.taken_down" | "api.allowed" | "api_version.created" | "api_plan.created" | "webhook_endpoint.created" | "webhook_endpoint.changed" | "webhook_endpoint.disabled" | "webhook_endpoint.enabled" | "webhook_endpoint.removed" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.tested" | "webhook_endpoint.drilled" | "webhook_endpoint.recovered" | "webhook_delivery.retried"

/** What doorlock sends to webhook endpoints. More types will be added: ignore those that you do not know. */
export type WebhookEvent =
  | KycSessionCreatedEvent
  | KycSessionStartedEvent
  | KycSessionCompletedEvent
  | KycSessionFailedEvent
  | KycSessionCancelledEvent
  | KycSessionResumedEvent
  | KycSessionExpiredEvent
  | KycSessionReviewClaimedEvent
  | KycSessionReviewReleasedEvent
  | KycSessionReviewProposedEvent
  | KycSessionReviewedEvent
  | KycSessionNotedEvent
  | KycChecksCompletedEvent
  | KycSessionRedactedEvent
  | ApiKeyCreatedEvent
  | ApiKeyRevokedEvent
  | ApiKeyExpiringEvent
  | MarketplaceSubscriptionCreatedEvent
  | MarketplaceSubscriptionCancelledEvent
  | MarketplaceKeyCreatedEvent
  | MarketplaceKeyRotatedEvent
  | MarketplaceKeyRevokedEvent
  | MarketplaceQuotaReachedEvent
  | MarketplaceApiPublishedEvent
  | MarketplaceApiUnpublishedEvent
  | MarketplaceApiVersionAddedEvent
  | WebhookEndpointDisabledEvent
  | WebhookTestEvent

export interface ApiKeysListQuery {
  /** The maximum number of keys in the response. Without `limit` and `cursor`, all keys. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export interface VerificationReadQuery {
  /** The session's token. */
  token: string
}

export interface SessionsListQuery {
  /** Maximum number of entries, by default 20. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Only sessions in this state. */
  status?: "created" | "running" | "completed" | "failed" | "cancelled" | undefined
  /** `true`: only sessions that have expired. `false`: only the others. */
  expired?: boolean | undefined
  /** Only sessions of the KYC instance with this id. */
  instanceId?: string | undefined
  /** Only sessions with exactly this reference. */
  externalReference?: string | undefined
  /** Only sessions whose reference begins so. They are then in the order of their references. */
  externalReferencePrefix?: string | undefined
  /** Only sessions whose review is `pending` (waits for a decision), `proposed` (waits for another person), or was decided so. */
  review?: "pending" | "proposed" | "approved" | "declined" | "resubmission" | undefined
  /** `true`: only sessions with flags. `false`: only the others. */
  flags?: boolean | undefined
  /** An ISO 8601 date or date-time. Only sessions created at this time or later. */
  from?: string | undefined
  /** An ISO 8601 date or date-time. Only sessions created before this time. */
  to?: string | undefined
  /** By default `newest` first. With `externalReferencePrefix`, the references descend or ascend. */
  order?: "newest" | "oldest" | undefined
}

export interface SessionsCsvQuery {
  /** Only sessions in this state. */
  status?: "created" | "running" | "completed" | "failed" | "cancelled" | undefined
  /** `true`: only sessions that have expired. `false`: only the others. */
  expired?: boolean | undefined
  /** Only sessions of the KYC instance with this id. */
  instanceId?: string | undefined
  /** Only sessions with exactly this reference. */
  externalReference?: string | undefined
  /** Only sessions whose reference begins so. They are then in the order of their references. */
  externalReferencePrefix?: string | undefined
  /** Only sessions whose review is `pending` (waits for a decision), `proposed` (waits for another person), or was decided so. */
  review?: "pending" | "proposed" | "approved" | "declined" | "resubmission" | undefined
  /** `true`: only sessions with flags. `false`: only the others. */
  flags?: boolean | undefined
  /** An ISO 8601 date or date-time. Only sessions created at this time or later. */
  from?: string | undefined
  /** An ISO 8601 date or date-time. Only sessions created before this time. */
  to?: string | undefined
  /** By default `newest` first. With `externalReferencePrefix`, the references descend or ascend. */
  order?: "newest" | "oldest" | undefined
}

export interface ReviewsListQuery {
  /** Default: pending and proposed. */
  status?: "pending" | "proposed" | "decided" | undefined
  /** Only sessions of the KYC instance with this id. */
  instanceId?: string | undefined
  /** Of pending and proposed reviews: only those that the user with this id has claimed. Of decided ones: only those that the user, or `api`, has decided. */
  reviewer?: string | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Maximum number of entries, by default 20. */
  limit?: number | undefined
}

export interface CaptchaChallengeQuery {
  /** The KYC instance's public key. */
  siteKey: string
  /** The id of the session. */
  sessionId: string
}

export interface FiguresOverviewQuery {
  /** How many days, with today as the last one. By default 30. */
  days?: number | undefined
  /** Only sessions of the KYC instance with this id. */
  instanceId?: string | undefined
}

export interface FiguresFunnelQuery {
  /** An ISO 8601 date or date-time. Only sessions created at this time or later. By default 30 days ago. */
  from?: string | undefined
  /** An ISO 8601 date or date-time. Only sessions created before this time. By default now. */
  to?: string | undefined
}

export interface FilesReadQuery {
  /** Whether to download an image as it was uploaded, with its metadata. Default: false. */
  original?: boolean | undefined
}

export interface HandoffsFollowQuery {
  /** The session's token. */
  token: string
}

export interface EventsListQuery {
  /** A type, or the first part of several types. */
  type?: "kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test" | "kyc.*" | "kyc.session.*" | "kyc.checks.*" | "api_key.*" | "marketplace.*" | "marketplace.subscription.*" | "marketplace.key.*" | "marketplace.quota.*" | "marketplace.api.*" | "webhook.*" | "webhook.endpoint.*" | undefined
  /** The `id` in the events' data, such as that of a KYC session. */
  resource?: string | undefined
  /** By default `oldest` first. With `newest`, a page continues with older events. */
  order?: "oldest" | "newest" | undefined
  /** `next_cursor` of the previous page. `now` skips all events so far, and returns the cursor of what follows. */
  after?: string | undefined
  /** Maximum number of entries, by default 20. */
  limit?: number | undefined
}

export interface CatalogListQuery {
  /** Maximum number of entries, by default 20. */
  limit?: number | undefined
  /** Number of entries to skip, by default 0. */
  offset?: number | undefined
}

export interface UsageOfSubscriptionQuery {
  /** The first day, in UTC. Default: the first day of the month of `to`. */
  from?: string | undefined
  /** The last day, in UTC. Default: today. */
  to?: string | undefined
}

export interface UsageOfApiQuery {
  /** The first day, in UTC. Default: the first day of the month of `to`. */
  from?: string | undefined
  /** The last day, in UTC. Default: today. */
  to?: string | undefined
  /** Maximum number of entries, by default 20. */
  limit?: number | undefined
  /** Number of entries to skip, by default 0. */
  offset?: number | undefined
}

export interface WebhooksListDeliveriesQuery {
  /** `pending`: an attempt is due at `next_attempt_at`. `failed`: all attempts failed. `held`: not sent, because the endpoint is disabled. */
  status?: "pending" | "succeeded" | "failed" | "held" | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Maximum number of entries, by default 20. */
  limit?: number | undefined
}

export interface AuditEventsListQuery {
  /** Maximum number of entries, by default 20. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** An action, or the part before its dot for all actions that begin with it. */
  action?: "audit.began" | "audit.sealed" | "company.created" | "user.created" | "user.password_reset" | "user.signed_in" | "user.sign_in_refused" | "user.signed_out" | "user.session_ended" | "user.other_sessions_ended" | "user.password_changed" | "invitation.created" | "invitation.withdrawn" | "invitation.accepted" | "member.role_changed" | "member.removed" | "api_key.created" | "api_key.revoked" | "kyc_instance.created" | "kyc_instance.changed" | "kyc_instance.disabled" | "kyc_instance.enabled" | "kyc_session.created" | "kyc_session.claimed" | "kyc_session.released" | "kyc_session.review_proposed" | "kyc_session.reviewed" | "kyc_session.noted" | "kyc_session.cancelled" | "kyc_session.resumed" | "kyc_session.exported" | "kyc_session.redacted" | "kyc_session.files_deleted" | "kyc_file.read" | "subscription.created" | "subscription.cancelled" | "marketplace_key.created" | "marketplace_key.revoked" | "marketplace_key.rotated" | "publisher.created" | "api.created" | "api.changed" | "api.published" | "api.unpublished" | "api.taken_down" | "api.allowed" | "api_version.created" | "api_plan.created" | "webhook_endpoint.created" | "webhook_endpoint.changed" | "webhook_endpoint.disabled" | "webhook_endpoint.enabled" | "webhook_endpoint.removed" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.tested" | "webhook_endpoint.drilled" | "webhook_endpoint.recovered" | "webhook_delivery.retried" | "audit" | "company" | "user" | "invitation" | "member" | "api_key" | "kyc_instance" | "kyc_session" | "kyc_file" | "subscription" | "marketplace_key" | "publisher" | "api" | "api_version" | "api_plan" | "webhook_endpoint" | "webhook_delivery" | undefined
  /** The id of the actor. */
  actor?: string | undefined
  /** The id of the resource. */
  resource?: string | undefined
  /** An ISO 8601 date or date-time. Only events at or after this time. */
  from?: string | undefined
  /** An ISO 8601 date or date-time. Only events before this time. */
  to?: string | undefined
}

/** The codes of errors that any route may have. */
export type CommonErrorCode =
  | "ambiguous-request"
  | "body-not-an-object"
  | "body-not-json"
  | "body-too-large"
  | "body-too-slow"
  | "host-not-served"
  | "internal-server-error"
  | "method-not-allowed"
  | "not-found"
  | "target-with-fragment"

/** The codes of errors by function, without the common ones. */
export interface ErrorCodes {
  "account.signup":
    | "company-name-required"
    | "company-name-too-long"
    | "company-name-unprintable"
    | "company-name-unstorable"
    | "cross-site-request"
    | "email-invalid"
    | "email-taken"
    | "failed-to-sign-up"
    | "password-too-long"
    | "password-too-short"
    | "password-unstorable"
    | "signup-closed"
    | "too-many-requests"
  "account.login":
    | "cross-site-request"
    | "email-required"
    | "email-unstorable"
    | "failed-to-sign-in"
    | "invalid-login"
    | "password-required"
    | "too-many-requests"
  "account.logout":
    | "cross-site-request"
    | "failed-to-sign-out"
    | "too-many-requests"
    | "unauthorized"
  "account.me":
    | "cross-site-request"
    | "failed-to-load-the-account"
    | "unauthorized"
  "account.changePassword":
    | "cross-site-request"
    | "current-password-required"
    | "failed-to-change-the-password"
    | "new-password-too-long"
    | "new-password-too-short"
    | "new-password-unstorable"
    | "too-many-requests"
    | "unauthorized"
    | "wrong-password"
  "account.listSessions":
    | "cross-site-request"
    | "failed-to-list-sessions"
    | "unauthorized"
  "account.endSession":
    | "cross-site-request"
    | "failed-to-end-the-session"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "account.endOtherSessions":
    | "cross-site-request"
    | "failed-to-end-the-sessions"
    | "too-many-requests"
    | "unauthorized"
  "members.list":
    | "cross-site-request"
    | "failed-to-list-members"
    | "role-forbidden"
    | "unauthorized"
  "members.changeRole":
    | "cross-site-request"
    | "failed-to-change-the-role"
    | "member-not-found"
    | "owner-needed"
    | "role-forbidden"
    | "role-invalid"
    | "too-many-requests"
    | "unauthorized"
  "members.remove":
    | "cross-site-request"
    | "failed-to-remove-the-member"
    | "member-not-found"
    | "owner-needed"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "invitations.list":
    | "cross-site-request"
    | "failed-to-list-invitations"
    | "role-forbidden"
    | "unauthorized"
  "invitations.invite":
    | "cross-site-request"
    | "email-invalid"
    | "email-taken"
    | "failed-to-invite"
    | "role-forbidden"
    | "role-invalid"
    | "too-many-members"
    | "too-many-requests"
    | "unauthorized"
  "invitations.withdraw":
    | "cross-site-request"
    | "failed-to-withdraw-the-invitation"
    | "invitation-not-found"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "invitations.open":
    | "cross-site-request"
    | "failed-to-read-the-invitation"
    | "invitation-not-found"
    | "token-required"
    | "too-many-requests"
  "invitations.accept":
    | "cross-site-request"
    | "email-invalid"
    | "email-taken"
    | "failed-to-accept-the-invitation"
    | "invitation-not-found"
    | "password-too-long"
    | "password-too-short"
    | "password-unstorable"
    | "token-required"
    | "too-many-requests"
  "apiKeys.list":
    | "cross-site-request"
    | "cursor-invalid"
    | "failed-to-list-api-keys"
    | "limit-invalid"
    | "role-forbidden"
    | "unauthorized"
  "apiKeys.create":
    | "cross-site-request"
    | "expires-at-invalid"
    | "failed-to-create-api-key"
    | "key-collision"
    | "name-required"
    | "name-too-long"
    | "name-unstorable"
    | "role-forbidden"
    | "scopes-invalid"
    | "too-many-api-keys"
    | "too-many-requests"
    | "unauthorized"
  "apiKeys.stats":
    | "cross-site-request"
    | "failed-to-load-api-key-stats"
    | "role-forbidden"
    | "unauthorized"
  "apiKeys.revoke":
    | "api-key-not-found"
    | "cross-site-request"
    | "failed-to-revoke-key"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "instances.list":
    | "cross-site-request"
    | "failed-to-list-instances"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "instances.create":
    | "config-invalid"
    | "config-rule-broken"
    | "config-too-large"
    | "config-unstorable"
    | "cross-site-request"
    | "failed-to-create-instance"
    | "name-required"
    | "name-too-long"
    | "name-unprintable"
    | "name-unstorable"
    | "role-forbidden"
    | "too-many-instances"
    | "too-many-requests"
    | "unauthorized"
    | "workflow-invalid"
    | "workflow-rule-broken"
    | "workflow-too-large"
    | "workflow-unstorable"
  "instances.get":
    | "cross-site-request"
    | "failed-to-get-instance"
    | "instance-not-found"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "instances.update":
    | "config-invalid"
    | "config-rule-broken"
    | "config-too-large"
    | "config-unstorable"
    | "cross-site-request"
    | "disabled-invalid"
    | "failed-to-update-instance"
    | "instance-not-found"
    | "name-empty"
    | "name-too-long"
    | "name-unprintable"
    | "name-unstorable"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
    | "workflow-invalid"
    | "workflow-rule-broken"
    | "workflow-too-large"
    | "workflow-unstorable"
  "instances.createTestSession":
    | "cross-site-request"
    | "dev-mode-refused"
    | "failed-to-create-test-session"
    | "instance-not-found"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "sessions.create":
    | "dev-mode-refused"
    | "expires-in-seconds-invalid"
    | "external-reference-invalid"
    | "external-reference-unstorable"
    | "failed-to-create-session"
    | "failure-redirect-url-invalid"
    | "idempotency-key-invalid"
    | "idempotency-key-reused"
    | "instance-forbidden"
    | "instance-key-unstorable"
    | "instance-not-found"
    | "instance-required"
    | "invalid-api-key"
    | "metadata-invalid"
    | "metadata-too-large"
    | "metadata-unstorable"
    | "mode-invalid"
    | "scope-missing"
    | "success-redirect-url-invalid"
    | "too-many-requests"
  "verification.read":
    | "failed-to-get-session"
    | "session-expired"
    | "session-not-found"
    | "token-required"
    | "too-many-requests"
  "verification.saveProgress":
    | "failed-to-update-progress"
    | "progress-invalid"
    | "progress-status-invalid"
    | "progress-too-large"
    | "progress-unstorable"
    | "session-expired"
    | "session-not-found"
    | "session-not-updatable"
    | "token-required"
    | "too-many-requests"
  "verification.complete":
    | "browser-mark-invalid"
    | "completion-status-invalid"
    | "failed-to-complete-session"
    | "result-too-large"
    | "result-unstorable"
    | "session-expired"
    | "session-not-found"
    | "token-required"
    | "too-many-requests"
  "sessions.list":
    | "cross-site-request"
    | "cursor-invalid"
    | "expired-invalid"
    | "external-reference-invalid"
    | "external-reference-prefix-invalid"
    | "external-reference-prefix-unstorable"
    | "external-reference-unstorable"
    | "failed-to-list-sessions"
    | "flags-invalid"
    | "from-invalid"
    | "instance-id-repeated"
    | "invalid-api-key"
    | "limit-invalid"
    | "order-invalid"
    | "period-reversed"
    | "review-invalid"
    | "scope-missing"
    | "status-invalid"
    | "to-invalid"
    | "too-many-requests"
    | "unauthorized"
  "sessions.csv":
    | "cross-site-request"
    | "expired-invalid"
    | "external-reference-invalid"
    | "external-reference-prefix-invalid"
    | "external-reference-prefix-unstorable"
    | "external-reference-unstorable"
    | "failed-to-export-sessions"
    | "flags-invalid"
    | "from-invalid"
    | "instance-id-repeated"
    | "invalid-api-key"
    | "order-invalid"
    | "period-reversed"
    | "review-invalid"
    | "scope-missing"
    | "status-invalid"
    | "to-invalid"
    | "too-many-requests"
    | "unauthorized"
  "sessions.get":
    | "cross-site-request"
    | "failed-to-get-session"
    | "invalid-api-key"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "sessions.cancel":
    | "cross-site-request"
    | "failed-to-cancel-session"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "session-not-found"
    | "session-not-updatable"
    | "too-many-requests"
    | "unauthorized"
  "sessions.resume":
    | "cross-site-request"
    | "expires-in-seconds-invalid"
    | "failed-to-resume-session"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "session-expired"
    | "session-not-found"
    | "session-not-updatable"
    | "too-many-requests"
    | "unauthorized"
  "reviews.list":
    | "cross-site-request"
    | "cursor-invalid"
    | "failed-to-list-reviews"
    | "instance-id-repeated"
    | "invalid-api-key"
    | "limit-invalid"
    | "review-status-invalid"
    | "reviewer-repeated"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
  "reviews.choices":
    | "cross-site-request"
    | "failed-to-list-choices"
    | "invalid-api-key"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
  "reviews.get":
    | "cross-site-request"
    | "failed-to-get-review"
    | "invalid-api-key"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "reviews.decide":
    | "another-person-needed"
    | "cross-site-request"
    | "decision-invalid"
    | "expires-in-seconds-invalid"
    | "failed-to-decide-on-session"
    | "invalid-api-key"
    | "note-empty"
    | "note-too-long"
    | "note-unstorable"
    | "reason-unknown"
    | "reasons-invalid"
    | "role-forbidden"
    | "scope-missing"
    | "session-already-decided"
    | "session-claimed"
    | "session-not-found"
    | "session-not-reviewable"
    | "step-unknown"
    | "steps-invalid"
    | "too-many-requests"
    | "unauthorized"
  "reviews.claim":
    | "another-person-needed"
    | "cross-site-request"
    | "failed-to-claim-session"
    | "role-forbidden"
    | "session-already-decided"
    | "session-claimed"
    | "session-not-found"
    | "session-not-reviewable"
    | "too-many-requests"
    | "unauthorized"
  "reviews.release":
    | "cross-site-request"
    | "failed-to-release-session"
    | "role-forbidden"
    | "session-already-decided"
    | "session-claimed"
    | "session-not-found"
    | "session-not-reviewable"
    | "too-many-requests"
    | "unauthorized"
  "reviews.renewLink":
    | "cross-site-request"
    | "expires-in-seconds-invalid"
    | "failed-to-get-new-link"
    | "invalid-api-key"
    | "no-resubmission"
    | "role-forbidden"
    | "scope-missing"
    | "session-not-found"
    | "session-not-updatable"
    | "too-many-requests"
    | "unauthorized"
  "reviews.listNotes":
    | "cross-site-request"
    | "failed-to-list-notes"
    | "invalid-api-key"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "reviews.addNote":
    | "cross-site-request"
    | "failed-to-add-note"
    | "role-forbidden"
    | "session-not-found"
    | "session-not-updatable"
    | "text-required"
    | "text-too-long"
    | "text-unstorable"
    | "too-many-requests"
    | "unauthorized"
  "sessions.timeline":
    | "cross-site-request"
    | "failed-to-get-timeline"
    | "invalid-api-key"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "captcha.verify":
    | "failed-to-verify-captcha-token"
    | "missing-token"
    | "session-already-completed"
    | "session-expired"
    | "session-not-found"
    | "too-many-requests"
  "captcha.challenge":
    | "failed-to-create-captcha-challenge"
    | "no-built-in-captcha"
    | "session-id-required"
    | "site-key-required"
    | "too-many-requests"
  "captcha.redeem":
    | "challenge-not-solved"
    | "failed-to-redeem-captcha-challenge"
    | "no-built-in-captcha"
    | "solution-required"
    | "too-many-requests"
  "figures.overview":
    | "cross-site-request"
    | "days-invalid"
    | "failed-to-get-overview"
    | "instance-id-repeated"
    | "role-forbidden"
    | "unauthorized"
  "figures.funnel":
    | "cross-site-request"
    | "failed-to-get-funnel"
    | "from-invalid"
    | "instance-not-found"
    | "invalid-api-key"
    | "period-reversed"
    | "role-forbidden"
    | "scope-missing"
    | "to-invalid"
    | "too-many-requests"
    | "unauthorized"
  "verification.checkDuplicates":
    | "failed-to-check-dedup"
    | "key-hash-invalid"
    | "session-expired"
    | "session-not-found"
    | "token-required"
    | "too-many-dedup-checks"
    | "too-many-requests"
  "sessions.matches":
    | "cross-site-request"
    | "failed-to-list-matches"
    | "invalid-api-key"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "verification.upload":
    | "failed-to-store-file"
    | "file-empty"
    | "file-too-large"
    | "file-type-refused"
    | "image-too-large"
    | "not-examined"
    | "pdf-refused"
    | "session-expired"
    | "session-not-found"
    | "session-not-updatable"
    | "too-many-files"
    | "too-many-requests"
    | "upload-incomplete"
  "files.list":
    | "cross-site-request"
    | "failed-to-list-files"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "files.read":
    | "cross-site-request"
    | "failed-to-get-file"
    | "file-not-found"
    | "invalid-api-key"
    | "no-copy"
    | "not-examined"
    | "original-invalid"
    | "role-forbidden"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "sessions.export":
    | "cross-site-request"
    | "failed-to-export-session"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "receipts.issue":
    | "failed-to-issue-receipt"
    | "session-expired"
    | "session-not-finished"
    | "session-not-found"
    | "token-required"
    | "too-many-requests"
  "receipts.keys":
    | "failed-to-list-receipt-keys"
  "handoffs.create":
    | "carry-invalid"
    | "carry-too-large"
    | "carry-unstorable"
    | "failed-to-create-handoff"
    | "handoff-disabled"
    | "session-expired"
    | "session-not-found"
    | "session-not-updatable"
    | "token-required"
    | "too-many-handoffs"
    | "too-many-requests"
  "handoffs.follow":
    | "failed-to-get-handoff"
    | "session-expired"
    | "session-not-found"
    | "token-required"
    | "too-many-requests"
  "handoffs.cancel":
    | "failed-to-cancel-handoff"
    | "handoff-confirmed"
    | "session-not-found"
    | "token-required"
    | "too-many-requests"
  "handoffs.inspect":
    | "failed-to-get-handoff"
    | "secret-required"
    | "session-expired"
    | "session-not-found"
    | "session-not-updatable"
    | "too-many-requests"
  "handoffs.claim":
    | "failed-to-claim-handoff"
    | "handoff-cancelled"
    | "handoff-claimed"
    | "handoff-expired"
    | "receipt-invalid"
    | "secret-required"
    | "session-expired"
    | "session-not-found"
    | "session-not-updatable"
    | "too-many-requests"
  "handoffs.confirm":
    | "code-invalid"
    | "failed-to-confirm-handoff"
    | "handoff-cancelled"
    | "handoff-confirmed"
    | "handoff-expired"
    | "handoff-not-claimed"
    | "receipt-invalid"
    | "secret-required"
    | "session-expired"
    | "session-not-found"
    | "session-not-updatable"
    | "too-many-requests"
    | "wrong-matching-code"
  "sessions.redact":
    | "cross-site-request"
    | "failed-to-redact-session"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "events.list":
    | "after-invalid"
    | "cross-site-request"
    | "cursor-too-old"
    | "failed-to-list-events"
    | "invalid-api-key"
    | "limit-invalid"
    | "order-invalid"
    | "resource-repeated"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "type-invalid"
    | "unauthorized"
  "events.get":
    | "cross-site-request"
    | "event-not-found"
    | "failed-to-get-event"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
  "catalog.list":
    | "failed-to-list-apis"
    | "limit-invalid"
    | "offset-invalid"
  "publishing.addApi":
    | "cross-site-request"
    | "description-invalid"
    | "description-unstorable"
    | "failed-to-create-api"
    | "name-invalid"
    | "name-required"
    | "name-too-long"
    | "name-unstorable"
    | "not-a-publisher"
    | "role-forbidden"
    | "slug-invalid"
    | "slug-required"
    | "slug-taken"
    | "too-many-apis"
    | "too-many-requests"
    | "unauthorized"
  "catalog.openapiOfAll":
    | "failed-to-describe-apis"
  "catalog.get":
    | "api-not-found"
    | "failed-to-get-api"
  "publishing.changeApi":
    | "api-not-found"
    | "cross-site-request"
    | "description-invalid"
    | "description-unstorable"
    | "failed-to-change-api"
    | "name-empty"
    | "name-invalid"
    | "name-too-long"
    | "name-unstorable"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "catalog.openapi":
    | "api-not-found"
    | "failed-to-describe-api"
  "publishing.becomePublisher":
    | "already-a-publisher"
    | "cross-site-request"
    | "failed-to-create-publisher"
    | "name-invalid"
    | "name-required"
    | "name-too-long"
    | "name-unstorable"
    | "role-forbidden"
    | "slug-invalid"
    | "slug-required"
    | "slug-reserved"
    | "slug-taken"
    | "slug-too-similar"
    | "too-many-requests"
    | "unauthorized"
  "publishing.getPublisher":
    | "cross-site-request"
    | "failed-to-get-publisher"
    | "publisher-not-found"
    | "role-forbidden"
    | "unauthorized"
  "publishing.list":
    | "cross-site-request"
    | "failed-to-list-apis"
    | "publisher-not-found"
    | "role-forbidden"
    | "unauthorized"
  "publishing.addVersion":
    | "api-not-found"
    | "cross-site-request"
    | "failed-to-create-version"
    | "openapi-invalid"
    | "openapi-refused"
    | "openapi-takes-too-long-to-check"
    | "openapi-unstorable"
    | "role-forbidden"
    | "sandbox-upstream-url-invalid"
    | "sandbox-upstream-url-port-refused"
    | "sandbox-upstream-url-private"
    | "timeout-seconds-invalid"
    | "too-many-requests"
    | "too-many-versions"
    | "unauthorized"
    | "upstream-url-invalid"
    | "upstream-url-port-refused"
    | "upstream-url-private"
    | "version-exists"
    | "version-invalid"
    | "version-required"
  "publishing.addPlan":
    | "api-not-found"
    | "cross-site-request"
    | "failed-to-create-plan"
    | "name-invalid"
    | "name-required"
    | "name-too-long"
    | "name-unstorable"
    | "plan-name-taken"
    | "requests-per-minute-invalid"
    | "requests-per-month-invalid"
    | "role-forbidden"
    | "too-many-plans"
    | "too-many-requests"
    | "unauthorized"
  "publishing.publish":
    | "api-not-found"
    | "api-taken-down"
    | "cross-site-request"
    | "failed-to-publish-api"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "publishing.unpublish":
    | "api-not-found"
    | "cross-site-request"
    | "failed-to-unpublish-api"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "subscriptions.create":
    | "already-subscribed"
    | "api-not-found"
    | "cross-site-request"
    | "failed-to-subscribe"
    | "idempotency-key-not-a-uuid"
    | "idempotency-key-reused"
    | "name-required"
    | "name-too-long"
    | "name-unprintable"
    | "name-unstorable"
    | "plan-id-required"
    | "plan-not-found"
    | "request-in-progress"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "subscriptions.list":
    | "cross-site-request"
    | "failed-to-list-subscriptions"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "subscriptions.get":
    | "cross-site-request"
    | "failed-to-get-subscription"
    | "role-forbidden"
    | "subscription-not-found"
    | "too-many-requests"
    | "unauthorized"
  "subscriptions.cancel":
    | "cross-site-request"
    | "failed-to-cancel-subscription"
    | "role-forbidden"
    | "subscription-not-found"
    | "too-many-requests"
    | "unauthorized"
  "marketplaceKeys.list":
    | "cross-site-request"
    | "failed-to-list-api-keys"
    | "role-forbidden"
    | "subscription-not-found"
    | "unauthorized"
  "marketplaceKeys.create":
    | "cross-site-request"
    | "failed-to-create-api-key"
    | "key-mode-invalid"
    | "name-required"
    | "name-too-long"
    | "name-unprintable"
    | "name-unstorable"
    | "role-forbidden"
    | "subscription-cancelled"
    | "subscription-not-found"
    | "too-many-keys"
    | "too-many-requests"
    | "unauthorized"
  "marketplaceKeys.revoke":
    | "api-key-not-found"
    | "cross-site-request"
    | "failed-to-revoke-key"
    | "role-forbidden"
    | "too-many-requests"
    | "unauthorized"
  "marketplaceKeys.rotate":
    | "api-key-not-found"
    | "cross-site-request"
    | "failed-to-rotate-key"
    | "grace-seconds-invalid"
    | "key-not-rotatable"
    | "role-forbidden"
    | "subscription-cancelled"
    | "too-many-requests"
    | "unauthorized"
  "usage.ofSubscription":
    | "cross-site-request"
    | "failed-to-load-usage"
    | "from-not-a-day"
    | "period-reversed"
    | "period-too-long"
    | "role-forbidden"
    | "subscription-not-found"
    | "to-not-a-day"
    | "unauthorized"
  "usage.ofApi":
    | "api-not-found"
    | "cross-site-request"
    | "failed-to-load-usage"
    | "from-not-a-day"
    | "limit-invalid"
    | "offset-too-large"
    | "period-reversed"
    | "period-too-long"
    | "role-forbidden"
    | "to-not-a-day"
    | "unauthorized"
  "webhooks.list":
    | "cross-site-request"
    | "failed-to-list-webhook-endpoints"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
  "webhooks.create":
    | "cross-site-request"
    | "description-empty"
    | "description-too-long"
    | "description-unstorable"
    | "event-types-invalid"
    | "failed-to-create-webhook-endpoint"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "signing-invalid"
    | "too-many-requests"
    | "too-many-webhook-endpoints"
    | "unauthorized"
    | "url-invalid"
    | "url-port-refused"
    | "url-private"
  "webhooks.update":
    | "cross-site-request"
    | "description-empty"
    | "description-too-long"
    | "description-unstorable"
    | "endpoint-status-invalid"
    | "event-types-invalid"
    | "failed-to-change-webhook-endpoint"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
    | "url-invalid"
    | "url-port-refused"
    | "url-private"
    | "webhook-endpoint-not-found"
  "webhooks.remove":
    | "cross-site-request"
    | "failed-to-remove-webhook-endpoint"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
    | "webhook-endpoint-not-found"
  "webhooks.rotateSecret":
    | "cross-site-request"
    | "failed-to-rotate-webhook-secret"
    | "invalid-api-key"
    | "overlap-seconds-invalid"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
    | "webhook-endpoint-not-found"
  "webhooks.test":
    | "cross-site-request"
    | "failed-to-test-webhook-endpoint"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
    | "webhook-endpoint-disabled"
    | "webhook-endpoint-not-found"
  "webhooks.drill":
    | "cross-site-request"
    | "failed-to-drill-webhook-endpoint"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
    | "webhook-endpoint-not-found"
  "webhooks.recover":
    | "cross-site-request"
    | "failed-to-recover-deliveries"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "since-invalid"
    | "too-many-requests"
    | "unauthorized"
    | "webhook-endpoint-disabled"
    | "webhook-endpoint-not-found"
  "webhooks.listDeliveries":
    | "cross-site-request"
    | "cursor-invalid"
    | "delivery-status-invalid"
    | "failed-to-list-deliveries"
    | "invalid-api-key"
    | "limit-invalid"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
    | "webhook-endpoint-not-found"
  "webhooks.getDelivery":
    | "cross-site-request"
    | "delivery-not-found"
    | "failed-to-get-delivery"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
  "webhooks.retryDelivery":
    | "cross-site-request"
    | "delivery-not-found"
    | "failed-to-retry-delivery"
    | "invalid-api-key"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
    | "webhook-endpoint-disabled"
  "auditEvents.list":
    | "action-invalid"
    | "actor-repeated"
    | "cross-site-request"
    | "cursor-invalid"
    | "failed-to-list-audit-events"
    | "from-invalid"
    | "limit-invalid"
    | "period-reversed"
    | "resource-repeated"
    | "role-forbidden"
    | "to-invalid"
    | "unauthorized"
  "operations.ready":
    | "not-ready"
}

/** The codes of all errors. */
export type ErrorCode =
  | "action-invalid"
  | "actor-repeated"
  | "after-invalid"
  | "already-a-publisher"
  | "already-subscribed"
  | "ambiguous-request"
  | "another-person-needed"
  | "api-key-not-found"
  | "api-not-found"
  | "api-taken-down"
  | "body-not-an-object"
  | "body-not-json"
  | "body-too-large"
  | "body-too-slow"
  | "browser-mark-invalid"
  | "carry-invalid"
  | "carry-too-large"
  | "carry-unstorable"
  | "challenge-not-solved"
  | "code-invalid"
  | "company-name-required"
  | "company-name-too-long"
  | "company-name-unprintable"
  | "company-name-unstorable"
  | "completion-status-invalid"
  | "config-invalid"
  | "config-rule-broken"
  | "config-too-large"
  | "config-unstorable"
  | "cross-site-request"
  | "current-password-required"
  | "cursor-invalid"
  | "cursor-too-old"
  | "days-invalid"
  | "decision-invalid"
  | "delivery-not-found"
  | "delivery-status-invalid"
  | "description-empty"
  | "description-invalid"
  | "description-too-long"
  | "description-unstorable"
  | "dev-mode-refused"
  | "disabled-invalid"
  | "email-invalid"
  | "email-required"
  | "email-taken"
  | "email-unstorable"
  | "endpoint-status-invalid"
  | "event-not-found"
  | "event-types-invalid"
  | "expired-invalid"
  | "expires-at-invalid"
  | "expires-in-seconds-invalid"
  | "external-reference-invalid"
  | "external-reference-prefix-invalid"
  | "external-reference-prefix-unstorable"
  | "external-reference-unstorable"
  | "failed-to-accept-the-invitation"
  | "failed-to-add-note"
  | "failed-to-cancel-handoff"
  | "failed-to-cancel-session"
  | "failed-to-cancel-subscription"
  | "failed-to-change-api"
  | "failed-to-change-the-password"
  | "failed-to-change-the-role"
  | "failed-to-change-webhook-endpoint"
  | "failed-to-check-dedup"
  | "failed-to-claim-handoff"
  | "failed-to-claim-session"
  | "failed-to-complete-session"
  | "failed-to-confirm-handoff"
  | "failed-to-create-api"
  | "failed-to-create-api-key"
  | "failed-to-create-captcha-challenge"
  | "failed-to-create-handoff"
  | "failed-to-create-instance"
  | "failed-to-create-plan"
  | "failed-to-create-publisher"
  | "failed-to-create-session"
  | "failed-to-create-test-session"
  | "failed-to-create-version"
  | "failed-to-create-webhook-endpoint"
  | "failed-to-decide-on-session"
  | "failed-to-describe-api"
  | "failed-to-describe-apis"
  | "failed-to-drill-webhook-endpoint"
  | "failed-to-end-the-session"
  | "failed-to-end-the-sessions"
  | "failed-to-export-session"
  | "failed-to-export-sessions"
  | "failed-to-get-api"
  | "failed-to-get-delivery"
  | "failed-to-get-event"
  | "failed-to-get-file"
  | "failed-to-get-funnel"
  | "failed-to-get-handoff"
  | "failed-to-get-instance"
  | "failed-to-get-new-link"
  | "failed-to-get-overview"
  | "failed-to-get-publisher"
  | "failed-to-get-review"
  | "failed-to-get-session"
  | "failed-to-get-subscription"
  | "failed-to-get-timeline"
  | "failed-to-invite"
  | "failed-to-issue-receipt"
  | "failed-to-list-api-keys"
  | "failed-to-list-apis"
  | "failed-to-list-audit-events"
  | "failed-to-list-choices"
  | "failed-to-list-deliveries"
  | "failed-to-list-events"
  | "failed-to-list-files"
  | "failed-to-list-instances"
  | "failed-to-list-invitations"
  | "failed-to-list-matches"
  | "failed-to-list-members"
  | "failed-to-list-notes"
  | "failed-to-list-receipt-keys"
  | "failed-to-list-reviews"
  | "failed-to-list-sessions"
  | "failed-to-list-subscriptions"
  | "failed-to-list-webhook-endpoints"
  | "failed-to-load-api-key-stats"
  | "failed-to-load-the-account"
  | "failed-to-load-usage"
  | "failed-to-publish-api"
  | "failed-to-read-the-invitation"
  | "failed-to-recover-deliveries"
  | "failed-to-redact-session"
  | "failed-to-redeem-captcha-challenge"
  | "failed-to-release-session"
  | "failed-to-remove-the-member"
  | "failed-to-remove-webhook-endpoint"
  | "failed-to-resume-session"
  | "failed-to-retry-delivery"
  | "failed-to-revoke-key"
  | "failed-to-rotate-key"
  | "failed-to-rotate-webhook-secret"
  | "failed-to-sign-in"
  | "failed-to-sign-out"
  | "failed-to-sign-up"
  | "failed-to-store-file"
  | "failed-to-subscribe"
  | "failed-to-test-webhook-endpoint"
  | "failed-to-unpublish-api"
  | "failed-to-update-instance"
  | "failed-to-update-progress"
  | "failed-to-verify-captcha-token"
  | "failed-to-withdraw-the-invitation"
  | "failure-redirect-url-invalid"
  | "file-empty"
  | "file-not-found"
  | "file-too-large"
  | "file-type-refused"
  | "flags-invalid"
  | "from-invalid"
  | "from-not-a-day"
  | "grace-seconds-invalid"
  | "handoff-cancelled"
  | "handoff-claimed"
  | "handoff-confirmed"
  | "handoff-disabled"
  | "handoff-expired"
  | "handoff-not-claimed"
  | "host-not-served"
  | "idempotency-key-invalid"
  | "idempotency-key-not-a-uuid"
  | "idempotency-key-reused"
  | "image-too-large"
  | "instance-forbidden"
  | "instance-id-repeated"
  | "instance-key-unstorable"
  | "instance-not-found"
  | "instance-required"
  | "internal-server-error"
  | "invalid-api-key"
  | "invalid-login"
  | "invitation-not-found"
  | "key-collision"
  | "key-hash-invalid"
  | "key-mode-invalid"
  | "key-not-rotatable"
  | "limit-invalid"
  | "member-not-found"
  | "metadata-invalid"
  | "metadata-too-large"
  | "metadata-unstorable"
  | "method-not-allowed"
  | "missing-token"
  | "mode-invalid"
  | "name-empty"
  | "name-invalid"
  | "name-required"
  | "name-too-long"
  | "name-unprintable"
  | "name-unstorable"
  | "new-password-too-long"
  | "new-password-too-short"
  | "new-password-unstorable"
  | "no-built-in-captcha"
  | "no-copy"
  | "no-resubmission"
  | "not-a-publisher"
  | "not-examined"
  | "not-found"
  | "not-ready"
  | "note-empty"
  | "note-too-long"
  | "note-unstorable"
  | "offset-invalid"
  | "offset-too-large"
  | "openapi-invalid"
  | "openapi-refused"
  | "openapi-takes-too-long-to-check"
  | "openapi-unstorable"
  | "order-invalid"
  | "original-invalid"
  | "overlap-seconds-invalid"
  | "owner-needed"
  | "password-required"
  | "password-too-long"
  | "password-too-short"
  | "password-unstorable"
  | "pdf-refused"
  | "period-reversed"
  | "period-too-long"
  | "plan-id-required"
  | "plan-name-taken"
  | "plan-not-found"
  | "progress-invalid"
  | "progress-status-invalid"
  | "progress-too-large"
  | "progress-unstorable"
  | "publisher-not-found"
  | "reason-unknown"
  | "reasons-invalid"
  | "receipt-invalid"
  | "request-in-progress"
  | "requests-per-minute-invalid"
  | "requests-per-month-invalid"
  | "resource-repeated"
  | "result-too-large"
  | "result-unstorable"
  | "review-invalid"
  | "review-status-invalid"
  | "reviewer-repeated"
  | "role-forbidden"
  | "role-invalid"
  | "sandbox-upstream-url-invalid"
  | "sandbox-upstream-url-port-refused"
  | "sandbox-upstream-url-private"
  | "scope-missing"
  | "scopes-invalid"
  | "secret-required"
  | "session-already-completed"
  | "session-already-decided"
  | "session-claimed"
  | "session-expired"
  | "session-id-required"
  | "session-not-finished"
  | "session-not-found"
  | "session-not-reviewable"
  | "session-not-updatable"
  | "signing-invalid"
  | "signup-closed"
  | "since-invalid"
  | "site-key-required"
  | "slug-invalid"
  | "slug-required"
  | "slug-reserved"
  | "slug-taken"
  | "slug-too-similar"
  | "solution-required"
  | "status-invalid"
  | "step-unknown"
  | "steps-invalid"
  | "subscription-cancelled"
  | "subscription-not-found"
  | "success-redirect-url-invalid"
  | "target-with-fragment"
  | "text-required"
  | "text-too-long"
  | "text-unstorable"
  | "timeout-seconds-invalid"
  | "to-invalid"
  | "to-not-a-day"
  | "token-required"
  | "too-many-api-keys"
  | "too-many-apis"
  | "too-many-dedup-checks"
  | "too-many-files"
  | "too-many-handoffs"
  | "too-many-instances"
  | "too-many-keys"
  | "too-many-members"
  | "too-many-plans"
  | "too-many-requests"
  | "too-many-versions"
  | "too-many-webhook-endpoints"
  | "type-invalid"
  | "unauthorized"
  | "upload-incomplete"
  | "upstream-url-invalid"
  | "upstream-url-port-refused"
  | "upstream-url-private"
  | "url-invalid"
  | "url-port-refused"
  | "url-private"
  | "version-exists"
  | "version-invalid"
  | "version-required"
  | "webhook-endpoint-disabled"
  | "webhook-endpoint-not-found"
  | "workflow-invalid"
  | "workflow-rule-broken"
  | "workflow-too-large"
  | "workflow-unstorable"
  | "wrong-matching-code"
  | "wrong-password"
