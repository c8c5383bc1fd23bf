/** Who may call the routes of KYC sessions, as the contract says it; `credential` finds out who asks. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { dashboardSession, noDashboardSession } from "../../accounts/guards.ts"
import type { Identity } from "../../audit/model.ts"
import { fails } from "../../http/contract/answers.ts"
import { type Credential, guard } from "../../http/contract/guard.ts"
import { noPlatformKey, platformKey } from "../../keys/guards.ts"
import { SessionNotFound } from "./errors.ts"

/** Who makes a request on a company's behalf: a platform key or a dashboard user. */
export class Caller extends Context.Tag("Caller")<Caller, Identity>() {}

/** The KYC session token that a browser presents. It has not been looked up: what it opens is the route's to say. */
export class PresentedSessionToken extends Context.Tag("PresentedSessionToken")<
  PresentedSessionToken,
  string
>() {}

const companyOf = ({ companyId }: Identity) => companyId

/** Requires a platform key with the scope `kyc:sessions:create`. */
export class SessionCreator extends guard(
  HttpApiMiddleware.Tag<SessionCreator>()("SessionCreator", { provides: Caller, failure: noPlatformKey }),
  {
    credentials: [platformKey],
    who: "For platform API keys with the scope `kyc:sessions:create`.",
    companyOf
  }
) {}

/** What routes fail with that let in platform keys and dashboard users. */
export const noReader = Schema.Union(noPlatformKey, noDashboardSession)

/** Says of a guard that it lets in platform keys and dashboard users. */
export const byKeyOrDashboard = (who: string) => ({
  credentials: [platformKey, dashboardSession],
  who,
  companyOf
})

/** Requires a platform key with the scope `kyc:sessions:read`, or a dashboard session. */
export class SessionReader extends guard(
  HttpApiMiddleware.Tag<SessionReader>()("SessionReader", { provides: Caller, failure: noReader }),
  byKeyOrDashboard("For platform API keys with the scope `kyc:sessions:read`, and for every signed-in user.")
) {}

const sessionToken: Credential = {
  sessionBearer: { type: "http", scheme: "bearer", description: "The token of a KYC session (`kyc_sess_`)." }
}

/** Requires a KYC session token as `Authorization: Bearer`; without one it is as with a wrong one. */
export class SessionBearer extends guard(
  HttpApiMiddleware.Tag<SessionBearer>()("SessionBearer", {
    provides: PresentedSessionToken,
    failure: fails(SessionNotFound, 404, "Session not found")
  }),
  { credentials: [sessionToken], who: "For whoever has the session's token." }
) {}

/** Who may call a route that looks for the session's token in the request itself. */
export const holderOfSessionToken =
  "For whoever has the session's token, which is `token` in the query or the body."
