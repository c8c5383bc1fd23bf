import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, anybody, fails } from "../http/contract/answers.ts"
import {
  idOf,
  NoFields,
  nameText,
  refusing,
  required,
  unprintableName,
  unstorableText
} from "../http/contract/fields.ts"
import { tooManyRequests } from "../http/contract/too-many-requests.ts"
import { Ok } from "../model.ts"
import { isEmail, normalEmail } from "../shared/email.ts"
import { isStorableText } from "../shared/storable.ts"
import { DashboardSessionNotFound, EmailTaken, InvalidLogin, SignupClosed, WrongPassword } from "./errors.ts"
import { examples } from "./examples.ts"
import { DashboardSession, SameSite } from "./guards.ts"
import { Company, DashboardSessionInfo, User } from "./model.ts"

export const messages = {
  companyName: "companyName is required",
  companyNameLong: "companyName must be at most 200 characters",
  email: "email must be an email address",
  password: "password must be at least 12 characters long",
  passwordLong: "password must be at most 1024 characters long",
  loginEmail: "email is required",
  loginPassword: "password is required",
  currentPassword: "currentPassword is required",
  newPassword: "newPassword must be at least 12 characters long",
  newPasswordLong: "newPassword must be at most 1024 characters long"
} as const

export const Email = refusing(
  Schema.String.pipe(
    Schema.filter((text) => isEmail(normalEmail(text)) && isStorableText(text), {
      jsonSchema: { format: "email" }
    })
  ),
  messages.email
)

/** Maximum characters of a password. No email address is as long, even padded with spaces. */
const maxPassword = 1024

/** No composition rules, as NIST SP 800-63B recommends. The upper bound only limits the work of hashing. */
const passwordField = (field: string, short: string, long: string) =>
  Schema.String.annotations({ message: () => short }).pipe(
    Schema.minLength(12, { message: () => short }),
    Schema.maxLength(maxPassword, { message: () => long }),
    // Every lone surrogate hashes to the same value.
    Schema.filter(isStorableText, { message: () => unstorableText(field) })
  )

export const NewPassword = passwordField("password", messages.password, messages.passwordLong)

export const CompanyName = nameText({
  field: "companyName",
  message: messages.companyName,
  maxLength: 200,
  tooLong: messages.companyNameLong
})

const Signup = Schema.Struct({
  companyName: required(CompanyName, messages.companyName),
  email: required(Email, messages.email),
  password: required(NewPassword, messages.password)
}).annotations({ identifier: "Signup" })

/**
 * The email address or password of a sign-in. Both stay in memory while the sign-in waits for the database and for a hash, and many
 * sign-ins may wait. So this replaces a text too long to be right with a short wrong one, which fails like any other wrong one.
 */
const keptShort = <I, R>(text: Schema.Schema<string, I, R>) =>
  Schema.transform(text, Schema.String, {
    strict: true,
    // Not an email address, and shorter than any password.
    decode: (given) => (given.length > maxPassword ? "too long" : given),
    encode: (given) => given
  })

export const Login = Schema.Struct({
  email: required(
    keptShort(
      refusing(Schema.NonEmptyString, messages.loginEmail).pipe(
        Schema.filter(isStorableText, { message: () => unstorableText("email") })
      )
    ),
    messages.loginEmail
  ),
  password: required(
    keptShort(refusing(Schema.NonEmptyString, messages.loginPassword)),
    messages.loginPassword
  )
}).annotations({ identifier: "Login" })

export const ChangePassword = Schema.Struct({
  currentPassword: required(
    keptShort(refusing(Schema.NonEmptyString, messages.currentPassword)),
    messages.currentPassword
  ),
  newPassword: required(
    passwordField("newPassword", messages.newPassword, messages.newPasswordLong),
    messages.newPassword
  )
}).annotations({ identifier: "ChangePassword" })

export const emailTaken = fails(EmailTaken, 409, "Email is already registered")

export const SignedIn = Schema.Struct({ ok: Schema.Literal(true), user: User, company: Company }).annotations(
  {
    identifier: "SignedIn",
    description: "The session's token is in the cookie `dashboard_session`."
  }
)

