import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { type ActingUser, actingAs, keptUserAgent, type Origin } from "../audit/model.ts"
import { Config } from "../config.ts"
import { bearerToken, header } from "../http/runtime/source.ts"
import { CurrentRequest } from "../shared/current-request.ts"
import { CrossSiteRequest, needsUser, RoleForbidden, Unauthorized } from "./errors.ts"
import { CurrentUser, cookieName, type SignedInUser, type Users } from "./guards.ts"
import { type Role, rolesThatMay } from "./model.ts"
import { Accounts } from "./service.ts"

const changesState = (method: string) => method !== "GET" && method !== "HEAD" && method !== "OPTIONS"

type Request = HttpServerRequest.HttpServerRequest
export type NoUser = CrossSiteRequest | RoleForbidden | Unauthorized

/** The client's address and user agent, as the audit trail stores them. */
export const origin: Effect.Effect<Origin, never, Request> = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request) =>
    Effect.map(CurrentRequest, ({ clientAddress }) => ({
      address: clientAddress(),
      userAgent: keptUserAgent(header(request, "user-agent"))
    }))
)

const actingUser: Effect.Effect<ActingUser, never, CurrentUser | Request> = Effect.zipWith(
  CurrentUser,
  origin,
  (user, from) => actingAs({ user, company: user.company }, from)
)

/** Runs `act` as the dashboard user behind the request. */
export const asUser = <A, E, R>(act: (by: ActingUser) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(actingUser, act)

/** Runs `read` for the company of the dashboard user behind the request. */
export const inCompany = <A, E, R>(read: (companyId: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(CurrentUser, ({ company }) => read(company.id))

/** `Authorization: Bearer` takes precedence over the cookie, which browsers add by themselves. */
const presentedToken = (request: Request): string | undefined =>
  bearerToken(request) ?? request.cookies[cookieName]

/** The reason of a refusal: only a platform key has one. */
const whyNot = (request: Request): { readonly reason?: string } =>
  (header(request, "x-api-key") ?? bearerToken(request))?.startsWith("dlk_") ? { reason: needsUser } : {}

/** Authenticates the dashboard user behind a request. */
export class DashboardCredential extends Effect.Service<DashboardCredential>()("DashboardCredential", {
  effect: Effect.gen(function* () {
    const accounts = yield* Accounts
    const { appUrl, baseUrl } = yield* Config
    const ownOrigins = new Set([new URL(baseUrl).origin, new URL(appUrl).origin])
    // If BASE_URL is https, an http page is foreign: anybody on the network path could have written it.
    const ownSchemes = new Set(["https:", new URL(baseUrl).protocol])

    // The host in the request counts as our own: BASE_URL may be one of several names.
    const isSentTo = (origin: string, host: string) => {
      const page = URL.parse(origin)
      return page !== null && ownSchemes.has(page.protocol) && page.host === host.toLowerCase()
    }
    const isOwnOrigin = (origin: string, host: string | undefined) =>
      ownOrigins.has(origin) || (host !== undefined && isSentTo(origin, host))

    /** Whether a page of another site makes the browser send this state-changing request. */
    const isOfOtherSite = ({ headers, method }: Request): boolean => {
      if (!changesState(method)) return false
      if (headers.origin !== undefined) return !isOwnOrigin(headers.origin, headers.host)
      const site = headers["sec-fetch-site"]
      return site !== undefined && site !== "same-origin" && site !== "none"
    }

    /** Without this, another site could sign a user in to an account of its choice. */
    const refuseOtherSites = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      isOfOtherSite(request) ? Effect.fail(new CrossSiteRequest()) : Effect.void
    )

    const authenticateAny = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const token = presentedToken(request)
      if (token === undefined) return yield* new Unauthorized(whyNot(request))
      const hasCookie = request.cookies[cookieName] !== undefined
      if (hasCookie && isOfOtherSite(request)) return yield* new CrossSiteRequest()
      const { company, sessionId, user } = yield* Effect.mapError(
        accounts.authenticate(token),
        () => new Unauthorized(whyNot(request))
      )
      return { ...user, company, sessionId }
    }) satisfies Effect.Effect<SignedInUser, Unauthorized | CrossSiteRequest, Request>

    /** Fails for roles that may not do this. */
    const authenticate = (users: Users): Effect.Effect<SignedInUser, NoUser, Request> => {
      if (users === "any") return authenticateAny
      const roles: ReadonlyArray<Role> = rolesThatMay[users]
      return Effect.filterOrFail(
        authenticateAny,
        ({ role }) => roles.includes(role),
        () => new RoleForbidden()
      )
    }

    return { authenticate, refuseOtherSites }
  })
}) {}
