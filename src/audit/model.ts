import { Schema } from "effect"
import { JsonObject, Timestamp } from "../shared/schemas.ts"
import { asStorable } from "../shared/storable.ts"

export interface Origin {
  /** Null for the command line. */
  readonly address: string | null
  /** In the form that `keptUserAgent` returns. */
  readonly userAgent: string | null
}

interface IdentityOf<Kind extends string, Id = string> {
  readonly kind: Kind
  readonly id: Id
  /** Of a user, the email address. */
  readonly name: string
  /** The company that the actor acts for. The event goes into its audit trail. */
  readonly companyId: string
}

type UserIdentity = IdentityOf<"user">

export type ApiKeyIdentity = IdentityOf<"api_key">

/** Operators have no record; only their name is known. */
export type Identity = UserIdentity | ApiKeyIdentity | IdentityOf<"operator", null>

export type ActingUser = UserIdentity & Origin

/** First argument of every service function that writes, so that no action omits its actor. */
export type Actor = Identity & Origin

interface UserOfCompany {
  readonly user: { readonly id: string; readonly email: string }
  readonly company: { readonly id: string }
}

export const actingAs = ({ company, user }: UserOfCompany, from: Origin): ActingUser => ({
  kind: "user",
  id: user.id,
  name: user.email,
  companyId: company.id,
  ...from
})

/** The operator at the command line; `name` is for people to read. */
export const operator = (companyId: string, name: string): Actor => ({
  kind: "operator",
  id: null,
  name,
  companyId,
  address: null,
  userAgent: null
})

/** In characters. */
const maxUserAgent = 300

/** A `User-Agent` header as it is stored, to identify a client in lists. */
export const keptUserAgent = (header: string | undefined): string | null =>
  header === undefined ? null : asStorable(header, maxUserAgent)

/** Every action, with its kind of resource and its meaning. */
const actions = {
  "audit.began": ["company", "The trail of a company that existed before audit trails began"],
  "audit.sealed": [
    "company",
    "The operator resealed a trail that did not match its seal; `details` says how, and from which position on"
  ],
  "company.created": [
    "company",
    "Sign-up, or the operator, created the company; its first user is in `details`"
  ],
  "user.created": ["user", "The operator created a user"],
  "user.password_reset": [
    "user",
    "The operator gave a user another password, which ended all their sessions"
  ],
  "user.signed_in": ["user", "A user signed in"],
  "user.sign_in_refused": ["user", "A sign-in as the user failed because of a wrong password"],
  "user.signed_out": ["user", "A user signed out"],
  "user.session_ended": ["user", "A user ended one of their sessions"],
  "user.other_sessions_ended": ["user", "A user ended all their other sessions"],
  "user.password_changed": ["user", "A user changed their password, which ended their other sessions"],
  "invitation.created": [
    "invitation",
    "Somebody was invited; this replaces any earlier invitation for the same address"
  ],
  "invitation.withdrawn": ["invitation", "An invitation was withdrawn"],
  "invitation.accepted": ["invitation", "An invited person became a user"],
  "member.role_changed": ["user", "A user got another role"],
  "member.removed": ["user", "A user was removed, and their sessions ended"],
  "api_key.created": ["api_key", "A platform key was created"],
  "api_key.revoked": ["api_key", "A platform key was revoked"],
  "kyc_instance.created": ["kyc_instance", "A KYC instance was created"],
  "kyc_instance.changed": ["kyc_instance", "Name, config or workflow of a KYC instance was changed"],
  "kyc_instance.disabled": ["kyc_instance", "A KYC instance was disabled"],
  "kyc_instance.enabled": ["kyc_instance", "A KYC instance was enabled again"],
  "kyc_session.created": ["kyc_session", "A dashboard user created a test session"],
  "kyc_session.claimed": ["kyc_session", "A reviewer claimed a session"],
  "kyc_session.released": ["kyc_session", "A reviewer gave up their claim on a session"],
  "kyc_session.review_proposed": [
    "kyc_session",
    "A decision on a session was proposed, with four eyes, instead of the proposal before if there was one"
  ],
  "kyc_session.reviewed": ["kyc_session", "A session was decided"],
  "kyc_session.link_shown": [
    "kyc_session",
    "Somebody was shown a link to a session: who decided that a person does steps again, or who repeated the creation of a session that was resumed"
  ],
  "kyc_session.noted": ["kyc_session", "A user added a note to a session"],
  "kyc_session.cancelled": ["kyc_session", "A KYC session that was not finished was cancelled"],
  "kyc_session.resumed": [
    "kyc_session",
    "A KYC session got a new link, and its previous link stopped working"
  ],
  "kyc_session.exported": ["kyc_session", "Everything about the person of a KYC session was exported"],
  "kyc_session.redacted": ["kyc_session", "The personal data of a session was destroyed"],
  "kyc_session.files_deleted": [
    "kyc_session",
    "The files of a session were deleted because their retention period was over; `details` says how many"
  ],
  "kyc_file.read": ["kyc_file", "A file of an end user was read"],
  "subscription.created": ["subscription", "The company subscribed to an API and got the first key"],
  "subscription.cancelled": ["subscription", "A subscription was cancelled"],
  "marketplace_key.created": ["marketplace_key", "Another marketplace key was created"],
  "marketplace_key.revoked": ["marketplace_key", "A marketplace key was revoked"],
  "marketplace_key.rotated": ["marketplace_key", "A marketplace key was replaced by another"],
  "publisher.created": ["publisher", "The company became a publisher"],
  "api.created": ["api", "An API was created"],
  "api.changed": ["api", "Name or description of an API was changed"],
  "api.published": ["api", "An API was published"],
  "api.unpublished": ["api", "An API became a draft again"],
  "api.taken_down": ["api", "The operator took an API down, or changed the reason"],
  "api.allowed": ["api", "The operator allowed an API to be published again"],
  "api_version.created": ["api_version", "An API got a version"],
  "api_plan.created": ["api_plan", "An API got a plan"],
  "webhook_endpoint.created": ["webhook_endpoint", "A webhook endpoint was added"],
  "webhook_endpoint.changed": [
    "webhook_endpoint",
    "URL, description or event types of a webhook endpoint were changed"
  ],
  "webhook_endpoint.disabled": ["webhook_endpoint", "A webhook endpoint was disabled"],
  "webhook_endpoint.enabled": ["webhook_endpoint", "A webhook endpoint was enabled again"],
  "webhook_endpoint.removed": ["webhook_endpoint", "A webhook endpoint was removed"],
  "webhook_endpoint.secret_rotated": ["webhook_endpoint", "A webhook endpoint got another secret"],
  "webhook_endpoint.tested": ["webhook_endpoint", "A test event was sent to a webhook endpoint"],
  "webhook_endpoint.drilled": [
    "webhook_endpoint",
    "A drill sent correctly signed and forged requests to a webhook endpoint"
  ],
  "webhook_endpoint.recovered": [
    "webhook_endpoint",
    "Failed and held deliveries of a webhook endpoint were sent again"
  ],
  "webhook_delivery.retried": ["webhook_delivery", "A delivery was sent again"]
} as const satisfies Record<string, readonly [resource: string, meaning: string]>