/** Sign-up and sign-in: the routes that begin a session. */
export class SignInApi extends HttpApiGroup.make("sign-in")
  .add(
    HttpApiEndpoint.post("signup", "/api/auth/signup")
      .setPayload(Signup)
      .addSuccess(SignedIn, { status: 201 })
      .addError(fails(SignupClosed, 403, "Sign-up is closed"))
      .addError(emailTaken)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Make a company and its first user, and sign in")
      .pipe(
        answers({
          caller: anybody,
          example: examples.signup,
          rejects: [
            messages.companyName,
            messages.companyNameLong,
            unstorableText("companyName"),
            unprintableName("companyName"),
            messages.email,
            messages.password,
            messages.passwordLong,
            unstorableText("password")
          ],
          unexpected: "Failed to sign up"
        })
      )
  )
  .add(
    HttpApiEndpoint.post("login", "/api/auth/login")
      .setPayload(Login)
      .addSuccess(SignedIn)
      .addError(fails(InvalidLogin, 401, "Invalid email or password"))
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Sign in")
      .pipe(
        answers({
          caller: anybody,
          example: examples.login,
          rejects: [messages.loginEmail, unstorableText("email"), messages.loginPassword],
          unexpected: "Failed to sign in"
        })
      )
  )
  .middleware(SameSite)
  .annotate(OpenApi.Title, "Sign-in")
  .annotate(
    OpenApi.Description,
    "Make a company and its first user, and sign in. Both begin a dashboard session."
  ) {}

/** Routes for the signed-in user, in any role. */
export class AccountApi extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.post("logout", "/api/auth/logout")
      .setPayload(NoFields)
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Sign out; the session is dead at once")
      .pipe(answers({ example: examples.logout, unexpected: "Failed to sign out" }))
  )
  .add(
    HttpApiEndpoint.get("me", "/api/auth/me")
      .addSuccess(Schema.Struct({ user: User, company: Company }))
      .annotate(OpenApi.Summary, "Who is signed in")
      .pipe(answers({ example: examples.me, unexpected: "Failed to load the account" }))
  )
  .add(
    HttpApiEndpoint.post("changePassword", "/api/auth/password")
      .setPayload(ChangePassword)
      .addSuccess(Ok)
      .addError(fails(WrongPassword, 403, "Current password is incorrect"))
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Change the password; every other session of the user ends")
      .pipe(
        answers({
          example: examples.changePassword,
          rejects: [
            messages.currentPassword,
            messages.newPassword,
            messages.newPasswordLong,
            unstorableText("newPassword")
          ],
          unexpected: "Failed to change the password"
        })
      )
  )
  .add(
    HttpApiEndpoint.get("sessions", "/api/auth/sessions")
      .addSuccess(Schema.Struct({ sessions: Schema.Array(DashboardSessionInfo) }))
      .annotate(OpenApi.Summary, "List the user's sessions, the one used last first")
      .pipe(answers({ example: examples.sessions, unexpected: "Failed to list sessions" }))
  )
  .add(
    HttpApiEndpoint.post("endSession", "/api/auth/sessions/:id/end")
      .setPath(Schema.Struct({ id: idOf("the dashboard session") }))
      .setPayload(NoFields)
      .addSuccess(Ok)
      .addError(fails(DashboardSessionNotFound, 404, "Session not found", { code: "session-not-found" }))
      .annotate(OpenApi.Summary, "End one of the user's sessions, at once")
      .pipe(answers({ example: examples.endSession, unexpected: "Failed to end the session" }))
  )
  .add(
    HttpApiEndpoint.post("endOtherSessions", "/api/auth/sessions/end-others")
      .setPayload(NoFields)
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "End every session of the user but this one")
      .pipe(answers({ example: examples.endOtherSessions, unexpected: "Failed to end the sessions" }))
  )
  .middleware(DashboardSession)
  .annotate(OpenApi.Title, "Account")
  .annotate(OpenApi.Description, "Who is signed in, their password and their sessions.") {}
