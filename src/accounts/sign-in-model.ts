/** The inputs of the account use cases, and what a signed-in browser gets. */
import type { Redacted } from "effect"
import type { Account } from "./model.ts"

export interface FromBrowser {
  /** The browser's known-device cookie. */
  readonly device: string | undefined
}

interface Credentials {
  readonly email: string
  readonly password: Redacted.Redacted<string>
}

export interface NewUser extends Credentials {
  readonly companyName: string
}

export interface Signup extends NewUser, FromBrowser {}

export interface Login extends Credentials, FromBrowser {
  /** The token in the browser's session cookie. A successful sign-in ends that session. */
  readonly replaced: string | undefined
}

export interface PasswordChange extends FromBrowser {
  /** The session that continues. */
  readonly sessionId: string
  readonly currentPassword: Redacted.Redacted<string>
  readonly newPassword: Redacted.Redacted<string>
}

/** An account, the token of its new session, and the browser's new known-device cookie. */
export interface SignedIn {
  readonly account: Account
  readonly token: string
  readonly device: string
}
