import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Layer, Redacted } from "effect"
import type { ActingUser } from "../audit/model.ts"
import { group } from "../http/runtime/handlers.ts"
import { ok } from "../shared/schemas.ts"
import { AccountApi, SignInApi } from "./api.ts"
import { asUser, DashboardCredential } from "./credential.ts"
import { CurrentUser, cookieName, SameSite, userGuards } from "./guards.ts"
import { Accounts } from "./service.ts"
import { beginsSession, deviceCookieName, endsSession, withDeviceCookie } from "./session-cookie.ts"

const signInGroup = group(SignInApi, (handlers) =>
  Effect.map(Accounts, (accounts) =>
    handlers
      .handle("signup", ({ payload, request }) =>
        beginsSession(201, accounts, request, (from, device) =>
          accounts.signup(from, { ...payload, password: Redacted.make(payload.password), device })
        )
      )
      .handle("login", ({ payload, request }) =>
        beginsSession(200, accounts, request, (from, device) =>
          accounts.login(from, {
            email: payload.email,
            password: Redacted.make(payload.password),
            replaced: request.cookies[cookieName],
            device
          })
        )
      )
  )
)

/** Runs `act` as the dashboard user behind the request, with the id of their session. */
const inSession = <A, E, R>(act: (by: ActingUser, sessionId: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(CurrentUser, ({ sessionId }) => asUser((by) => act(by, sessionId)))

const accountGroup = group(AccountApi, (handlers) =>
  Effect.map(Accounts, (accounts) =>
    handlers
      .handle("logout", () =>
        Effect.zipRight(inSession(accounts.logout), endsSession(HttpServerResponse.unsafeJson(ok)))
      )
      .handle("me", () =>
        Effect.map(CurrentUser, ({ company, email, id, role }) => ({ user: { id, email, role }, company }))
      )
      .handle("changePassword", ({ payload, request }) =>
        inSession((by, sessionId) =>
          accounts.changePassword(by, {
            sessionId,
            currentPassword: Redacted.make(payload.currentPassword),
            newPassword: Redacted.make(payload.newPassword),
            device: request.cookies[deviceCookieName]
          })
        ).pipe(Effect.flatMap((device) => withDeviceCookie(device)(HttpServerResponse.unsafeJson(ok))))
      )
      .handle("sessions", () =>
        Effect.flatMap(CurrentUser, ({ id, sessionId }) => accounts.sessions(id, sessionId)).pipe(
          Effect.bindTo("sessions")
        )
      )
      .handle("endSession", ({ path }) =>
        asUser((by) => accounts.endSession(by, path.id)).pipe(Effect.as(ok))
      )
      .handle("endOtherSessions", () => inSession(accounts.endOtherSessions).pipe(Effect.as(ok)))
  )
)

/** For the routes of every feature. */
export const credentials = Layer.effectContext(
  Effect.map(DashboardCredential, ({ authenticate, refuseOtherSites }) =>
    Context.add(
      userGuards.implementedBy(({ users }) => authenticate(users)),
      SameSite,
      refuseOtherSites
    )
  )
)

export const layer = Layer.mergeAll(signInGroup, accountGroup)
