import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { deviceDays } from "./devices.ts"
import { cookieName } from "./guards.ts"
import { sessionDays } from "./model.ts"
import type { SignedIn } from "./sign-in-model.ts"

/** `SameSite` is lax, so that links in emails find the user signed in. The origin check protects writes. */
export const cookieOptions = (secure: boolean) =>
  ({ httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: `${sessionDays.life} days` }) as const

export const deviceCookieName = "dashboard_device"

/** Makes the browser a known device. The cookie goes only to `/api/auth`, where passwords are checked. */
export const withDeviceCookie = (device: string, secure: boolean) =>
  HttpServerResponse.unsafeSetCookie(deviceCookieName, device, {
    httpOnly: true,
    sameSite: "strict",
    path: "/api/auth",
    secure,
    maxAge: `${deviceDays} days`
  })

export const beginsSession =
  (status: number, secure: boolean) =>
  ({ account, device, token }: SignedIn) =>
    HttpServerResponse.unsafeJson(
      { ok: true, user: account.user, company: account.company },
      { status }
    ).pipe(
      HttpServerResponse.unsafeSetCookie(cookieName, token, cookieOptions(secure)),
      withDeviceCookie(device, secure)
    )
