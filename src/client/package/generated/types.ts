// Made from doorlock's contract by `bun run test contract/client -u`. Do not edit.

export interface KycSessionCreatedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A KYC session was created. */
  type: "kyc.session.created"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

/** ISO 8601 in UTC, with milliseconds. */
export type Timestamp = string

export interface KycSessionEventData {
  /** The id of the resource that changed. */
  id: string
  instance_id: string
  /** The status of the session when the event was recorded; `expired` only in `kyc.session.expired`. */
  status: "created" | "running" | "completed" | "failed" | "cancelled" | "expired"
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** The `externalReference` of the session's creation; absent if there was none. */
  external_reference?: string
  /** Only in `kyc.session.completed`: the codes of the rules that the answers break, as in `failed_rules` of the session; absent if there are none. */
  failed_rules?: Array<string>
  /** The path of the resource in the API. */
  url: string
}

export interface KycSessionStartedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A KYC session first became running. */
  type: "kyc.session.started"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionCompletedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A KYC session was completed. */
  type: "kyc.session.completed"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionFailedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A KYC session failed. */
  type: "kyc.session.failed"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionCancelledEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A KYC session was cancelled. */
  type: "kyc.session.cancelled"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionResumedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A KYC session got a new link, and maybe a new lifetime. `status` is `created` or `running`. */
  type: "kyc.session.resumed"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionExpiredEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A KYC session expired before it was finished. Recorded at most 60 seconds later. */
  type: "kyc.session.expired"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionReviewClaimedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A reviewer claimed a KYC session. Renewing a claim records no event. */
  type: "kyc.session.review_claimed"
  /** When it happened. */
  timestamp: Timestamp
  data: KycReviewEventData
}

export interface KycReviewEventData {
  /** The id of the resource that changed. */
  id: string
  instance_id: string
  /** The status of the session when the event was recorded; `expired` only in `kyc.session.expired`. */
  status: "created" | "running" | "completed" | "failed" | "cancelled" | "expired"
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** The `externalReference` of the session's creation; absent if there was none. */
  external_reference?: string
  /** Only in `kyc.session.completed`: the codes of the rules that the answers break, as in `failed_rules` of the session; absent if there are none. */
  failed_rules?: Array<string>
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
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A reviewer gave up their claim on a KYC session. */
  type: "kyc.session.review_released"
  /** When it happened. */
  timestamp: Timestamp
  data: KycReviewEventData
}

export interface KycSessionReviewProposedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A decision on a KYC session was proposed, with four eyes, instead of the proposal before if there was one. */
  type: "kyc.session.review_proposed"
  /** When it happened. */
  timestamp: Timestamp
  data: KycReviewEventData
}

export interface KycSessionReviewedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A KYC session was decided. */
  type: "kyc.session.reviewed"
  /** When it happened. */
  timestamp: Timestamp
  data: KycReviewEventData
}

export interface KycSessionNotedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A note was added to a KYC session, alone or with a decision. The event does not contain its text. */
  type: "kyc.session.noted"
  /** When it happened. */
  timestamp: Timestamp
  data: KycNoteEventData
}

export interface KycNoteEventData {
  /** The id of the resource that changed. */
  id: string
  instance_id: string
  /** The status of the session when the event was recorded; `expired` only in `kyc.session.expired`. */
  status: "created" | "running" | "completed" | "failed" | "cancelled" | "expired"
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** The `externalReference` of the session's creation; absent if there was none. */
  external_reference?: string
  /** Only in `kyc.session.completed`: the codes of the rules that the answers break, as in `failed_rules` of the session; absent if there are none. */
  failed_rules?: Array<string>
  /** The path of the resource in the API. */
  url: string
  /** A user's id, or `api` for a platform key. */
  by: string
}

export interface KycChecksCompletedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** The photos of a KYC session were checked. Read the results from the session's `checks`. */
  type: "kyc.checks.completed"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface KycSessionRedactedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** The personal data of a KYC session was destroyed. */
  type: "kyc.session.redacted"
  /** When it happened. */
  timestamp: Timestamp
  data: KycSessionEventData
}

export interface ApiKeyCreatedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A platform API key was created. */
  type: "api_key.created"
  /** When it happened. */
  timestamp: Timestamp
  data: ApiKeyEventData
}

export interface ApiKeyEventData {
  /** The id of the resource that changed. */
  id: string
  /** The status after the change. */
  status: "active" | "revoked"
  /** The path of the resource in the API. */
  url: string
}

export interface ApiKeyRevokedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A platform API key was revoked. */
  type: "api_key.revoked"
  /** When it happened. */
  timestamp: Timestamp
  data: ApiKeyEventData
}

export interface ApiKeyExpiringEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A platform API key expires in seven days. Keys that were created with less time left than that get no such event. */
  type: "api_key.expiring"
  /** When it happened. */
  timestamp: Timestamp
  data: ApiKeyEventData
}

export interface MarketplaceSubscriptionCreatedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A company subscribed to an API. The subscriber and the publisher each get an event. */
  type: "marketplace.subscription.created"
  /** When it happened. */
  timestamp: Timestamp
  data: SubscriptionEventData
}

export interface SubscriptionEventData {
  /** The id of the resource that changed. */
  id: string
  api_id: string
  plan_id: string
  /** The status after the change. */
  status: "active" | "cancelled"
  /** The path of the resource in the API. */
  url: string
}

export interface MarketplaceSubscriptionCancelledEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A subscription was cancelled. The subscriber and the publisher each get an event. */
  type: "marketplace.subscription.cancelled"
  /** When it happened. */
  timestamp: Timestamp
  data: SubscriptionEventData
}

export interface MarketplaceKeyCreatedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A marketplace key was created. */
  type: "marketplace.key.created"
  /** When it happened. */
  timestamp: Timestamp
  data: MarketplaceKeyEventData
}

export interface MarketplaceKeyEventData {
  /** The id of the resource that changed. */
  id: string
  subscription_id: string
  /** `test`: its calls go to a sandbox, if the API has one. */
  mode: "live" | "test"
  /** The status after the change. A `replaced` key may still work for a while. */
  status: "active" | "replaced" | "revoked"
  /** The path of the resource in the API. */
  url: string
}

export interface MarketplaceKeyRotatedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A marketplace key was replaced by a new one. */
  type: "marketplace.key.rotated"
  /** When it happened. */
  timestamp: Timestamp
  data: MarketplaceKeyEventData
}

export interface MarketplaceKeyRevokedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A marketplace key was revoked. */
  type: "marketplace.key.revoked"
  /** When it happened. */
  timestamp: Timestamp
  data: MarketplaceKeyEventData
}

export interface MarketplaceQuotaReachedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A company has used 80 or 100 percent of its plan's requests per month. Each of the two is recorded once a month, for the subscriber. */
  type: "marketplace.quota.reached"
  /** When it happened. */
  timestamp: Timestamp
  data: QuotaEventData
}

export interface QuotaEventData {
  /** The id of the subscription. */
  id: string
  api_id: string
  plan_id: string
  /** `test`: the calls to a sandbox, which are counted separately. */
  mode: "live" | "test"
  /** How much of the plan's month is used. */
  percent: 80 | 100
  /** The calendar month, UTC. */
  month: string
  /** The path of the resource in the API. */
  url: string
}

export interface MarketplaceApiPublishedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** An API was published. The publisher and the subscribers get an event. */
  type: "marketplace.api.published"
  /** When it happened. */
  timestamp: Timestamp
  data: ApiEventData
}

export interface ApiEventData {
  /** The id of the resource that changed. */
  id: string
  /** The status after the change. */
  status: "draft" | "published"
  /** The name of the new version; only in `marketplace.api.version_added`. */
  version?: string
  /** The path of the resource in the API. */
  url: string
}

export interface MarketplaceApiUnpublishedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** An API was unpublished. The publisher and the subscribers get an event. */
  type: "marketplace.api.unpublished"
  /** When it happened. */
  timestamp: Timestamp
  data: ApiEventData
}

export interface MarketplaceApiVersionAddedEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** An API got a new version. The publisher and the subscribers get an event. */
  type: "marketplace.api.version_added"
  /** When it happened. */
  timestamp: Timestamp
  data: ApiEventData
}

export interface WebhookEndpointDisabledEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** doorlock disabled a webhook endpoint, because it answered 410 or has failed for five days. */
  type: "webhook.endpoint.disabled"
  /** When it happened. */
  timestamp: Timestamp
  data: WebhookEndpointEventData
}

