/** The inputs of the account use cases, and what a signed-in browser gets. */
import type { Redacted } from "effect"
import type { Account } from "./model.ts"

export interface NewUser {
  readonly companyName: string
  readonly email: string
  readonly password: Redacted.Redacted<string>
}

export interface Signup extends NewUser {
  /** The browser's known-device cookie. */
  readonly device: string | undefined
}

export interface Login {
  readonly email: string
  readonly password: Redacted.Redacted<string>
  /** The token in the browser's session cookie. A successful sign-in ends that session. */
  readonly replaced: string | undefined
  /** The browser's known-device cookie. */
  readonly device: string | undefined
}

export interface PasswordChange {
  /** The session that continues. */
  readonly sessionId: string
  readonly currentPassword: Redacted.Redacted<string>
  readonly newPassword: Redacted.Redacted<string>
  /** The browser's known-device cookie. */
  readonly device: string | undefined
}

/** An account, the token of its new session, and the browser's new known-device cookie. */
export interface SignedIn {
  readonly account: Account
  readonly token: string
  readonly device: string
}
