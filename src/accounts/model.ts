import * as Schema from "effect/Schema"
import { Timestamp } from "../model.ts"

/** What a user may do: owners everything, members all but who else is one, viewers only look. */
export const Role = Schema.Literal("owner", "member", "viewer")
export type Role = typeof Role.Type

/** Days a session lives at most, and how many of them it survives unused. */
export const sessionDays = { life: 30, idle: 7 } as const

/** Sessions of a user, at most: a sign-in ends those used least recently. */
export const mostSessions = 100

/** A session to begin, by the hash of its token. */
export interface NewSession {
  readonly tokenHash: Uint8Array
  readonly userAgent: string | null
}

/** How a session begins where there may be one already. */
export interface Renewal extends NewSession {
  /** Of the session that the browser had until now; undefined without one. */
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

/** One of a user's dashboard sessions, as its user sees it. */
export const DashboardSessionInfo = Schema.Struct({
  id: Schema.String,
  /** Whether the request that asks came by this one. */
  current: Schema.Boolean,
  user_agent: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp
}).annotations({ identifier: "DashboardSession" })
export type DashboardSessionInfo = typeof DashboardSessionInfo.Type

/** A user of a company, as the others of the company see them. */
export const Member = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role,
  created_at: Timestamp,
  /** Of any of their sessions that still lives. */
  last_seen_at: Schema.NullOr(Timestamp)
}).annotations({ identifier: "Member" })
export type Member = typeof Member.Type

/** Someone who was asked to join and has not done so yet. */
export const Invitation = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role,
  created_at: Timestamp,
  expires_at: Timestamp,
  invited_by: Schema.Struct({ id: Schema.String, email: Schema.String }).annotations({
    description: "An owner: who is removed, or is no owner any more, has no invitations."
  })
}).annotations({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type

/** What the holder of an invitation's link is told before they accept. */
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
