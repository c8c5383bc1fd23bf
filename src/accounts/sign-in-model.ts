/** What accounts are asked for, and what a browser gets that has signed in. */
import type * as Redacted from "effect/Redacted"
import type { Account } from "./model.ts"

export interface NewUser {
  readonly companyName: string
  readonly email: string
  readonly password: Redacted.Redacted<string>
}

export interface Signup extends NewUser {
  /** The browser's cookie as a known device. */
  readonly device: string | undefined
}

export interface Login {
  readonly email: string
  readonly password: Redacted.Redacted<string>
  /** The token of the session in the browser's cookie, which a good sign-in ends. */
  readonly replaced: string | undefined
  /** The browser's cookie as a known device. */
  readonly device: string | undefined
}

export interface PasswordChange {
  /** The one that goes on. */
  readonly sessionId: string
  readonly currentPassword: Redacted.Redacted<string>
  readonly newPassword: Redacted.Redacted<string>
  /** The browser's cookie as a known device. */
  readonly device: string | undefined
}

/** An account, the token of the session that was just begun for it, and the browser's cookie as a known device from now on. */
export interface SignedIn {
  readonly account: Account
  readonly token: string
  readonly device: string
}
