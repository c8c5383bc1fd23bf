import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { answers, fails } from "../http/contract.ts"
import { DashboardSession, SameSite, tooManyRequests } from "../http/credentials.ts"
import { isStorableText, NoFields, refusing, required, trimmedText, unstorableText } from "../http/fields.ts"
import { Ok } from "../model.ts"
import { EmailTaken, InvalidLogin, SignupClosed } from "./errors.ts"
import { examples } from "./examples.ts"
import { Company, isEmail, normalEmail, User } from "./model.ts"

const messages = {
  companyName: "companyName is required",
  companyNameLong: "companyName must be at most 200 characters",
  email: "email must be an email address",
  password: "password must be at least 12 characters long",
  passwordLong: "password must be at most 1024 characters long",
  loginEmail: "email is required",
  loginPassword: "password is required"
} as const

const Email = refusing(
  Schema.String.pipe(
    Schema.filter((text) => isEmail(normalEmail(text)) && isStorableText(text), {
      jsonSchema: { format: "email" }
    })
  ),
  messages.email
)

/** No rules of composition, as NIST SP 800-63B has it; the upper bound only bounds the work of hashing. */
const NewPassword = Schema.String.annotations({ message: () => messages.password }).pipe(
  Schema.minLength(12, { message: () => messages.password }),
  Schema.maxLength(1024, { message: () => messages.passwordLong }),
  // Lone surrogates are all hashed alike.
  Schema.filter(isStorableText, { message: () => unstorableText("password") })
)

const Signup = Schema.Struct({
  companyName: required(
    trimmedText({
      field: "companyName",
      message: messages.companyName,
      maxLength: 200,
      tooLong: messages.companyNameLong
    }),
    messages.companyName
  ),
  email: required(Email, messages.email),
  password: required(NewPassword, messages.password)
}).annotations({ identifier: "Signup" })

const Login = Schema.Struct({
  email: required(
    refusing(Schema.NonEmptyString, messages.loginEmail).pipe(
      Schema.filter(isStorableText, { message: () => unstorableText("email") })
    ),
    messages.loginEmail
  ),
  // Of any length: one that is too long to be anybody's is as wrong as any other.
  password: required(refusing(Schema.NonEmptyString, messages.loginPassword), messages.loginPassword)
}).annotations({ identifier: "Login" })

const SignedIn = Schema.Struct({ ok: Schema.Literal(true), user: User, company: Company }).annotations({
  identifier: "SignedIn",
  description: "The session's token is in the cookie `dashboard_session`."
})

/** Sign-up and sign-in: the routes that begin a session. */
export class SignInApi extends HttpApiGroup.make("sign-in")
  .add(
    HttpApiEndpoint.post("signup", "/api/auth/signup")
      .setPayload(Signup)
      .addSuccess(SignedIn, { status: 201 })
      .addError(fails(SignupClosed, 403, "Sign-up is closed"))
      .addError(fails(EmailTaken, 409, "Email is already registered"))
      .annotate(OpenApi.Summary, "Make a company and its first user, and sign in")
      .pipe(
        answers({
          example: examples.signup,
          rejects: [
            messages.companyName,
            messages.companyNameLong,
            unstorableText("companyName"),
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

/** The signed-in user. */
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
  .middleware(DashboardSession)
  .annotate(OpenApi.Title, "Account")
  .annotate(OpenApi.Description, "Who is signed in, and signing out.") {}
