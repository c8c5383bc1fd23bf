import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { deviceDays } from "./devices.ts"
import { cookieName } from "./guards.ts"
import { sessionDays } from "./model.ts"
import type { SignedIn } from "./sign-in-model.ts"

/** `SameSite` is lax so that a link from a mail finds the user signed in; writes are guarded by the origin. */
export const cookieOptions = (secure: boolean) =>
  ({ httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: `${sessionDays.life} days` }) as const

/** The cookie by which a device is known that has signed in before (`devices`). */
export const deviceCookieName = "dashboard_device"

/** An answer that makes the browser a known device. The cookie is sent only where passwords are tried. */
export const withDeviceCookie = (device: string, secure: boolean) =>
  HttpServerResponse.unsafeSetCookie(deviceCookieName, device, {
    httpOnly: true,
    sameSite: "strict",
    path: "/api/auth",
    secure,
    maxAge: `${deviceDays} days`
  })

/** The answer that begins a session: who is signed in, the session's cookie, and the device's. */
export const beginsSession = ({ account, device, token }: SignedIn, status: number, secure: boolean) =>
  HttpServerResponse.unsafeJson({ ok: true, user: account.user, company: account.company }, { status }).pipe(
    HttpServerResponse.unsafeSetCookie(cookieName, token, cookieOptions(secure)),
    withDeviceCookie(device, secure)
  )