export interface WebhookEndpointEventData {
  /** The id of the resource that changed. */
  id: string
  /** The status after the change. */
  status: "disabled"
  /** `gone`: it answered 410. `failing`: nothing succeeded for five days. */
  reason: "gone" | "failing"
  /** The path of the resource in the API. */
  url: string
}

export interface WebhookTestEvent {
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** A test delivery was requested. Only the tested endpoint receives it. */
  type: "webhook.test"
  /** When it happened. */
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
  /** The name of the new company. */
  companyName: string
  email: string
  /** Any text of 12 to 1024 characters. */
  password: string
}

export interface User {
  id: string
  email: string
  /** `owner`: everything. `member`: everything except members, invitations and the audit trail. `reviewer`: sees and decides on sessions. `viewer`: only reads. */
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
  /** Any text of 12 to 1024 characters. */
  newPassword: string
}

export interface DashboardSession {
  id: string
  /** Whether this is the session of this request. */
  current: boolean
  /** The browser's `User-Agent` at sign-in; null if it sent none. */
  user_agent: string | null
  created_at: Timestamp
  last_seen_at: Timestamp
  expires_at: Timestamp
}

export interface Member {
  id: string
  email: string
  /** `owner`: everything. `member`: everything except members, invitations and the audit trail. `reviewer`: sees and decides on sessions. `viewer`: only reads. */
  role: "owner" | "member" | "reviewer" | "viewer"
  created_at: Timestamp
  /** The latest use of any of their dashboard sessions; null if none is open. */
  last_seen_at: Timestamp | null
}

export interface ChangeRole {
  /** `owner`: everything. `member`: everything except members, invitations and the audit trail. `reviewer`: sees and decides on sessions. `viewer`: only reads. */
  role: "owner" | "member" | "reviewer" | "viewer"
}

export interface Invitation {
  id: string
  email: string
  /** `owner`: everything. `member`: everything except members, invitations and the audit trail. `reviewer`: sees and decides on sessions. `viewer`: only reads. */
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
  /** `owner`: everything. `member`: everything except members, invitations and the audit trail. `reviewer`: sees and decides on sessions. `viewer`: only reads. */
  role: "owner" | "member" | "reviewer" | "viewer"
}

export interface OpenInvitationByToken {
  /** The part of the invitation's link after `#token=`. */
  token: string
}

export interface OpenInvitation {
  email: string
  /** `owner`: everything. `member`: everything except members, invitations and the audit trail. `reviewer`: sees and decides on sessions. `viewer`: only reads. */
  role: "owner" | "member" | "reviewer" | "viewer"
  company_name: string
  expires_at: Timestamp
}

export interface AcceptInvitation {
  /** The part of the invitation's link after `#token=`. */
  token: string
  /** Any text of 12 to 1024 characters. */
  password: string
  /** Another address to sign in with, if the invited one already has an account. */
  email?: string | undefined
}

export interface ApiKey {
  id: string
  name: string
  /** What the key may do, such as `kyc:sessions:create`. `*` is everything; an empty list is nothing. */
  scopes: Array<string>
  /** When the key stops working; null if it never expires. */
  expiresAt: Timestamp | null
  /** Whether the key works now: it is neither revoked nor expired. */
  activeNow: boolean
  /** The first characters of the token, to tell keys apart. The token itself is not stored. */
  token_prefix: string
  created_at: Timestamp
  /** The latest call with the key, to within a minute; null if there was none. */
  last_used_at: Timestamp | null
  /** When the key was revoked; null if it was not. */
  revoked_at: Timestamp | null
}

export interface CreateApiKey {
  name: string
  /** What the key may do, such as `kyc:sessions:create`. By default ["*"]. */
  scopes?: ReadonlyArray<string> | null | undefined
  /** An ISO 8601 date or date-time. Without it, the key never expires. */
  expiresAt?: string | null | undefined
}

export interface ApiKeyStats {
  /** All keys, including expired and revoked ones. */
  total: number
  /** Keys that are neither revoked nor expired. */
  active: number
  /** Revoked keys. A key that has only expired is not counted here. */
  revoked_or_disabled: number
  /** Keys that were used in the last 24 hours. */
  used_last_24h: number
}

export interface KycInstance {
  id: string
  name: string
  /** Names the instance when a session is created. It begins with `kyc_pk_` and is not secret. */
  public_key: string
  /** How the hosted page looks and what it checks. Its JSON Schema is `/schemas/kyc-config.json`. */
  config: { [key: string]: unknown }
  /** The steps that sessions go through. Its JSON Schema is `/schemas/kyc-workflow.json`. */
  workflow: { [key: string]: unknown }
  /** Since when no sessions can be created; null while the instance is enabled. */
  disabled_at: Timestamp | null
  created_at: Timestamp
}

export interface CreateKycInstance {
  name: string
  /** Must match the JSON Schema at `/schemas/kyc-config.json`. Unknown fields are stored and ignored. */
  config?: { [key: string]: unknown } | null | undefined
  /** Must match the JSON Schema at `/schemas/kyc-workflow.json`. Unknown fields are stored and ignored. */
  workflow?: { [key: string]: unknown } | null | undefined
}

export interface UpdateKycInstance {
  /** The new name. Without it, the name stays as it is. */
  name?: string | null | undefined
  /** Must match the JSON Schema at `/schemas/kyc-config.json`. Unknown fields are stored and ignored. */
  config?: { [key: string]: unknown } | null | undefined
  /** Must match the JSON Schema at `/schemas/kyc-workflow.json`. Unknown fields are stored and ignored. */
  workflow?: { [key: string]: unknown } | null | undefined
  /** `true`: no sessions can be created any more. Existing ones continue. `false` enables the instance again. */
  disabled?: boolean | null | undefined
}

export interface CreatedKycSession {
  id: string
  instance_id: string
  company_id: string
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** `created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status. */
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  /** The `externalReference` of the creation, such as a customer number; null if there was none. */
  external_reference: string | null
  /** When the end user's access ends. The company can still read the session. */
  expires_at: Timestamp
  created_at: Timestamp
}

export interface CreateKycSession {
  /** The instance's `public_key`. Required without `instanceId`; if both are given, they must name the same instance. */
  instanceKey?: string | null | undefined
  /** The instance's id, in place of `instanceKey`. */
  instanceId?: string | null | undefined
  /** Your own name for the session, such as a customer number. It need not be unique, and is stored in plain text: put no personal data into it. */
  externalReference?: string | null | undefined
  /** The session's lifetime. Default: 3600. */
  expiresInSeconds?: number | null | undefined
  /** Where the end user goes after the status `completed`. Default: the instance's, or else doorlock's result page. */
  successRedirectUrl?: string | null | undefined
  /** Where the end user goes after the status `failed` or `cancelled`. Default: the instance's, or else doorlock's result page. */
  failureRedirectUrl?: string | null | undefined
  /** Your own data, of at most 16 KiB as JSON. doorlock returns it, to the end user, too, and does not read it. */
  metadata?: { [key: string]: unknown } | null | undefined
  /** `prod`: a real verification. `dev`: a test, which the installation must allow. Default: `prod`. */
  mode?: "prod" | "dev" | null | undefined
}

export interface KycSession {
  id: string
  instance_id: string
  company_id: string
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** `created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status. */
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  /** The `externalReference` of the creation, such as a customer number; null if there was none. */
  external_reference: string | null
  /** When the end user's access ends. The company can still read the session. */
  expires_at: Timestamp
  created_at: Timestamp
  /** When the status first became `running`; null if it never did. */
  started_at: Timestamp | null
  updated_at: Timestamp
  /** When the session was completed, failed or was cancelled; null until then. */
  completed_at: Timestamp | null
  /** When the personal data was destroyed; null if it was not. From then on, `progress`, `result` and `metadata` are null. */
  redacted_at: Timestamp | null
  /** What the end user has entered so far: `s_<step id>` has the answers of a step. Null after a redaction. */
  progress: JsonObject | null
  /** What the browser sent when it finished the session; null if it sent nothing, and after a redaction. */
  result: unknown
  /** The `metadata` of the creation; null if there was none, and after a redaction. */
  metadata: JsonObject | null
  /** The instance's config when the session was created. */
  instance_config: { [key: string]: unknown }
  /** The instance's workflow when the session was created. */
  instance_workflow: { [key: string]: unknown }
}

export type JsonObject = { [key: string]: unknown }

