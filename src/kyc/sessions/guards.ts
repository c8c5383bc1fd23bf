import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context } from "effect"
import { fails } from "../../http/contract/error-responses.ts"
import { filled, required } from "../../http/contract/fields.ts"
import { type Credential, guard } from "../../http/contract/guard.ts"
import { SessionExpired, SessionNotFound, SessionNotUpdatable } from "./errors.ts"

export const sessionNotFound = fails(SessionNotFound, 404, "Session not found")
export const sessionExpired = fails(SessionExpired, 410, "Session expired")
export const sessionNotUpdatable = fails(SessionNotUpdatable, 409, "Session is not updatable")

/** The field of a body or a query with which the end user's browser shows that the session is its own. */
export const SessionToken = required(filled("token")).annotations({ description: "The session's token." })

/** The KYC session token from the request. The route looks it up. */
export class PresentedSessionToken extends Context.Tag("PresentedSessionToken")<
  PresentedSessionToken,
  string
>() {}

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

export const bySessionBearer = { guard: SessionBearer }

export const holderOfSessionToken = "For holders of the session's token: `token` in the query or the body."
