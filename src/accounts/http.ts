import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Api } from "../api.ts"
import { Config } from "../config.ts"
import { CurrentUser, DashboardSession, SameSite } from "../http/credentials.ts"
import { CurrentRequest } from "../http/request-info.ts"
import { cookieName, DashboardCredential, presentedToken } from "./credential.ts"
import { Accounts, type SignedIn, sessionLifeDays } from "./service.ts"

const cookieOptions = (secure: boolean) =>
  ({ httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: `${sessionLifeDays} days` }) as const

/** `SameSite` is lax so that a link from a mail finds the user signed in; writes are guarded by the origin. */
const signedIn = ({ account, token }: SignedIn, status: number, secure: boolean) =>
  HttpServerResponse.unsafeJson({ ok: true, user: account.user, company: account.company }, { status }).pipe(
    HttpServerResponse.unsafeSetCookie(cookieName, token, cookieOptions(secure))
  )

const signInGroup = HttpApiBuilder.group(Api, "sign-in", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const secure = (yield* Config).baseUrl.startsWith("https:")
    return handlers
      .handle("signup", ({ payload }) =>
        Effect.map(accounts.signup({ ...payload, password: Redacted.make(payload.password) }), (done) =>
          signedIn(done, 201, secure)
        )
      )
      .handle("login", ({ payload }) =>
        Effect.flatMap(CurrentRequest, ({ clientAddress }) =>
          Effect.map(
            accounts.login({
              email: payload.email,
              password: Redacted.make(payload.password),
              clientAddress: clientAddress()
            }),
            (done) => signedIn(done, 200, secure)
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
  })
)

/** Who is signed in, for the routes of every feature. */
export const credentials = Layer.mergeAll(
  Layer.effect(
    DashboardSession,
    Effect.map(DashboardCredential, ({ authenticate }) => authenticate)
  ),
  Layer.effect(
    SameSite,
    Effect.map(DashboardCredential, ({ refuseCrossSite }) => refuseCrossSite)
  )
)

/** The routes of `SignInApi` and `AccountApi`. */
export const layer = Layer.mergeAll(signInGroup, accountGroup)