export interface UpdateKycProgress {
  /** The session's token. */
  token: string
  /** Top-level keys to set. Others keep their values. */
  progress?: { [key: string]: unknown } | undefined
  /** The new status. Without it, the status stays as it is. */
  status?: "created" | "running" | "failed" | "cancelled" | undefined
}

export interface CompleteKycSession {
  /** The session's token. */
  token: string
  /** A random number that the hosted page keeps in the browser for 30 days if `checks.sameBrowser` in the config is true. Only a keyed hash of it is stored. */
  browserMark?: string | undefined
  /** Any JSON of at most 1 MiB, for the company to read. */
  result?: unknown | undefined
  /** How the session ended. Default: `completed`. */
  status?: "completed" | "failed" | "cancelled" | undefined
}

export interface ListedKycSession {
  id: string
  instance_id: string
  company_id: string
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** `created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status. */
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  /** The `externalReference` of the creation, such as a customer number; null if there was none. */
  external_reference: string | null
  /** When the end user's access ends. The company can still read the session. */
  expires_at: Timestamp
  created_at: Timestamp
  /** When the status first became `running`; null if it never did. */
  started_at: Timestamp | null
  updated_at: Timestamp
  /** When the session was completed, failed or was cancelled; null until then. */
  completed_at: Timestamp | null
  /** When the personal data was destroyed; null if it was not. From then on, `progress`, `result` and `metadata` are null. */
  redacted_at: Timestamp | null
  /** What the end user has entered so far: `s_<step id>` has the answers of a step. Null after a redaction. */
  progress: JsonObject | null
  /** What the browser sent when it finished the session; null if it sent nothing, and after a redaction. */
  result: unknown
  /** The `metadata` of the creation; null if there was none, and after a redaction. */
  metadata: JsonObject | null
  /** If the session asks for some steps again: the workflow of the first session, which has all steps. `progress` has the answers to them. Null for all other sessions. */
  first_workflow: JsonObject | null
  /** What the server has noticed: the same document or person in an earlier session; completed without the captcha; completed without a required step; completed although the answers break a rule (`failed_rules`). A flag is never removed. */
  flags: Array<"dedup_match" | "captcha_missing" | "steps_missing" | "rule_failed">
  /** Why the hosted page would not have gone on, with these answers: the codes of the workflow's rules, `AGE_TOO_LOW`, `AGE_TOO_HIGH`, `COUNTRY_NOT_ALLOWED`, `DOCUMENT_NOT_ALLOWED`, `DOCUMENT_EXPIRED`, `ANSWER_INVALID`, `ANSWERS_DIFFER`, `DUPLICATE_IDENTITY`, `DUPLICATE_NOT_CHECKED`. Found at completion; empty before, and after a redaction. */
  failed_rules: Array<string>
  assurance: Assurance
  /** Null unless the session is completed and its instance has a review. */
  review: KycReview | null
  /** The session whose review asked for this one; null if none did. */
  previous_session_id: string | null
  /** The session that the review of this one asked for; null if it asked for none. */
  next_session_id: string | null
  /** The instance's config when the session was created; of a resubmission, that of the session before. Absent unless `include` names it. */
  instance_config?: { [key: string]: unknown }
  /** The instance's workflow when the session was created; absent unless `include` names it. */
  instance_workflow?: { [key: string]: unknown }
}

/** What the server itself knows about the session. The browser cannot write it. */
export interface Assurance {
  /** The captcha that the end user solved. */
  captcha: {
    /** Whether a captcha token was accepted. */
    verified: boolean
    /** The score of the accepted token, from 0 (a bot) to 1 (a human); null if there is none. */
    score: number | null
    /** When the token was accepted; null if none was accepted. */
    at: Timestamp | null
  }
  /** The dedup checks of the session. */
  dedup: {
    /** Whether another session of the company checked the same document or person, besides those that this one resubmits or that resubmit it. */
    matchFound: boolean
    /** How many did, including this one; of several documents or persons, the highest number. 0 if nothing was checked in this session, or in one whose answers it carries on. */
    seenCount: number
    /** Whether one of them that checked it before this session was completed, besides those of which this is a resubmission. If not, whoever holds the link of an unfinished session may have made the match. */
    earlierCompleted: boolean
  }
  /** Whether every required step has a whole answer: in `progress`, with all that the page asks for, and files of this session. From completion on, as it was then; false after a redaction. */
  requiredStepsPresent: boolean
  /** Ids of the required steps without a whole answer; empty after a redaction. */
  missingSteps: Array<string>
  /** Milliseconds from `started_at`, or else `created_at`, to `completed_at`; null until then. */
  durationMs: number | null
}

export interface KycReview {
  status: KycReviewStatus
  /** Null until it is decided. `resubmission`: the person has to do some steps again, in a new session. */
  decision: KycReviewDecision | null
  /** Codes of the config's `review.reasons`; empty until it is decided. */
  reasons: Array<string>
  /** Null until it is decided. */
  decided_at: Timestamp | null
  /** A user's id, or `api` for a platform key. Null until it is decided. */
  decided_by: string | null
}

/** `pending`: nobody has decided yet. `proposed`: one person has, and another has to confirm. `decided` is final. */
export type KycReviewStatus = "pending" | "proposed" | "decided"

/** `resubmission`: the person has to do some steps again, in a new session. */
export type KycReviewDecision = "approved" | "declined" | "resubmission"

export interface CheckedKycSession {
  id: string
  instance_id: string
  company_id: string
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** `created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status. */
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  /** The `externalReference` of the creation, such as a customer number; null if there was none. */
  external_reference: string | null
  /** When the end user's access ends. The company can still read the session. */
  expires_at: Timestamp
  created_at: Timestamp
  /** When the status first became `running`; null if it never did. */
  started_at: Timestamp | null
  updated_at: Timestamp
  /** When the session was completed, failed or was cancelled; null until then. */
  completed_at: Timestamp | null
  /** When the personal data was destroyed; null if it was not. From then on, `progress`, `result` and `metadata` are null. */
  redacted_at: Timestamp | null
  /** What the end user has entered so far: `s_<step id>` has the answers of a step. Null after a redaction. */
  progress: JsonObject | null
  /** What the browser sent when it finished the session; null if it sent nothing, and after a redaction. */
  result: unknown
  /** The `metadata` of the creation; null if there was none, and after a redaction. */
  metadata: JsonObject | null
  /** The instance's config when the session was created. */
  instance_config: { [key: string]: unknown }
  /** The instance's workflow when the session was created. */
  instance_workflow: { [key: string]: unknown }
  /** If the session asks for some steps again: the workflow of the first session, which has all steps. `progress` has the answers to them. Null for all other sessions. */
  first_workflow: JsonObject | null
  /** What the server has noticed: the same document or person in an earlier session; completed without the captcha; completed without a required step; completed although the answers break a rule (`failed_rules`). A flag is never removed. */
  flags: Array<"dedup_match" | "captcha_missing" | "steps_missing" | "rule_failed">
  /** Why the hosted page would not have gone on, with these answers: the codes of the workflow's rules, `AGE_TOO_LOW`, `AGE_TOO_HIGH`, `COUNTRY_NOT_ALLOWED`, `DOCUMENT_NOT_ALLOWED`, `DOCUMENT_EXPIRED`, `ANSWER_INVALID`, `ANSWERS_DIFFER`, `DUPLICATE_IDENTITY`, `DUPLICATE_NOT_CHECKED`. Found at completion; empty before, and after a redaction. */
  failed_rules: Array<string>
  assurance: Assurance
  /** Null unless the session is completed and its instance has a review. */
  review: KycReview | null
  /** The session whose review asked for this one; null if none did. */
  previous_session_id: string | null
  /** The session that the review of this one asked for; null if it asked for none. */
  next_session_id: string | null
  /** What doorlock itself saw in the photos, in the order in which to show it. Empty unless the session is completed; always empty if `checks.photos` in its config is false; the event `kyc.checks.completed` says when the checks are done. */
  checks: Array<KycCheck>
}

