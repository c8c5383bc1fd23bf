/**
 * Who is asking: what the routes' middleware establishes before body, resource and state are looked at.
 * The features provide the implementations (`accounts/http`, `keys/http`).
 */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { RoleForbidden, Unauthorized } from "../accounts/errors.ts"
import type { Role } from "../accounts/model.ts"
import {
  type ActingUser,
  type Actor,
  actingAs,
  type Identity,
  keptUserAgent,
  type Origin
} from "../audit/model.ts"
import { InvalidApiKey, ScopeMissing } from "../keys/errors.ts"
import { SessionNotFound } from "../kyc/sessions/errors.ts"
import { TooManyRequests } from "../limits/errors.ts"
import { CurrentRequest } from "../shared/current-request.ts"
import { fails } from "./contract/answers.ts"
import { header } from "./runtime/source.ts"

/** The dashboard user behind a request. */
export interface User {
  readonly id: string
  readonly email: string
  readonly role: Role
  /** Of the dashboard session by which the request came. */
  readonly sessionId: string
  readonly company: { readonly id: string; readonly name: string }
}

export class CurrentUser extends Context.Tag("CurrentUser")<CurrentUser, User>() {}

/** Who makes a request on a company's behalf: a platform key or a dashboard user. */
export class Caller extends Context.Tag("Caller")<Caller, Identity>() {}

type Request = HttpServerRequest.HttpServerRequest

/** Where the request comes from, as the audit trail keeps it. */
export const origin: Effect.Effect<Origin, never, Request> = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request) =>
    Effect.map(CurrentRequest, ({ clientAddress }) => ({
      address: clientAddress(),
      userAgent: keptUserAgent(header(request, "user-agent"))
    }))
)

/** The dashboard user behind the request, as the one who acts. */
export const actingUser: Effect.Effect<ActingUser, never, CurrentUser | Request> = Effect.zipWith(
  CurrentUser,
  origin,
  (user, from) => actingAs(user, user.company.id, from)
)

/** The platform key or the dashboard user behind the request, as the one who acts. */
export const actingCaller: Effect.Effect<Actor, never, Caller | Request> = Effect.zipWith(
  Caller,
  origin,
  (caller, from) => ({ ...caller, ...from })
)

/** The KYC session token that a browser presents. It has not been looked up: what it opens is the route's to say. */
export class PresentedSessionToken extends Context.Tag("PresentedSessionToken")<
  PresentedSessionToken,
  string
>() {}

/** A state-changing request with the dashboard's cookie came from a page of another site. */
export class CrossSiteRequest extends Data.TaggedError("CrossSiteRequest") {}

/** RFC 9110, section 15.5.2: a 401 says how to do better. */
const challenge = { headers: { "www-authenticate": 'Bearer realm="doorlock"' } }

const unauthorized = fails(Unauthorized, 401, "Unauthorized", challenge)
const crossSite = fails(CrossSiteRequest, 403, "Cross-site request refused")
const roleForbidden = fails(RoleForbidden, 403, "Your role does not allow this")
const invalidApiKey = fails(InvalidApiKey, 401, "Invalid API key", challenge)

/** Says when another try is taken (RFC 9110, section 10.2.3). */
export const retryAfter = {
  headers: ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }) => ({
    "retry-after": String(retryAfterSeconds)
  })
}

/** Decisions 1, protective limits. */
export const tooManyRequests = fails(TooManyRequests, 429, "Too many requests", retryAfter)

/** Decisions 3, scope match. */
export const scopeMissing = fails(ScopeMissing, 403, "API key does not have the scope kyc:sessions:create", {
  describe: ({ scope }) => `API key does not have the scope ${scope}`
})

const writer = {
  provides: CurrentUser,
  failure: Schema.Union(unauthorized, crossSite, roleForbidden)
} as const

/** Requires a dashboard session, by cookie or as `Authorization: Bearer`, of any role. */
export class DashboardSession extends HttpApiMiddleware.Tag<DashboardSession>()("DashboardSession", {
  provides: CurrentUser,
  failure: Schema.Union(unauthorized, crossSite)
}) {}

/** Requires a dashboard session of a member or an owner: viewers change nothing. */
export class DashboardMember extends HttpApiMiddleware.Tag<DashboardMember>()("DashboardMember", writer) {}

/** Requires a dashboard session of an owner. */
export class DashboardOwner extends HttpApiMiddleware.Tag<DashboardOwner>()("DashboardOwner", writer) {}

/** For routes that begin a session: refuses what the page of another site sends, with the cookie of this one or without. */
export class SameSite extends HttpApiMiddleware.Tag<SameSite>()("SameSite", { failure: crossSite }) {}

/** Requires a platform key with the scope `kyc:sessions:create`. */
export class SessionCreator extends HttpApiMiddleware.Tag<SessionCreator>()("SessionCreator", {
  provides: Caller,
  failure: Schema.Union(invalidApiKey, scopeMissing, tooManyRequests)
}) {}

const reader = {
  provides: Caller,
  failure: Schema.Union(invalidApiKey, scopeMissing, tooManyRequests, unauthorized, crossSite)
} as const

/** Requires a platform key with the scope `kyc:sessions:read`, or a dashboard session. */
export class SessionReader extends HttpApiMiddleware.Tag<SessionReader>()("SessionReader", reader) {}

/**
 * Requires a platform key with the scope `kyc:files:read`, or a dashboard session. For `original=true` it requires the scope
 * `kyc:files:original`, or the session of a member or an owner.
 */
export class FileReader extends HttpApiMiddleware.Tag<FileReader>()("FileReader", {
  provides: Caller,
  failure: Schema.Union(reader.failure, roleForbidden)
}) {}

/** Requires a KYC session token as `Authorization: Bearer`; without one it is as with a wrong one. */
export class SessionBearer extends HttpApiMiddleware.Tag<SessionBearer>()("SessionBearer", {
  provides: PresentedSessionToken,
  failure: fails(SessionNotFound, 404, "Session not found")
}) {}
