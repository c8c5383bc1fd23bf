import type { ActingUser, AuditEntry } from "../audit/model.ts"
import type { JsonObject } from "../shared/schemas.ts"
import type { Account, Company, User } from "./model.ts"

type UserAction = Extract<AuditEntry["action"], `user.${string}`>

const ofUser = (action: UserAction, user: Omit<User, "role">, details: JsonObject = {}): AuditEntry => ({
  action,
  id: user.id,
  name: user.email,
  details
})

const ofActor = (action: UserAction, { id, name }: ActingUser, details: JsonObject): AuditEntry =>
  ofUser(action, { id, email: name }, details)

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

  userCreated: (user: User) => ofUser("user.created", user, { role: user.role }),

  passwordReset: (user: User, ended: number) =>
    ofUser("user.password_reset", user, { sessions_ended: ended }),

  signInRefused: ({ user }: Account) => ofUser("user.sign_in_refused", user),

  /** `replaced`: the browser's previous session. `ended`: how many others. */
  signedIn: (
    by: ActingUser,
    { ended, id, replaced }: { readonly id: string; readonly replaced: boolean; readonly ended: number }
  ) =>
    ofActor("user.signed_in", by, {
      session_id: id,
      ...(replaced ? { replaced } : {}),
      ...(ended > 0 ? { sessions_ended: ended } : {})
    }),

  session: (action: "user.signed_out" | "user.session_ended", by: ActingUser, sessionId: string) =>
    ofActor(action, by, { session_id: sessionId }),

  /** An event that ends the user's other sessions, alone or with a password change. */
  otherSessions: (
    action: "user.password_changed" | "user.other_sessions_ended",
    by: ActingUser,
    ended: number
  ) => ofActor(action, by, { sessions_ended: ended })
}