/** What doorlock itself saw in the photos that the person sent. It is information for a decision, not a decision. */
export interface KycCheck {
  id: string
  /** What was checked. New kinds may be added. */
  kind: "document.mrz" | "document.mrz_matches" | "document.barcode" | "document.expiry" | "person.age" | "selfie.faces" | "selfie.similarity" | "photo.quality" | "photo.duplicate" | "session.signals"
  /** `agrees` with what was typed, or with the rule; `differs`; `unreadable`: nothing certain can be said; `not_checked`: the check did not run. */
  outcome: "agrees" | "differs" | "unreadable" | "not_checked"
  /** One sentence that explains the outcome. */
  reason: string
  /** What was read. Its fields depend on the kind. */
  detail: { [key: string]: unknown }
  /** The ids of the photos that were checked. */
  file_ids: Array<string>
  at: Timestamp
  /** What checked it, with its version. */
  engine: string
}

export interface KycSessionOverview {
  id: string
  instance_id: string
  company_id: string
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** `created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status. */
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  /** The `externalReference` of the creation, such as a customer number; null if there was none. */
  external_reference: string | null
  /** When the end user's access ends. The company can still read the session. */
  expires_at: Timestamp
  created_at: Timestamp
  /** When the status first became `running`; null if it never did. */
  started_at: Timestamp | null
  updated_at: Timestamp
  /** When the session was completed, failed or was cancelled; null until then. */
  completed_at: Timestamp | null
}

export interface ResumeKycSession {
  /** The new lifetime, from now. Without it, `expires_at` stays as it is. */
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
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** The `externalReference` of the session's creation; null if there was none. */
  external_reference: string | null
  /** What the server has noticed: the same document or person in an earlier session; completed without the captcha; completed without a required step; completed although the answers break a rule (`failed_rules`). A flag is never removed. */
  flags: Array<"dedup_match" | "captcha_missing" | "steps_missing" | "rule_failed">
  /** Why the hosted page would not have gone on, with these answers: the codes of the workflow's rules, `AGE_TOO_LOW`, `AGE_TOO_HIGH`, `COUNTRY_NOT_ALLOWED`, `DOCUMENT_NOT_ALLOWED`, `DOCUMENT_EXPIRED`, `ANSWER_INVALID`, `ANSWERS_DIFFER`, `DUPLICATE_IDENTITY`, `DUPLICATE_NOT_CHECKED`. Found at completion; empty before, and after a redaction. */
  failed_rules: Array<string>
  status: KycReviewStatus
  /** Null until it is decided. `resubmission`: the person has to do some steps again, in a new session. */
  decision: KycReviewDecision | null
  /** Codes of the config's `review.reasons`; empty until it is decided. */
  reasons: Array<string>
  /** Null until it is decided. */
  decided_at: Timestamp | null
  /** A user's id, or `api` for a platform key. Null until it is decided. */
  decided_by: string | null
  /** The user's email address; null for a platform key and for a removed user. */
  decided_by_email: string | null
  /** When the session was completed. */
  waiting_since: Timestamp
  /** Who is reviewing the session now; null if nobody is. */
  claim: {
    user_id: string
    email: string
    /** When the claim ends, unless it is renewed. */
    until: Timestamp
  } | null
  /** With four eyes, the decision that was proposed last; null if none was. */
  proposal: {
    decision: KycReviewDecision
    /** Codes of the config's `review.reasons`. */
    reasons: Array<string>
    /** For a resubmission: the ids of the steps to ask for again; otherwise empty. */
    steps: Array<string>
    proposed_at: Timestamp
    /** A user's id, or `api` for a platform key. */
    proposed_by: string
    /** The user's email address; null for a platform key and for a removed user. */
    proposed_by_email: string | null
  } | null
  /** The session whose review asked for this one; null if none did. */
  previous_session_id: string | null
  /** The session that the review of this one asked for; null if it asked for none. */
  next_session_id: string | null
  /** Who was shown a link to this session, or to one from which its answers are carried over, after it was asked for again or resumed, and so could have answered in it. With four eyes, none of them decides on it. */
  link_shown_to: Array<{
    /** A user's id, or `api` for a platform key. */
    by: string
    /** The user's email address; null for a platform key and for a removed user. */
    email: string | null
  }>
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
  /** Whether two people have to decide. */
  four_eyes: boolean
  /** The reasons that a decision may name, from the config. */
  reasons: Array<{
    /** What a decision names in `reasons`. */
    code: string
    /** What reviewers read. */
    text: string
  }>
  /** The steps that a resubmission may ask for. */
  steps: Array<{
    id: string
    /** The type of the step, such as `form`. */
    type: string
  }>
}

export interface DecideKycReview {
  /** `resubmission`: the person has to do some steps again, in a new session. */
  decision: "approved" | "declined" | "resubmission"
  /** Codes of `review.reasons` in the config of the session's instance. */
  reasons?: ReadonlyArray<string> | undefined
  /** Stored as a note of the session, which the end user never sees. */
  note?: string | null | undefined
  /** Required for a resubmission: the steps to ask for again. */
  steps?: ReadonlyArray<string> | undefined
  /** For a resubmission: the lifetime of the new session. Default: seven days. */
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
  /** The user's email address; null for a platform key and for a removed user. */
  written_by_email: string | null
  created_at: Timestamp
}

export interface AddKycSessionNote {
  /** At most 4000 characters. */
  text: string
}

/** What happened to a session, and when. Its other fields depend on `type`. */
export type KycTimelineEvent = {
  /** What happened. */
  type: "created" | "started" | "completed" | "failed" | "cancelled" | "expires" | "expired" | "redacted"
  at: Timestamp
} | {
  /** What happened. */
  type: "progress"
  at: Timestamp
  /** The ids of the steps. */
  steps: Array<string>
} | {
  /** What happened. */
  type: "captcha_verified"
  at: Timestamp
  /** From 0 (a bot) to 1 (a human); null if it was not stored. */
  score: number | null
} | {
  /** What happened. */
  type: "dedup_checked"
  at: Timestamp
  /** Whether another session had the same key hash before. The sessions before a resubmission do not count. */
  matchFound: boolean
} | {
  /** What happened. */
  type: "file_stored"
  at: Timestamp
  file_id: string
  /** The type that the first bytes show, not the declared one. */
  content_type: "image/jpeg" | "image/png" | "image/webp" | "application/pdf"
  /** Bytes. */
  size: number
} | {
  /** What happened. */
  type: "handoff_created" | "handoff_claimed" | "handoff_confirmed" | "handoff_refused" | "handoff_cancelled"
  at: Timestamp
  handoff_id: string
  /** The kind of device that claimed it, as the device reports it; null until then. */
  device: HandoffDevice | null
} | {
  /** What happened. */
  type: "review_proposed" | "reviewed"
  at: Timestamp
  decision: KycReviewDecision
  /** A user's id, or `api` for a platform key. */
  by: string
}

/** The kind of device that claimed the handoff, as the device reports it. It helps the end user to notice a stranger's device. */
export type HandoffDevice = "iphone" | "ipad" | "android_phone" | "android_tablet" | "computer" | "unknown"

export interface VerifyCaptcha {
  /** The session's token. */
  token: string
  /** The token that the captcha gave the browser: a JWT. */
  captchaToken: string
  /** The site key of the captcha. The token must be for it. */
  siteKey: string
}

export interface CaptchaVerified {
  ok: true
  /** The token was accepted. */
  success: true
  /** From 0 (a bot) to 1 (a human), according to the captcha; 0 if it gave no score. */
  score: number
}

export interface CaptchaRejected {
  ok: true
  /** The token was rejected. */
  success: false
  error: CaptchaRejection
}

/** The first reason, in this order. `SITE_MISMATCH`, `SESSION_MISMATCH`: the token is for another site or session. `LOW_SCORE`: below the instance's minimum. `DUPE`: another session has used it. */
export type CaptchaRejection = "MALFORMED" | "INVALID_SIGNATURE" | "EXPIRED" | "SITE_MISMATCH" | "SESSION_MISMATCH" | "LOW_SCORE" | "DUPE"

/** A proof-of-work challenge. Send it back unchanged, with its solution. */
export interface CaptchaChallenge {
  /** What to solve, in the format of ALTCHA 2. */
  parameters: {
    /** How a key is derived, such as `PBKDF2/SHA-256`. */
    algorithm: string
    /** Random, in hex. The derivation starts from it. */
    nonce: string
    /** Random, in hex. */
    salt: string
    /** The iterations of one derivation. */
    cost: number
    /** The length of a derived key in bytes. */
    keyLength: number
    /** What the derived key must begin with, in hex. */
    keyPrefix: string
    /** The server's signature of the key that solves it, with which it checks a solution. */
    keySignature?: string
    /** In seconds since 1970. */
    expiresAt?: number
    /** The site key and the session that the challenge is for. */
    data?: { [key: string]: string | number | boolean | null }
  }
  /** The server's signature of `parameters`. */
  signature?: string
}

export interface RedeemCaptcha {
  /** A proof-of-work challenge. Send it back unchanged, with its solution. */
  challenge: {
    /** What to solve, in the format of ALTCHA 2. */
    parameters: {
      /** How a key is derived, such as `PBKDF2/SHA-256`. */
      algorithm: string
      /** Random, in hex. The derivation starts from it. */
      nonce: string
      /** Random, in hex. */
      salt: string
      /** The iterations of one derivation. */
      cost: number
      /** The length of a derived key in bytes. */
      keyLength: number
      /** What the derived key must begin with, in hex. */
      keyPrefix: string
      /** The server's signature of the key that solves it, with which it checks a solution. */
      keySignature?: string | undefined
      /** In seconds since 1970. */
      expiresAt?: number | undefined
      /** The site key and the session that the challenge is for. */
      data?: { [key: string]: string | number | boolean | null } | undefined
    }
    /** The server's signature of `parameters`. */
    signature?: string | undefined
  }
  /** The solution, which libraries such as `altcha-lib` find. */
  solution: {
    /** The number whose derived key has the prefix. */
    counter: number
    /** The derived key, in hex. */
    derivedKey: string
    /** How many milliseconds it took. It is ignored. */
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
    /** Sessions that were created. */
    created: number
    /** Sessions that were completed. */
    completed: number
    /** Sessions that failed. */
    failed: number
    /** Sessions that were cancelled. */
    cancelled: number
    /** Sessions that expired before they were finished. */
    expired: number
  }>
  /** The sums of all days. */
  total: {
    /** Sessions that were created. */
    created: number
    /** Sessions that were completed. */
    completed: number
    /** Sessions that failed. */
    failed: number
    /** Sessions that were cancelled. */
    cancelled: number
    /** Sessions that expired before they were finished. */
    expired: number
  }
  /** The share of completed sessions among those that ended in the period (completed, failed, cancelled or expired): 0 to 1. Null if none ended. */
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
    /** Where events are sent. */
    url: string
    /** Since when no attempt has succeeded; null if the last one did. */
    failing_since: Timestamp | null
    /** When doorlock disabled the endpoint; null while it is enabled. */
    disabled_at: Timestamp | null
  }>
  /** The first 20 platform API keys that expire within 30 days, without those that were created for less than a week. */
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
    /** `test`: calls to the API's sandbox, which are counted separately. */
    mode: "live" | "test"
    /** 80 or 100: the percentage of the month's calls that is used, at least. */
    percent: number
  }>
}

export interface KycFunnel {
  /** How many sessions were counted: the newest 5,000 at most that were created in the period. */
  sessions: number
  /** How many of them were completed. */
  completed: number
  /** The data steps of the instance's current workflow, in order. */
  steps: Array<{
    /** The step's id in the workflow. */
    step: string
    /** The type of the step, such as `form`. */
    type: string
    /** Sessions that reached the step. */
    came: number
    /** Sessions that answered the step. */
    answered: number
    /** Sessions that stopped at this step, because they were cancelled or expired. */
    left: number
    /** Sessions that failed at this step, by a check or a rule. */
    failed: number
    /** The median time from the step before, or from the creation of the session, to the answer. */
    median_seconds: number | null
  }>
}

export interface CheckDedup {
  /** The session's token. */
  token: string
  /** A SHA-256 in hex, which the browser makes from what identifies the document or person. Only a keyed hash of it is stored. */
  keyHash: string
}

export interface DedupMatch {
  id: string
  instance_id: string
  /** `prod`: a real verification. `dev`: a test. */
  mode: "prod" | "dev"
  /** `created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status. */
  status: "created" | "running" | "completed" | "failed" | "cancelled"
  /** The `externalReference` of the creation, such as a customer number; null if there was none. */
  external_reference: string | null
  created_at: Timestamp
  /** When the session was completed, failed or was cancelled; null until then. */
  completed_at: Timestamp | null
  /** What the company has decided; null if the session is not reviewed. */
  review: {
    status: KycReviewStatus
    /** Null until it is decided. `resubmission`: the person has to do some steps again, in a new session. */
    decision: KycReviewDecision | null
  } | null
}

