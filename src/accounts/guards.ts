/** The guards of the dashboard's routes. `credential` authenticates the caller. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, Schema } from "effect"
import { fails } from "../http/contract/error-responses.ts"
import { bearerChallenge, type Credential, guard } from "../http/contract/guard.ts"
import { CrossSiteRequest, needsUser, RoleForbidden, Unauthorized } from "./errors.ts"
import type { Company, User } from "./model.ts"

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

const noDashboardSession = Schema.Union(unauthorized(needsUser), crossSite)

/** The same where platform keys are accepted, too, which may be refused for these reasons. */
export const noDashboardSessionOrKey = (...reasons: ReadonlyArray<string>) =>
  Schema.Union(unauthorized(...reasons), crossSite)

const anyRole = { provides: CurrentUser, failure: noDashboardSession } as const
const someRoles = { provides: CurrentUser, failure: Schema.Union(noDashboardSession, roleForbidden) } as const

const bySession = (who: string) => ({
  credentials: [dashboardSession],
  who,
  companyOf: ({ company }: SignedInUser) => company.id
})

/** Requires a dashboard session of any role, by cookie or by `Authorization: Bearer`. */
export class DashboardSession extends guard(
  HttpApiMiddleware.Tag<DashboardSession>()("DashboardSession", anyRole),
  bySession("For every signed-in user.")
) {}

/** Not for reviewers, who see only sessions. */
export class DashboardReader extends guard(
  HttpApiMiddleware.Tag<DashboardReader>()("DashboardReader", someRoles),
  bySession("For signed-in viewers, members and owners.")
) {}

export class DashboardReviewer extends guard(
  HttpApiMiddleware.Tag<DashboardReviewer>()("DashboardReviewer", someRoles),
  bySession("For signed-in reviewers, members and owners.")
) {}

export class DashboardWriter extends guard(
  HttpApiMiddleware.Tag<DashboardWriter>()("DashboardWriter", someRoles),
  bySession("For signed-in members and owners.")
) {}

export class DashboardOwner extends guard(
  HttpApiMiddleware.Tag<DashboardOwner>()("DashboardOwner", someRoles),
  bySession("For signed-in owners.")
) {}

/** For routes that begin a session: rejects other sites' pages, even without this site's cookie. */
export class SameSite extends guard(HttpApiMiddleware.Tag<SameSite>()("SameSite", { failure: crossSite }), {
  credentials: [],
  who: "Requests from pages of other sites are refused."
}) {}
