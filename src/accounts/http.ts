import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Api } from "../api.ts"
import { Config } from "../config.ts"
import {
  CurrentUser,
  DashboardMember,
  DashboardOwner,
  DashboardSession,
  SameSite
} from "../http/credentials.ts"
import { CurrentRequest } from "../http/request-info.ts"
import { ok } from "../model.ts"
import { cookieName, DashboardCredential, presentedToken } from "./credential.ts"
import { keptUserAgent } from "./model.ts"
import { Accounts } from "./service.ts"
import { beginsSession, cookieOptions } from "./session-cookie.ts"

const signInGroup = HttpApiBuilder.group(Api, "sign-in", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const secure = (yield* Config).baseUrl.startsWith("https:")
    return handlers
      .handle("signup", ({ payload, request }) =>
        Effect.map(
          accounts.signup({
            ...payload,
            password: Redacted.make(payload.password),
            userAgent: keptUserAgent(request.headers["user-agent"])
          }),
          (done) => beginsSession(done, 201, secure)
        )
      )
      .handle("login", ({ payload, request }) =>
        Effect.flatMap(CurrentRequest, ({ clientAddress }) =>
          Effect.map(
            accounts.login({
              email: payload.email,
              password: Redacted.make(payload.password),
              clientAddress: clientAddress(),
              userAgent: keptUserAgent(request.headers["user-agent"])
            }),
            (done) => beginsSession(done, 200, secure)
          )
        )
      )
  })
)

const accountGroup = HttpApiBuilder.group(Api, "account", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const secure = (yield* Config).baseUrl.startsWith("https:")
    return handlers
      .handle("logout", ({ request }) =>
        Effect.as(
          accounts.logout(presentedToken(request) ?? ""),
          HttpServerResponse.unsafeJson({ ok: true }).pipe(
            HttpServerResponse.unsafeSetCookie(cookieName, "", { ...cookieOptions(secure), maxAge: 0 })
          )
        )
      )
      .handle("me", () =>
        Effect.map(CurrentUser, ({ company, email, id, role }) => ({ user: { id, email, role }, company }))
      )
      .handle("changePassword", ({ payload }) =>
        Effect.gen(function* () {
          const { email, id, sessionId } = yield* CurrentUser
          const { clientAddress } = yield* CurrentRequest
          yield* accounts.changePassword({
            userId: id,
            email,
            sessionId,
            clientAddress: clientAddress(),
            currentPassword: Redacted.make(payload.currentPassword),
            newPassword: Redacted.make(payload.newPassword)
          })
          return ok
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
          Effect.flatMap(CurrentUser, ({ id }) => accounts.endSession(id, path.id)),
          ok
        )
      )
      .handle("endOtherSessions", () =>
        Effect.as(
          Effect.flatMap(CurrentUser, ({ id, sessionId }) => accounts.endOtherSessions(id, sessionId)),
          ok
        )
      )
  })
)

/** Who is signed in, for the routes of every feature. */
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
    Effect.map(DashboardCredential, ({ refuseCrossSite }) => refuseCrossSite)
  )
)

/** The routes of `SignInApi` and `AccountApi`. */
export const layer = Layer.mergeAll(signInGroup, accountGroup)