/** The file as it was uploaded. */
export interface KycFile {
  id: string
  /** The type that the first bytes show, not the declared one. */
  content_type: "image/jpeg" | "image/png" | "image/webp" | "application/pdf"
  /** Bytes. */
  size: number
  /** The SHA-256 of the content, in hex. */
  sha256: string
  created_at: Timestamp
}

export interface ListedKycFile {
  id: string
  /** The type that the first bytes show, not the declared one. */
  content_type: "image/jpeg" | "image/png" | "image/webp" | "application/pdf"
  /** Bytes. */
  size: number
  /** The SHA-256 of the content, in hex. */
  sha256: string
  created_at: Timestamp
  /** The session in which it was uploaded: this one or, if it belongs to an answer that was carried over, an earlier one. */
  session_id: string
}

export interface StartKycReading {
  /** The session's token. */
  token: string
}

export interface KycReading {
  /** The photo. */
  file_id: string
  /** `waiting`: the photo is not read yet. `done`: it was read, reading it failed, or a minute has passed. */
  status: "waiting" | "done"
  /** Null until the reading is done, if nothing was read with certainty, and again after an hour. The end user has to compare them with the document. */
  fields: KycReadFields | null
}

/** What was read. A field that was not read with certainty is null. */
export interface KycReadFields {
  /** The number of the document. */
  document_number: string | null
  /** The country that issued the document, as machine-readable zones write it, such as EST or D. */
  country: string | null
  /** The last day on which the document is valid, as `YYYY-MM-DD`. */
  expiry_date: string | null
  /** As the document writes it, in capital letters. */
  surname: string | null
  /** As the document writes them, in capital letters. */
  given_names: string | null
  /** As `YYYY-MM-DD`. */
  birth_date: string | null
  /** As machine-readable zones write it. */
  nationality: string | null
  /** The lines of the machine-readable zone, one below the other; null if a barcode was read. */
  zone: string | null
}

export interface IssueKycReceipt {
  /** The session's token. */
  token: string
}

/** An ed25519 key as a JWK (RFC 8037). */
export interface ReceiptKey {
  kty: "OKP"
  crv: "Ed25519"
  /** The public key, in base64url. */
  x: string
  /** The key's id, which the header of a receipt names. */
  kid: string
  use: "sig"
  alg: "EdDSA"
}

export interface CreateKycHandoff {
  /** The session's token. */
  token: string
  /** Data for the second device only, of at most 64 KiB; stored encrypted until the handoff ends. */
  carry?: { [key: string]: unknown } | undefined
}

export interface KycHandoff {
  id: string
  status: HandoffStatus
  /** When the handoff expires. Until then, a device can claim and confirm it while the session is open. */
  expires_at: Timestamp
}

/** `waiting` for a device to claim it; `claimed` by one, whose end user has to enter the code; `confirmed`: the session has moved to that device; `refused`: a wrong code was entered; `cancelled` by the first device, or replaced by another; `expired`. */
export type HandoffStatus = "waiting" | "claimed" | "confirmed" | "refused" | "cancelled" | "expired"

export interface FollowedKycHandoff {
  id: string
  status: HandoffStatus
  /** When the handoff expires. Until then, a device can claim and confirm it while the session is open. */
  expires_at: Timestamp
  /** The kind of device that claimed the handoff, as the device reports it; null until then. */
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
  /** `prod`: a real verification. `dev`: a test. */
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
  /** The id of the event. It is the same in the feed and in each delivery. */
  id: string
  /** What happened. New types may be added. */
  type: "kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"
  /** When it happened. */
  timestamp: Timestamp
  /** Ids and status of what changed. Its fields depend on the type. */
  data: { [key: string]: unknown }
}

export interface ListedApi {
  id: string
  /** The first part of the gateway paths of the publisher's APIs. */
  publisher_slug: string
  /** The second part of the API's gateway paths, after the publisher's slug. */
  slug: string
  name: string
  /** What the API does, in the publisher's words. */
  description: string
  versions: Array<ApiVersion>
  plans: Array<ApiPlan>
}

export interface ApiVersion {
  id: string
  /** Its name, which is part of its gateway path, such as `v1`. */
  version: string
  created_at: Timestamp
}

