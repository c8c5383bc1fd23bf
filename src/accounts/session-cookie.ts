import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { cookieName } from "./credential.ts"
import { sessionDays } from "./model.ts"
import type { SignedIn } from "./service.ts"

/** `SameSite` is lax so that a link from a mail finds the user signed in; writes are guarded by the origin. */
export const cookieOptions = (secure: boolean) =>
  ({ httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: `${sessionDays.life} days` }) as const

/** The answer that begins a session: who is signed in, and the cookie. */
export const beginsSession = ({ account, token }: SignedIn, status: number, secure: boolean) =>
  HttpServerResponse.unsafeJson({ ok: true, user: account.user, company: account.company }, { status }).pipe(
    HttpServerResponse.unsafeSetCookie(cookieName, token, cookieOptions(secure))
  )
