import { type Redacted, Schema } from "effect"
import { Timestamp } from "../shared/schemas.ts"

/**
 * What a user may do: owners everything, members everything except managing members and reading the audit trail.
 * Reviewers see and decide on sessions, and nothing else; viewers only read.
 */
export const Role = Schema.Literal("owner", "member", "reviewer", "viewer").annotations({
  description:
    "`owner`: everything. `member`: everything except members, invitations and the audit trail. `reviewer`: sees and decides on sessions. `viewer`: only reads."
})
export type Role = typeof Role.Type

/** The roles that may do what a guard names. */
export const rolesThatMay = {
  read: ["owner", "member", "viewer"],
  review: ["owner", "member", "reviewer"],
  write: ["owner", "member"],
  administer: ["owner"]
} as const satisfies Record<string, ReadonlyArray<Role>>
export type Permission = keyof typeof rolesThatMay

/** Days that a session lives at most, and that it survives unused. */
export const sessionDays = { life: 30, idle: 7 } as const

/** Per user. A sign-in ends the least recently used ones. */
export const mostSessions = 100

/** A new session, by the hash of its token. */
export interface NewSession {
  readonly tokenHash: Uint8Array
  readonly userAgent: string | null
}

export interface Renewal extends NewSession {
  /** Of the browser's previous session, which this one replaces. */
  readonly replacedHash: Uint8Array | undefined
}

export const User = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role
}).annotations({ identifier: "User" })
export type User = typeof User.Type

export const Company = Schema.Struct({
  id: Schema.String,
  name: Schema.String
}).annotations({ identifier: "Company" })
export type Company = typeof Company.Type

/** One of a user's dashboard sessions, as shown to that user. */
export const DashboardSessionInfo = Schema.Struct({
  id: Schema.String,
  current: Schema.Boolean.annotations({ description: "Whether this is the session of this request." }),
  user_agent: Schema.NullOr(Schema.String).annotations({
    description: "The browser's `User-Agent` at sign-in; null if it sent none."
  }),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp
}).annotations({ identifier: "DashboardSession" })
export type DashboardSessionInfo = typeof DashboardSessionInfo.Type

/** A user of a company, as shown to the company's users. */
export const Member = Schema.Struct({
  ...User.fields,
  created_at: Timestamp,
  last_seen_at: Schema.NullOr(Timestamp).annotations({
    description: "The latest use of any of their dashboard sessions; null if none is open."
  })
}).annotations({ identifier: "Member" })
export type Member = typeof Member.Type

/** A person invited to the company who has not joined yet. */
export const Invitation = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role,
  created_at: Timestamp,
  expires_at: Timestamp,
  invited_by: Schema.Struct({ id: Schema.String, email: Schema.String }).annotations({
    description: "An owner. Removing or demoting an owner withdraws their invitations."
  })
}).annotations({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type

/** What the holder of an invitation's link sees before accepting. */
export const OpenInvitation = Schema.Struct({
  email: Schema.String,
  role: Role,
  company_name: Schema.String,
  expires_at: Timestamp
}).annotations({ identifier: "OpenInvitation" })
export type OpenInvitation = typeof OpenInvitation.Type

/** A user and the company they act for. */
export interface Account {
  readonly user: User
  readonly company: Company
}

export interface FromBrowser {
  /** The browser's known-device cookie. */
  readonly device: string | undefined
}

interface Credentials {
  readonly email: string
  readonly password: Redacted.Redacted<string>
}

export interface NewUser extends Credentials {
  readonly companyName: string
}

export interface Signup extends NewUser, FromBrowser {}

export interface Login extends Credentials, FromBrowser {
  /** The token in the browser's session cookie. A successful sign-in ends that session. */
  readonly replaced: string | undefined
}

export interface PasswordChange extends FromBrowser {
  /** The session that continues. */
  readonly sessionId: string
  readonly currentPassword: Redacted.Redacted<string>
  readonly newPassword: Redacted.Redacted<string>
}

/** An account, the token of its new session, and the browser's new known-device cookie. */
export interface SignedIn {
  readonly account: Account
  readonly token: string
  readonly device: string
}