export interface ApiPlan {
  id: string
  name: string
  /** The most calls in any 60 seconds; null if unlimited. */
  requests_per_minute: number | null
  /** The most calls in a calendar month (UTC); null if unlimited. */
  requests_per_month: number | null
}

export interface BecomePublisher {
  /** Part of the gateway paths, so it cannot be changed later: 1 to 63 lower-case letters, digits and hyphens. */
  slug: string
  name: string
}

export interface Publisher {
  id: string
  /** The first part of the gateway paths of the publisher's APIs. */
  slug: string
  name: string
  created_at: Timestamp
}

export interface OwnApi {
  id: string
  /** The first part of the gateway paths of the publisher's APIs. */
  publisher_slug: string
  /** The second part of the API's gateway paths, after the publisher's slug. */
  slug: string
  name: string
  /** What the API does, in the publisher's words. */
  description: string
  /** `draft`: only its publisher sees it, and the gateway refuses calls. */
  status: "draft" | "published"
  /** When and why the operator took the API down. It cannot be published while this is not null. */
  taken_down: ApiTakenDown | null
  versions: Array<OwnApiVersion>
  plans: Array<ApiPlan>
}

export interface ApiTakenDown {
  at: Timestamp
  /** The operator's words. */
  reason: string
}

export interface OwnApiVersion {
  id: string
  /** Its name, which is part of its gateway path, such as `v1`. */
  version: string
  created_at: Timestamp
  /** Where the gateway sends calls. Only the publisher sees it. */
  upstream_url: string
  /** Where it sends calls with test keys; null if they also go to `upstream_url`. */
  sandbox_upstream_url: string | null
  /** How long the gateway waits for the upstream's response to begin. */
  timeout_seconds: number
  /** Whether the version has an OpenAPI document. */
  has_openapi: boolean
}

export interface CreateApi {
  /** Part of the gateway paths, so it cannot be changed later: 1 to 63 lower-case letters, digits and hyphens. */
  slug: string
  name: string
  /** What the API does, for those who may subscribe. Default when it is created: empty. */
  description?: string | null | undefined
}

export interface NewApi {
  id: string
  /** The first part of the gateway paths of the publisher's APIs. */
  publisher_slug: string
  /** The second part of the API's gateway paths, after the publisher's slug. */
  slug: string
  name: string
  /** What the API does, in the publisher's words. */
  description: string
  /** `draft`: only its publisher sees it, and the gateway refuses calls. */
  status: "draft" | "published"
  versions: Array<ApiVersion>
  plans: Array<ApiPlan>
}

export interface ChangeApi {
  /** The new name. Without it, the name stays as it is. */
  name?: string | null | undefined
  /** What the API does, for those who may subscribe. Default when it is created: empty. */
  description?: string | null | undefined
}

export interface CreateApiVersion {
  /** Its name, which is part of its gateway path: 1 to 64 letters, digits, dots and hyphens. */
  version: string
  /** Where the gateway sends calls. Only your company sees it. */
  upstreamUrl: string
  /** Where it sends calls with test keys. Without it, they also go to `upstreamUrl`. */
  sandboxUpstreamUrl?: string | null | undefined
  /** How long the gateway waits for the upstream's response to begin. Default: 30. */
  timeoutSeconds?: number | null | undefined
  /** The OpenAPI 3.0 or 3.1 document of the version, for the catalog. */
  openapi?: { [key: string]: unknown } | null | undefined
}

export interface CreateApiPlan {
  name: string
  /** The most calls of a subscriber in any 60 seconds. Without it, unlimited. */
  requestsPerMinute?: number | null | undefined
  /** The most calls of a subscriber in a calendar month (UTC). Without it, unlimited. */
  requestsPerMonth?: number | null | undefined
}

export interface Subscribe {
  /** The id of one of the API's `plans`. */
  planId: string
  /** The name of the first key. */
  name: string
}

export interface NewSubscription {
  id: string
  api_id: string
  plan_id: string
  /** Keys of a `cancelled` subscription do not work. */
  status: "active" | "cancelled"
  created_at: Timestamp
}

export interface MarketplaceKey {
  id: string
  subscription_id: string
  name: string
  /** `test`: calls go to the API's sandbox if it has one, and are never billed. */
  mode: "live" | "test"
  /** When a rotated key stops working; null if it never expires. */
  expiresAt: Timestamp | null
  /** Whether the key is neither revoked nor expired, and its subscription is active. */
  activeNow: boolean
  /** The first characters of the token, to tell keys apart. The token itself is not stored. */
  token_prefix: string
  created_at: Timestamp
  /** The latest call with the key, to within a minute; null if there was none. */
  last_used_at: Timestamp | null
  /** When the key was revoked; null if it was not. */
  revoked_at: Timestamp | null
  /** The id of the key that replaces it; null if it was not rotated. */
  rotated_to: string | null
}

export interface Subscription {
  id: string
  api_id: string
  plan_id: string
  /** Keys of a `cancelled` subscription do not work. */
  status: "active" | "cancelled"
  created_at: Timestamp
  /** Null while it is active. */
  cancelled_at: Timestamp | null
  api: SubscribedApi
  plan: ApiPlan
}

export interface SubscribedApi {
  id: string
  /** The first part of the gateway paths of the publisher's APIs. */
  publisher_slug: string
  publisher_name: string
  /** The second part of the API's gateway paths, after the publisher's slug. */
  slug: string
  name: string
  /** If false, the gateway refuses all calls to the API, including those of this subscription. */
  published: boolean
}

