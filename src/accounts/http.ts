import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer, Redacted } from "effect"
import { Config } from "../config.ts"
import { group } from "../http/runtime/handlers.ts"
import { ok } from "../model.ts"
import { AccountApi, SignInApi } from "./api.ts"
import { actingUser, DashboardCredential, origin } from "./credential.ts"
import {
  CurrentUser,
  cookieName,
  DashboardMember,
  DashboardOwner,
  DashboardSession,
  SameSite
} from "./guards.ts"
import { Accounts } from "./service.ts"
import { beginsSession, cookieOptions, deviceCookieName, withDeviceCookie } from "./session-cookie.ts"

const signInGroup = group(SignInApi, (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const secure = (yield* Config).baseUrl.startsWith("https:")
    return handlers
      .handle("signup", ({ payload, request }) =>
        Effect.map(
          Effect.flatMap(origin, (from) =>
            accounts.signup(from, {
              ...payload,
              password: Redacted.make(payload.password),
              device: request.cookies[deviceCookieName]
            })
          ),
          (done) => beginsSession(done, 201, secure)
        )
      )
      .handle("login", ({ payload, request }) =>
        Effect.map(
          Effect.flatMap(origin, (from) =>
            accounts.login(from, {
              email: payload.email,
              password: Redacted.make(payload.password),
              replaced: request.cookies[cookieName],
              device: request.cookies[deviceCookieName]
            })
          ),
          (done) => beginsSession(done, 200, secure)
        )
      )
  })
)

const accountGroup = group(AccountApi, (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const secure = (yield* Config).baseUrl.startsWith("https:")
    return handlers
      .handle("logout", () =>
        Effect.as(
          Effect.gen(function* () {
            const { sessionId } = yield* CurrentUser
            yield* accounts.logout(yield* actingUser, sessionId)
          }),
          HttpServerResponse.unsafeJson({ ok: true }).pipe(
            HttpServerResponse.unsafeSetCookie(cookieName, "", { ...cookieOptions(secure), maxAge: 0 })
          )
        )
      )
      .handle("me", () =>
        Effect.map(CurrentUser, ({ company, email, id, role }) => ({ user: { id, email, role }, company }))
      )
      .handle("changePassword", ({ payload, request }) =>
        Effect.gen(function* () {
          const { sessionId } = yield* CurrentUser
          const device = yield* accounts.changePassword(yield* actingUser, {
            sessionId,
            currentPassword: Redacted.make(payload.currentPassword),
            newPassword: Redacted.make(payload.newPassword),
            device: request.cookies[deviceCookieName]
          })
          return withDeviceCookie(device, secure)(HttpServerResponse.unsafeJson(ok))
        })
      )
      .handle("sessions", () =>
        Effect.map(
          Effect.flatMap(CurrentUser, ({ id, sessionId }) => accounts.sessions(id, sessionId)),
          (sessions) => ({ sessions })
        )
      )
      .handle("endSession", ({ path }) =>
        Effect.as(
          Effect.flatMap(actingUser, (by) => accounts.endSession(by, path.id)),
          ok
        )
      )
      .handle("endOtherSessions", () =>
        Effect.as(
          Effect.gen(function* () {
            const { sessionId } = yield* CurrentUser
            yield* accounts.endOtherSessions(yield* actingUser, sessionId)
          }),
          ok
        )
      )
  })
)

/** Authenticates dashboard users for the routes of every feature. */
export const credentials = Layer.mergeAll(
  Layer.effect(
    DashboardSession,
    Effect.map(DashboardCredential, ({ authenticate }) => authenticate)
  ),
  Layer.effect(
    DashboardMember,
    Effect.map(DashboardCredential, ({ authenticateAs }) => authenticateAs("owner", "member"))
  ),
  Layer.effect(
    DashboardOwner,
    Effect.map(DashboardCredential, ({ authenticateAs }) => authenticateAs("owner"))
  ),
  Layer.effect(
    SameSite,
    Effect.map(DashboardCredential, ({ refuseOtherSites }) => refuseOtherSites)
  )
)

/** The routes of `SignInApi` and `AccountApi`. */
export const layer = Layer.mergeAll(signInGroup, accountGroup)
