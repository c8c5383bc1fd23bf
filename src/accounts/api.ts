import { Schema } from "effect"
import { anybody, fails, tooManyRequests } from "../http/contract/error-responses.ts"
import { filled, nameText, refusing, required, storable } from "../http/contract/fields.ts"
import { created, route, routeGroup } from "../http/contract/routes.ts"
import { isEmail, normalEmail } from "../shared/email.ts"
import { Ok } from "../shared/schemas.ts"
import { isStorableText } from "../shared/storable.ts"
import { DashboardSessionNotFound, EmailTaken, InvalidLogin, SignupClosed, WrongPassword } from "./errors.ts"
import { examples } from "./examples.ts"
import { fromOwnSite, user } from "./guards.ts"
import { Company, DashboardSessionInfo, User } from "./model.ts"

export const Email = refusing(
  Schema.String.pipe(
    Schema.filter((text) => isEmail(normalEmail(text)) && isStorableText(text), {
      jsonSchema: { format: "email" }
    })
  ),
  "email must be an email address"
)

/** In characters. No email address is as long, even padded with spaces. */
const maxPassword = 1024

/** No composition rules, as NIST SP 800-63B recommends. The upper bound only limits the work of hashing. */
const passwordField = (field: string) => {
  const short = `${field} must be at least 12 characters long`
  const long = `${field} must be at most ${maxPassword} characters long`
  return Schema.String.annotations({ message: () => short }).pipe(
    Schema.minLength(12, { message: () => short }),
    Schema.maxLength(maxPassword, { message: () => long }),
    // Every lone surrogate hashes to the same value.
    storable(field)
  )
}

export const NewPassword = passwordField("password")

/** Annotates a field that has a new password. */
export const anyPassword = { description: `Any text of 12 to ${maxPassword} characters.` }

export const CompanyName = nameText("companyName")

const Signup = Schema.Struct({
  companyName: required(CompanyName).annotations({ description: "The name of the new company." }),
  email: required(Email),
  password: required(NewPassword).annotations(anyPassword)
}).annotations({ identifier: "Signup" })

/** Replaces a text too long to be right with a short wrong one, since many sign-ins may wait in memory. */
const keptShort = (text: Schema.Schema<string>) =>
  Schema.transform(text, Schema.String, {
    strict: true,
    // Not an email address, and shorter than any password.
    decode: (given) => (given.length > maxPassword ? "too long" : given),
    encode: (given) => given
  })

export const Login = Schema.Struct({
  email: required(keptShort(filled("email").pipe(storable("email")))),
  password: required(keptShort(filled("password")))
}).annotations({ identifier: "Login" })

export const ChangePassword = Schema.Struct({
  currentPassword: required(keptShort(filled("currentPassword"))),
  newPassword: required(passwordField("newPassword")).annotations(anyPassword)
}).annotations({ identifier: "ChangePassword" })

export const emailTaken = fails(EmailTaken, 409, "Email is already registered")

export const SignedIn = Schema.Struct({ ok: Schema.Literal(true), user: User, company: Company }).annotations(
  {
    identifier: "SignedIn",
    description: "The session's token is in the cookie `dashboard_session`."
  }
)

export class SignInApi extends routeGroup(
  "sign-in",
  {
    title: "Sign-in",
    description: "Sign up and sign in. Both start a dashboard session.",
    access: fromOwnSite(anybody),
    examples
  },
  route("signup", "POST /api/auth/signup", {
    summary: "Sign up: create a company and its first user",
    body: Signup,
    success: created(SignedIn),
    errors: [fails(SignupClosed, 403, "Sign-up is closed"), emailTaken, tooManyRequests],
    unexpected: "Failed to sign up"
  }),
  route("login", "POST /api/auth/login", {
    summary: "Sign in",
    body: Login,
    success: SignedIn,
    errors: [fails(InvalidLogin, 401, "Invalid email or password"), tooManyRequests],
    unexpected: "Failed to sign in"
  })
) {}

export class AccountApi extends routeGroup(
  "account",
  {
    title: "Account",
    description: "The signed-in user, their password and their dashboard sessions.",
    access: user("any"),
    examples
  },
  route("logout", "POST /api/auth/logout", {
    summary: "Sign out, and end the session",
    success: Ok,
    unexpected: "Failed to sign out"
  }),
  route("me", "GET /api/auth/me", {
    summary: "Read the signed-in user and their company",
    success: Schema.Struct({ user: User, company: Company }),
    unexpected: "Failed to load the account"
  }),
  route("changePassword", "POST /api/auth/password", {
    summary: "Change the password, and end the user's other sessions",
    body: ChangePassword,
    success: Ok,
    errors: [fails(WrongPassword, 403, "Current password is incorrect"), tooManyRequests],
    unexpected: "Failed to change the password"
  }),
  route("sessions", "GET /api/auth/sessions", {
    summary: "List the user's sessions, most recently used first",
    success: Schema.Struct({ sessions: Schema.Array(DashboardSessionInfo) }),
    unexpected: "Failed to list sessions"
  }),
  route("endSession", "POST /api/auth/sessions/:id/end", {
    summary: "End one of the user's sessions",
    ids: { id: "the dashboard session" },
    success: Ok,
    errors: [fails(DashboardSessionNotFound, 404, "Session not found", { code: "session-not-found" })],
    unexpected: "Failed to end the session"
  }),
  route("endOtherSessions", "POST /api/auth/sessions/end-others", {
    summary: "End all other sessions of the user",
    success: Ok,
    unexpected: "Failed to end the sessions"
  })
) {}