export interface CreateMarketplaceKey {
  name: string
  /** `test`: calls go to the API's sandbox if it has one, and are never billed. By default "live". */
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
    /** When the next month begins and `used` is 0 again. */
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

/** The calls by their outcome, with live and test keys. */
export interface UsageOutcomes {
  /** Response: the upstream's. Billed if the key is a live one. */
  "2xx": number
  /** Response: the upstream's. Billed if the key is a live one. */
  "3xx": number
  /** Response: the upstream's, except 401, 403 and 429. Billed if the key is a live one. */
  "4xx": number
  /** Response: the upstream's own. Billed if the key is a live one. */
  "5xx": number
  /** Response: the upstream's 401, 403 or 429. Not billed. */
  denied: number
  /** Response: none: the client disconnected after the gateway had started sending the request to the upstream. Billed if the key is a live one. */
  client_closed: number
  /** Response: the gateway's: the upstream's response was missing or invalid, or the gateway did not send the request. Not billed. */
  gateway_error: number
  /** Response: 429 `Rate limit exceeded`. Not billed. */
  rate_limited: number
  /** Response: 429 `Monthly quota exceeded`. Not billed. */
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
  /** Calls with `test` keys are never billed. */
  mode: "live" | "test"
  /** The first characters of the token, to tell keys apart. The token itself is not stored. */
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
  /** The `limit` of the request. */
  limit: number
  /** The `offset` of the request. */
  offset: number
}

export interface SubscriptionUsage {
  id: string
  /** The current status, not that during the period. */
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
  /** Where events are sent. */
  url: string
  /** The company's own words; null if it gave none. */
  description: string | null
  /** Null: all types. */
  event_types: Array<"kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"> | null
  /** Scheme of Standard Webhooks by which deliveries are signed: `v1` is HMAC-SHA-256 with a shared secret, `v1a` is ed25519. */
  signing: "v1" | "v1a"
  /** With `v1a`: the newest key (`whpk_`). Null with `v1`. */
  public_key: string | null
  /** Events for a `disabled` endpoint are held. */
  status: "enabled" | "disabled"
  /** `by_user`: by the company; `gone`: it answered 410; `failing`: for five days nothing succeeded, and at least ten attempts failed. Null while it is enabled. */
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
  /** An https URL. If upstreams of the installation may have private addresses, an http URL of this machine works, too. */
  url: string
  /** Your own words, to recognize the endpoint. */
  description?: string | null | undefined
  /** Omitted or null: all types. */
  eventTypes?: ReadonlyArray<"kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"> | null | undefined
  /** Scheme of Standard Webhooks by which deliveries are signed: `v1` is HMAC-SHA-256 with a shared secret, `v1a` is ed25519. By default "v1". */
  signing?: "v1" | "v1a" | undefined
}

export interface WebhookEndpoint {
  id: string
  /** Where events are sent. */
  url: string
  /** The company's own words; null if it gave none. */
  description: string | null
  /** Null: all types. */
  event_types: Array<"kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"> | null
  /** Scheme of Standard Webhooks by which deliveries are signed: `v1` is HMAC-SHA-256 with a shared secret, `v1a` is ed25519. */
  signing: "v1" | "v1a"
  /** With `v1a`: the newest key (`whpk_`). Null with `v1`. */
  public_key: string | null
  /** Events for a `disabled` endpoint are held. */
  status: "enabled" | "disabled"
  /** `by_user`: by the company; `gone`: it answered 410; `failing`: for five days nothing succeeded, and at least ten attempts failed. Null while it is enabled. */
  disabled_reason: "by_user" | "gone" | "failing" | null
  created_at: Timestamp
}

export interface ChangeWebhookEndpoint {
  /** An https URL. If upstreams of the installation may have private addresses, an http URL of this machine works, too. */
  url?: string | undefined
  /** Your own words, to recognize the endpoint. Null removes them. */
  description?: string | null | undefined
  /** Null: all types. */
  eventTypes?: ReadonlyArray<"kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"> | null | undefined
  /** `disabled`: events are held, until the endpoint is `enabled` again. */
  status?: "enabled" | "disabled" | undefined
}

export interface RotateWebhookSecret {
  /** By default 86400. */
  overlapSeconds?: number | undefined
}

export interface WebhookDelivery {
  id: string
  /** The id of the event. It is the same in the feed and in each delivery. */
  event_id: string
  /** What happened. New types may be added. */
  event_type: "kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"
  /** 1, 2, 3, ... within the endpoint, without gaps. */
  sequence: number
  /** `pending`: an attempt is due at `next_attempt_at`. `succeeded`: an attempt was answered with 2xx. `failed`: all attempts failed. `held`: not sent, because the endpoint is disabled. */
  status: "pending" | "succeeded" | "failed" | "held"
  /** How often it was sent so far. */
  attempts: number
  /** When it is sent next; null unless it is `pending`. */
  next_attempt_at: Timestamp | null
  created_at: Timestamp
}

export interface WebhookDrillReport {
  /** Whether the endpoint treated every request as expected. */
  passed: boolean
  steps: Array<WebhookDrillStep>
}

export interface WebhookDrillStep {
  /** The kind of request: `good` is correctly signed, `duplicate` is the same once more, and the others are forged. */
  sent: "good" | "wrong_signature" | "old_timestamp" | "duplicate" | "altered_body"
  /** A duplicate has to be accepted, or doorlock would send it again, but must not take effect twice. */
  expected: "accepted" | "refused"
  /** Whether the endpoint answered with 2xx. */
  accepted: boolean
  /** How long the request took. */
  milliseconds: number
  /** The HTTP status of the answer; null if there was none. */
  status: number | null
  /** Why the endpoint did not accept it, in words; null if it did. */
  reason: string | null
}

export interface RecoverWebhookDeliveries {
  /** An ISO 8601 date or date-time. */
  since: string
}

export interface WebhookDeliveryDetails {
  id: string
  /** The id of the event. It is the same in the feed and in each delivery. */
  event_id: string
  /** What happened. New types may be added. */
  event_type: "kyc.session.created" | "kyc.session.started" | "kyc.session.completed" | "kyc.session.failed" | "kyc.session.cancelled" | "kyc.session.resumed" | "kyc.session.expired" | "kyc.session.review_claimed" | "kyc.session.review_released" | "kyc.session.review_proposed" | "kyc.session.reviewed" | "kyc.session.noted" | "kyc.checks.completed" | "kyc.session.redacted" | "api_key.created" | "api_key.revoked" | "api_key.expiring" | "marketplace.subscription.created" | "marketplace.subscription.cancelled" | "marketplace.key.created" | "marketplace.key.rotated" | "marketplace.key.revoked" | "marketplace.quota.reached" | "marketplace.api.published" | "marketplace.api.unpublished" | "marketplace.api.version_added" | "webhook.endpoint.disabled" | "webhook.test"
  /** 1, 2, 3, ... within the endpoint, without gaps. */
  sequence: number
  /** `pending`: an attempt is due at `next_attempt_at`. `succeeded`: an attempt was answered with 2xx. `failed`: all attempts failed. `held`: not sent, because the endpoint is disabled. */
  status: "pending" | "succeeded" | "failed" | "held"
  /** How often it was sent so far. */
  attempts: number
  /** When it is sent next; null unless it is `pending`. */
  next_attempt_at: Timestamp | null
  created_at: Timestamp
  endpoint_id: string
  /** The body that is sent. */
  event: Event
  /** The attempts, oldest first; at most the last 100. */
  tried: Array<WebhookAttempt>
}

export interface WebhookAttempt {
  /** When the attempt began. */
  at: Timestamp
  /** How long the request took. */
  milliseconds: number
  /** The HTTP status of the answer; null if there was none. */
  status: number | null
  /** Why it failed, in words; null if it succeeded. */
  reason: string | null
  /** The first 4 KiB of the answer's body, as text. Null if there was no answer, if it was a 2xx, and once the data of the event's session is destroyed. */
  answer: string | null
}

export interface AuditEvent {
  id: string
  /** 1, 2, 3, ... within the company. */
  position: number
  at: Timestamp
  /** The user, key or operator who did it. */
  actor: {
    /** `api_key`: a platform key. `operator`: somebody at the service's command line. */
    kind: "user" | "api_key" | "operator"
    /** Null for an operator. */
    id: string | null
    /** The name at that time; for a user, the email address. */
    name: string
  }
  /** The IP address of the caller; null for an operator. */
  address: string | null
  /** The first 300 characters of the caller's `User-Agent`; null if there was none. */
  user_agent: string | null
  action: AuditAction
  /** The resource that was changed or read. */
  resource: {
    /** The kind of resource, which depends on the action. */
    kind: "company" | "user" | "invitation" | "api_key" | "kyc_instance" | "kyc_session" | "kyc_file" | "subscription" | "marketplace_key" | "publisher" | "api" | "api_version" | "api_plan" | "webhook_endpoint" | "webhook_delivery"
    id: string
    /** The name at that time; null if it had none. */
    name: string | null
  }
  /** Details of the action. Their fields depend on the action. */
  details: { [key: string]: unknown }
  /** The `hash` of the previous event; zeros for the first event. */
  previous_hash: string
  /** The SHA-256 of this event and `previous_hash`, in hex. */
  hash: string
}

/**
 * - `audit.began`: The trail of a company that existed before audit trails began.
 * - `audit.sealed`: The operator resealed a trail that did not match its seal; `details` says how, and from which position on.
 * - `company.created`: Sign-up, or the operator, created the company; its first user is in `details`.
 * - `user.created`: The operator created a user.
 * - `user.password_reset`: The operator gave a user another password, which ended all their sessions.
 * - `user.signed_in`: A user signed in.
 * - `user.sign_in_refused`: A sign-in as the user failed because of a wrong password.
 * - `user.signed_out`: A user signed out.
 * - `user.session_ended`: A user ended one of their sessions.
 * - `user.other_sessions_ended`: A user ended all their other sessions.
 * - `user.password_changed`: A user changed their password, which ended their other sessions.
 * - `invitation.created`: Somebody was invited; this replaces any earlier invitation for the same address.
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
 * - `kyc_session.released`: A reviewer gave up their claim on a session.
 * - `kyc_session.review_proposed`: A decision on a session was proposed, with four eyes, instead of the proposal before if there was one.
 * - `kyc_session.reviewed`: A session was decided.
 * - `kyc_session.link_shown`: Somebody was shown a link to a session: who decided that a person does steps again, or who repeated the creation of a session that was resumed.
 * - `kyc_session.noted`: A user added a note to a session.
 * - `kyc_session.cancelled`: A KYC session that was not finished was cancelled.
 * - `kyc_session.resumed`: A KYC session got a new link, and its previous link stopped working.
 * - `kyc_session.exported`: Everything about the person of a KYC session was exported.
 * - `kyc_session.redacted`: The personal data of a session was destroyed.
 * - `kyc_session.files_deleted`: The files of a session were deleted because their retention period was over; `details` says how many.
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
 * - `webhook_endpoint.drilled`: A drill sent correctly signed and forged requests to a webhook endpoint.
 * - `webhook_endpoint.recovered`: Failed and held deliveries of a webhook endpoint were sent again.
 * - `webhook_delivery.retried`: A delivery was sent again.
 */
export type AuditAction = "audit.began" | "audit.sealed" | "company.created" | "user.created" | "user.password_reset" | "user.signed_in" | "user.sign_in_refused" | "user.signed_out" | "user.session_ended" | "user.other_sessions_ended" | "user.password_changed" | "invitation.created" | "invitation.withdrawn" | "invitation.accepted" | "member.role_changed" | "member.removed" | "api_key.created" | "api_key.revoked" | "kyc_instance.created" | "kyc_instance.changed" | "kyc_instance.disabled" | "kyc_instance.enabled" | "kyc_session.created" | "kyc_session.claimed" | "kyc_session.released" | "kyc_session.review_proposed" | "kyc_session.reviewed" | "kyc_session.link_shown" | "kyc_session.noted" | "kyc_session.cancelled" | "kyc_session.resumed" | "kyc_session.exported" | "kyc_session.redacted" | "kyc_session.files_deleted" | "kyc_file.read" | "subscription.created" | "subscription.cancelled" | "marketplace_key.created" | "marketplace_key.revoked" | "marketplace_key.rotated" | "publisher.created" | "api.created" | "api.changed" | "api.published" | "api.unpublished" | "api.taken_down" | "api.allowed" | "api_version.created" | "api_plan.created" | "webhook_endpoint.created" | "webhook_endpoint.changed" | "webhook_endpoint.disabled" | "webhook_endpoint.enabled" | "webhook_endpoint.removed" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.tested" | "webhook_endpoint.drilled" | "webhook_endpoint.recovered" | "webhook_delivery.retried"

export interface Readiness {
  ok: true
  /** Why caches are off. Requests are answered correctly, but every key is looked up in the database. */
  warning?: string
}

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

export interface VerificationGetQuery {
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
  /** Only sessions whose reference begins with this text. They are then sorted by reference. */
  externalReferencePrefix?: string | undefined
  /** Only sessions whose review is `pending` (nobody has decided), `proposed` (a second person has to confirm), or ended with this decision. */
  review?: "pending" | "proposed" | "approved" | "declined" | "resubmission" | undefined
  /** `true`: only sessions with flags. `false`: only the others. */
  flags?: boolean | undefined
  /** An ISO 8601 date or date-time. Only sessions created at this time or later. */
  from?: string | undefined
  /** An ISO 8601 date or date-time. Only sessions created before this time. */
  to?: string | undefined
  /** By default `newest` first. With `externalReferencePrefix`, `newest` sorts by descending references and `oldest` by ascending ones. */
  order?: "newest" | "oldest" | undefined
  /** Fields that the sessions have as well, with commas between them: `instance_config`, `instance_workflow`. */
  include?: string | undefined
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
  /** Only sessions whose reference begins with this text. They are then sorted by reference. */
  externalReferencePrefix?: string | undefined
  /** Only sessions whose review is `pending` (nobody has decided), `proposed` (a second person has to confirm), or ended with this decision. */
  review?: "pending" | "proposed" | "approved" | "declined" | "resubmission" | undefined
  /** `true`: only sessions with flags. `false`: only the others. */
  flags?: boolean | undefined
  /** An ISO 8601 date or date-time. Only sessions created at this time or later. */
  from?: string | undefined
  /** An ISO 8601 date or date-time. Only sessions created before this time. */
  to?: string | undefined
  /** By default `newest` first. With `externalReferencePrefix`, `newest` sorts by descending references and `oldest` by ascending ones. */
  order?: "newest" | "oldest" | undefined
}

export interface ReviewsListQuery {
  /** Default: pending and proposed. */
  status?: "pending" | "proposed" | "decided" | undefined
  /** Only sessions of the KYC instance with this id. */
  instanceId?: string | undefined
  /** The id of a user. Among pending and proposed reviews: only those that this user has claimed. Among decided ones: only those that this user, or `api`, has decided. */
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

export interface FilesDownloadQuery {
  /** Whether to download an image as it was uploaded, with its metadata. Default: false. */
  original?: boolean | undefined
}

export interface VerificationGetReadingQuery {
  /** The session's token. */
  token: string
}

export interface HandoffsGetQuery {
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
  /** `pending`: an attempt is due at `next_attempt_at`. `succeeded`: an attempt was answered with 2xx. `failed`: all attempts failed. `held`: not sent, because the endpoint is disabled. */
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
  /** An action, or the part before its dot for all of its actions. */
  action?: "audit.began" | "audit.sealed" | "company.created" | "user.created" | "user.password_reset" | "user.signed_in" | "user.sign_in_refused" | "user.signed_out" | "user.session_ended" | "user.other_sessions_ended" | "user.password_changed" | "invitation.created" | "invitation.withdrawn" | "invitation.accepted" | "member.role_changed" | "member.removed" | "api_key.created" | "api_key.revoked" | "kyc_instance.created" | "kyc_instance.changed" | "kyc_instance.disabled" | "kyc_instance.enabled" | "kyc_session.created" | "kyc_session.claimed" | "kyc_session.released" | "kyc_session.review_proposed" | "kyc_session.reviewed" | "kyc_session.link_shown" | "kyc_session.noted" | "kyc_session.cancelled" | "kyc_session.resumed" | "kyc_session.exported" | "kyc_session.redacted" | "kyc_session.files_deleted" | "kyc_file.read" | "subscription.created" | "subscription.cancelled" | "marketplace_key.created" | "marketplace_key.revoked" | "marketplace_key.rotated" | "publisher.created" | "api.created" | "api.changed" | "api.published" | "api.unpublished" | "api.taken_down" | "api.allowed" | "api_version.created" | "api_plan.created" | "webhook_endpoint.created" | "webhook_endpoint.changed" | "webhook_endpoint.disabled" | "webhook_endpoint.enabled" | "webhook_endpoint.removed" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.tested" | "webhook_endpoint.drilled" | "webhook_endpoint.recovered" | "webhook_delivery.retried" | "audit" | "company" | "user" | "invitation" | "member" | "api_key" | "kyc_instance" | "kyc_session" | "kyc_file" | "subscription" | "marketplace_key" | "publisher" | "api" | "api_version" | "api_plan" | "webhook_endpoint" | "webhook_delivery" | undefined
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
  "invitations.create":
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
    | "scope-missing"
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
    | "scope-missing"
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
  "verification.get":
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
    | "include-invalid"
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
    | "too-many-notes"
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
    | "session-not-updatable"
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
  "files.download":
    | "cross-site-request"
    | "failed-to-get-file"
    | "file-not-found"
    | "invalid-api-key"
    | "original-invalid"
    | "role-forbidden"
    | "scope-missing"
    | "session-not-found"
    | "too-many-requests"
    | "unauthorized"
  "verification.startReading":
    | "failed-to-start-reading"
    | "file-not-found"
    | "reading-disabled"
    | "session-expired"
    | "session-not-found"
    | "session-not-updatable"
    | "token-required"
    | "too-many-readings"
    | "too-many-requests"
  "verification.getReading":
    | "failed-to-get-reading"
    | "reading-not-found"
    | "session-expired"
    | "session-not-found"
    | "token-required"
    | "too-many-requests"
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
  "handoffs.get":
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
  "publishing.createApi":
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
  "publishing.updateApi":
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
    | "too-many-requests"
    | "unauthorized"
  "publishing.getPublisher":
    | "cross-site-request"
    | "failed-to-get-publisher"
    | "publisher-not-found"
    | "role-forbidden"
    | "unauthorized"
  "publishing.listApis":
    | "cross-site-request"
    | "failed-to-list-apis"
    | "publisher-not-found"
    | "role-forbidden"
    | "unauthorized"
  "publishing.createVersion":
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
  "publishing.createPlan":
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
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
  "subscriptions.list":
    | "cross-site-request"
    | "failed-to-list-subscriptions"
    | "role-forbidden"
    | "scope-missing"
    | "too-many-requests"
    | "unauthorized"
  "subscriptions.get":
    | "cross-site-request"
    | "failed-to-get-subscription"
    | "role-forbidden"
    | "scope-missing"
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
    | "scope-missing"
    | "subscription-not-found"
    | "to-not-a-day"
    | "too-many-requests"
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
    | "scope-missing"
    | "to-not-a-day"
    | "too-many-requests"
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
  | "failed-to-get-reading"
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
  | "failed-to-start-reading"
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
  | "include-invalid"
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
  | "reading-disabled"
  | "reading-not-found"
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
  | "too-many-notes"
  | "too-many-plans"
  | "too-many-readings"
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
