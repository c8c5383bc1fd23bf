import type { ActingUser, AuditEntry } from "../audit/model.ts"
import type { Account } from "./model.ts"

/** What companies and users do to their own accounts, as the audit trail has it. */
export const entries = {
  companyCreated: ({ company, user }: Account): AuditEntry => ({
    action: "company.created",
    id: company.id,
    name: company.name,
    details: { owner: { id: user.id, email: user.email } }
  }),

  signInRefused: ({ user }: Account): AuditEntry => ({
    action: "user.sign_in_refused",
    id: user.id,
    name: user.email
  }),

  /** Of one session. */
  session: (
    action: "user.signed_in" | "user.signed_out" | "user.session_ended",
    by: ActingUser,
    sessionId: string
  ): AuditEntry => ({ action, id: by.id, name: by.name, details: { session_id: sessionId } }),

  /** Of which the other sessions' end is a part, or all. */
  otherSessions: (
    action: "user.password_changed" | "user.other_sessions_ended",
    by: ActingUser,
    ended: number
  ): AuditEntry => ({ action, id: by.id, name: by.name, details: { sessions_ended: ended } })
}