export type Action = keyof typeof actions

/** The keys of `actions`, typed; the object has no other keys. */
const names = Object.keys(actions) as ReadonlyArray<Action>

export const Action = Schema.Literal(...names).annotations({
  identifier: "AuditAction",
  description: names.map((name) => `- \`${name}\`: ${actions[name][1]}.`).join("\n")
})

type ResourceKind = (typeof actions)[Action][0]

export const resourceOf = (action: Action): ResourceKind => actions[action][0]

const ResourceKind = Schema.Literal(...new Set(names.map(resourceOf))).annotations({
  description: "The kind of resource, which depends on the action."
})

/** The list can be filtered by an action, or by the first part of several, such as `api_key`. */
export const actionFilters: ReadonlyArray<string> = [
  ...new Set([...names, ...names.map((name) => name.slice(0, name.indexOf(".")))])
]

/** The actions that the text matches: one action, or all with this first part. */
export const actionsNamed = (text: string): ReadonlyArray<Action> =>
  names.filter((name) => name === text || name.startsWith(`${text}.`))

/** What an actor did. The audit service adds who, when and from where. */
export interface AuditEntry {
  readonly action: Action
  /** Of the resource; the action determines its kind. */
  readonly id: string
  readonly name: string | null
  /** Never a secret, and never anything that an end user stated about themselves. */
  readonly details?: JsonObject
}

export const AuditEvent = Schema.Struct({
  id: Schema.String,
  position: Schema.Number.annotations({ description: "1, 2, 3, ... within the company." }),
  at: Timestamp,
  actor: Schema.Struct({
    kind: Schema.Literal("user", "api_key", "operator").annotations({
      description: "`api_key`: a platform key. `operator`: somebody at the service's command line."
    }),
    id: Schema.NullOr(Schema.String).annotations({ description: "Null for an operator." }),
    name: Schema.String.annotations({ description: "The name at that time; for a user, the email address." })
  }).annotations({ description: "The user, key or operator who did it." }),
  address: Schema.NullOr(Schema.String).annotations({
    description: "The IP address of the caller; null for an operator."
  }),
  user_agent: Schema.NullOr(Schema.String).annotations({
    description: "The first 300 characters of the caller's `User-Agent`; null if there was none."
  }),
  action: Action,
  resource: Schema.Struct({
    kind: ResourceKind,
    id: Schema.String,
    name: Schema.NullOr(Schema.String).annotations({
      description: "The name at that time; null if it had none."
    })
  }).annotations({ description: "The resource that was changed or read." }),
  details: JsonObject.annotations({
    description: "Details of the action. Their fields depend on the action."
  }),
  previous_hash: Schema.String.annotations({
    description: "The `hash` of the previous event; zeros for the first event."
  }),
  hash: Schema.String.annotations({ description: "The SHA-256 of this event and `previous_hash`, in hex." })
}).annotations({ identifier: "AuditEvent" })
export type AuditEvent = typeof AuditEvent.Type
