import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { cookieName } from "./credential.ts"
import { sessionDays } from "./model.ts"
import type { SignedIn } from "./service.ts"

/** `SameSite` is lax so that a link from a mail finds the user signed in; writes are guarded by the origin. */
export const cookieOptions = (secure: boolean) =>
  ({ httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: `${sessionDays.life} days` }) as const

/** By which a device is known that has signed in before. */
export const deviceCookieName = "dashboard_device"

/** It is of use where passwords are tried only, and stays for as long as browsers keep a cookie (RFC 6265bis): 400 days. */
const deviceCookieOptions = (secure: boolean) =>
  ({ httpOnly: true, sameSite: "strict", path: "/api/auth", secure, maxAge: "400 days" }) as const

/** The answer that begins a session: who is signed in, the session's cookie, and the device's. */
export const beginsSession = ({ account, device, token }: SignedIn, status: number, secure: boolean) =>
  HttpServerResponse.unsafeJson({ ok: true, user: account.user, company: account.company }, { status }).pipe(
    HttpServerResponse.unsafeSetCookie(cookieName, token, cookieOptions(secure)),
    HttpServerResponse.unsafeSetCookie(deviceCookieName, device, deviceCookieOptions(secure))
  )
