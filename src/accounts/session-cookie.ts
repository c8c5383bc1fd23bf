import type { Cookie } from "@effect/platform/Cookies"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { Config } from "../config.ts"
import { deviceDays } from "./devices.ts"
import { cookieName } from "./guards.ts"
import { type SignedIn, sessionDays } from "./model.ts"

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

/** The answer to a sign-in, a sign-up or an accepted invitation. */
export const beginsSession =
  (status: number) =>
  ({ account: { company, user }, device, token }: SignedIn) =>
    HttpServerResponse.unsafeJson({ ok: true, user, company }, { status }).pipe(
      withSession(token, `${sessionDays.life} days`),
      Effect.flatMap(withDeviceCookie(device))
    )
