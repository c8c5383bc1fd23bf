/** The guards of the dashboard's routes. `credential` authenticates the caller. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, Schema } from "effect"
import { fails } from "../http/contract/error-responses.ts"
import { bearerChallenge, type Credential, guard, guardsFrom } from "../http/contract/guard.ts"
import { CrossSiteRequest, needsUser, RoleForbidden, Unauthorized } from "./errors.ts"
import type { Company, Permission, User } from "./model.ts"

/** The dashboard user behind a request. */
export interface SignedInUser extends User {
  /** The session that authenticated the request. */
  readonly sessionId: string
  readonly company: Company
}

export class CurrentUser extends Context.Tag("CurrentUser")<CurrentUser, SignedInUser>() {}

export const cookieName = "dashboard_session"

export const dashboardSession: Credential = {
  dashboardCookie: {
    type: "apiKey",
    in: "cookie",
    name: cookieName,
    description: "The dashboard session of a signed-in user."
  },
  dashboardBearer: { type: "http", scheme: "bearer", description: "The token of that session (`dls_`)." }
}

/** @param all what `doorlock-reason` may say */
const unauthorized = (...all: ReadonlyArray<string>) =>
  fails(Unauthorized, 401, "Unauthorized", {
    ...bearerChallenge,
    reasons: { of: ({ reason }) => reason, all }
  })
export const crossSite = fails(CrossSiteRequest, 403, "Cross-site request refused")

export const roleForbidden = fails(RoleForbidden, 403, "Your role does not allow this")

/** Where platform keys are accepted, too, which may be refused for these reasons. */
export const noDashboardSessionOrKey = (...reasons: ReadonlyArray<string>) =>
  Schema.Union(unauthorized(...reasons), crossSite)

export const noDashboardSession = noDashboardSessionOrKey(needsUser)

/** Dashboard users of any role, or of one that may do this. */
export type Users = "any" | Permission

/** Whom a guard admits, for sentences. */
export const whoMay: Readonly<Record<Users, string>> = {
  any: "every signed-in user",
  read: "signed-in viewers, members and owners",
  review: "signed-in reviewers, members and owners",
  write: "signed-in members and owners",
  administer: "signed-in owners"
}

/** What all guards of `user` are to the compiler. */
export class UserGuard extends HttpApiMiddleware.Tag<UserGuard>()("UserGuard", {
  provides: CurrentUser,
  failure: Schema.Union(noDashboardSession, roleForbidden)
}) {}

/** `http.ts` implements them. */
export const userGuards = guardsFrom((name, { users }: { readonly users: Users }) =>
  // The cast: a guard for any role fails in fewer ways.
  guard(
    HttpApiMiddleware.Tag<UserGuard>()(`user ${name}`, {
      provides: CurrentUser,
      failure: users === "any" ? noDashboardSession : UserGuard.failure
    }) as unknown as typeof UserGuard,
    {
      credentials: [dashboardSession],
      who: `For ${whoMay[users]}.`,
      companyOf: ({ company }: SignedInUser) => company.id
    }
  )
)

/** Access for dashboard users of any role, or of one that may do this, by cookie or by `Authorization: Bearer`. The handler has them as `CurrentUser`. */
export const user = (users: Users) => ({ guard: userGuards.guardFor({ users }) })

/** For routes that begin a session: rejects other sites' pages, even without this site's cookie. */
export class SameSite extends guard(HttpApiMiddleware.Tag<SameSite>()("SameSite", { failure: crossSite }), {
  credentials: [],
  who: "Requests from pages of other sites are refused."
}) {}

/** Access without a credential, but not from pages of other sites. @param caller a sentence on who may call */
export const fromOwnSite = (caller: string) => ({ guard: SameSite, caller })
