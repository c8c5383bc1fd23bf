import type { Cookie } from "@effect/platform/Cookies"
import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import type { Origin } from "../audit/model.ts"
import { Config } from "../config.ts"
import { origin } from "./credential.ts"
import { deviceDays } from "./devices.ts"
import { cookieName } from "./guards.ts"
import { type SignedIn, sessionDays } from "./model.ts"
import type { Accounts } from "./service.ts"

type CookieOptions = NonNullable<Cookie["options"]>

const withCookie =
  (name: string, value: string, options: CookieOptions) =>
  (response: HttpServerResponse.HttpServerResponse) =>
    Effect.map(Config, ({ baseUrl }) => {
      const secure = baseUrl.startsWith("https:")
      return HttpServerResponse.unsafeSetCookie(response, name, value, { httpOnly: true, secure, ...options })
    })

/** `SameSite` is lax, so that links in emails find the user signed in. The origin check protects writes. */
const withSession = (token: string, maxAge: CookieOptions["maxAge"]) =>
  withCookie(cookieName, token, { sameSite: "lax", path: "/", maxAge })

export const endsSession = withSession("", 0)

export const deviceCookieName = "dashboard_device"

/** Makes the browser a known device. The cookie goes only to `/api/auth`, where passwords are checked. */
export const withDeviceCookie = (device: string) =>
  withCookie(deviceCookieName, device, {
    sameSite: "strict",
    path: "/api/auth",
    maxAge: `${deviceDays} days`
  })

/**
 * Answers a sign-in, a sign-up or an accepted invitation. The session whose cookie the request has ends, because the new one replaces the
 * cookie.
 *
 * @param begin begins the new session, from this client and device
 */
export const beginsSession = <E, R>(
  status: number,
  { endReplaced }: Pick<Accounts, "endReplaced">,
  { cookies }: Pick<HttpServerRequest, "cookies">,
  begin: (from: Origin, device: string | undefined) => Effect.Effect<SignedIn, E, R>
) =>
  Effect.gen(function* () {
    const from = yield* origin
    const { account, device, token } = yield* begin(from, cookies[deviceCookieName])
    yield* endReplaced(from, cookies[cookieName])
    const { company, user } = account
    return yield* HttpServerResponse.unsafeJson({ ok: true, user, company }, { status }).pipe(
      withSession(token, `${sessionDays.life} days`),
      Effect.flatMap(withDeviceCookie(device))
    )
  })
