import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, Schema } from "effect"
import { dashboardSession, noDashboardSessionOrKey, roleForbidden } from "../../accounts/guards.ts"
import type { Identity } from "../../audit/model.ts"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { filled, required } from "../../http/contract/fields.ts"
import { type Credential, guard } from "../../http/contract/guard.ts"
import { keyReasons } from "../../keys/errors.ts"
import { noPlatformKey, platformKey, scopeMissing } from "../../keys/guards.ts"
import type { KnownScope } from "../../keys/scopes-model.ts"
import { SessionExpired, SessionNotFound, SessionNotUpdatable } from "./errors.ts"

export const sessionNotFound = fails(SessionNotFound, 404, "Session not found")
export const sessionExpired = fails(SessionExpired, 410, "Session expired")
export const sessionNotUpdatable = fails(SessionNotUpdatable, 409, "Session is not updatable")

/** The field of a body or a query with which the end user's browser shows that the session is its own. */
export const SessionToken = required(filled("token")).annotations({ description: "The session's token." })

/** Who makes a request on behalf of a company: a platform key or a dashboard user. */
export class Caller extends Context.Tag("Caller")<Caller, Identity>() {}

/** The KYC session token from the request. The route looks it up. */
export class PresentedSessionToken extends Context.Tag("PresentedSessionToken")<
  PresentedSessionToken,
  string
>() {}

const companyOf = ({ companyId }: Identity) => companyId

export class SessionCreator extends guard(
  HttpApiMiddleware.Tag<SessionCreator>()("SessionCreator", {
    provides: Caller,
    failure: noPlatformKey("kyc:sessions:create")
  }),
  {
    credentials: [platformKey],
    who: "For platform API keys with the scope `kyc:sessions:create`.",
    companyOf
  }
) {}

/** How routes that admit dashboard users and platform keys with this scope refuse others. */
export const noReader = (scope: KnownScope) => Schema.Union(noPlatformKey(scope), noDashboardSessionOrKey())

/** How routes for dashboard users that also admit platform keys that name this scope refuse others. */
export const noNamedKey = (scope: KnownScope) =>
  Schema.Union(noDashboardSessionOrKey(...keyReasons), scopeMissing(scope), tooManyRequests)

export const byKeyOrDashboard = (who: string) => ({
  credentials: [platformKey, dashboardSession],
  who,
  companyOf
})

export class SessionReader extends guard(
  HttpApiMiddleware.Tag<SessionReader>()("SessionReader", {
    provides: Caller,
    failure: noReader("kyc:sessions:read")
  }),
  byKeyOrDashboard("For platform API keys with the scope `kyc:sessions:read`, and for every signed-in user.")
) {}

export class SessionWriter extends guard(
  HttpApiMiddleware.Tag<SessionWriter>()("SessionWriter", {
    provides: Caller,
    failure: Schema.Union(noReader("kyc:sessions:write"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `kyc:sessions:write`, and for signed-in members and owners."
  )
) {}

const sessionToken: Credential = {
  sessionBearer: { type: "http", scheme: "bearer", description: "The token of a KYC session (`kyc_sess_`)." }
}

/** Requires a KYC session token as `Authorization: Bearer`. A missing token fails like a wrong one. */
export class SessionBearer extends guard(
  HttpApiMiddleware.Tag<SessionBearer>()("SessionBearer", {
    provides: PresentedSessionToken,
    failure: sessionNotFound
  }),
  { credentials: [sessionToken], who: "For holders of the session's token." }
) {}

export const holderOfSessionToken = "For holders of the session's token: `token` in the query or the body."
