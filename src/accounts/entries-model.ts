import type { ActingUser, AuditEntry } from "../audit/model.ts"
import type { Account, Company, User } from "./model.ts"

/** The audit events of what companies and users do to their own accounts. */
export const entries = {
  companyCreated: ({ company, user }: Account): AuditEntry => ({
    action: "company.created",
    id: company.id,
    name: company.name,
    details: { owner: { id: user.id, email: user.email } }
  }),

  /** A company without users. */
  emptyCompanyCreated: ({ id, name }: Company): AuditEntry => ({ action: "company.created", id, name }),

  userCreated: ({ email, id, role }: User): AuditEntry => ({
    action: "user.created",
    id,
    name: email,
    details: { role }
  }),

  passwordReset: ({ email, id }: User, ended: number): AuditEntry => ({
    action: "user.password_reset",
    id,
    name: email,
    details: { sessions_ended: ended }
  }),

  signInRefused: ({ user }: Account): AuditEntry => ({
    action: "user.sign_in_refused",
    id: user.id,
    name: user.email
  }),

  /** @param session whether it replaced the browser's previous session, and how many other sessions it ended */
  signedIn: (
    by: ActingUser,
    { ended, id, replaced }: { readonly id: string; readonly replaced: boolean; readonly ended: number }
  ): AuditEntry => ({
    action: "user.signed_in",
    id: by.id,
    name: by.name,
    details: {
      session_id: id,
      ...(replaced ? { replaced } : {}),
      ...(ended > 0 ? { sessions_ended: ended } : {})
    }
  }),

  session: (
    action: "user.signed_out" | "user.session_ended",
    by: ActingUser,
    sessionId: string
  ): AuditEntry => ({ action, id: by.id, name: by.name, details: { session_id: sessionId } }),

  /** An event that ends the user's other sessions, alone or with a password change. */
  otherSessions: (
    action: "user.password_changed" | "user.other_sessions_ended",
    by: ActingUser,
    ended: number
  ): AuditEntry => ({ action, id: by.id, name: by.name, details: { sessions_ended: ended } })
}
