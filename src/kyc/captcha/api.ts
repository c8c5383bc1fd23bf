import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, anybody, fails } from "../../http/contract/answers.ts"
import { idOf, refusing, required } from "../../http/contract/fields.ts"
import { retryAfter, tooManyRequests } from "../../http/contract/too-many-requests.ts"
import { holderOfSessionToken } from "../sessions/guards.ts"
import {
  CaptchaSessionExpired,
  CaptchaSessionFinished,
  CaptchaSessionNotFound,
  CaptchaTriesExceeded,
  ChallengeNotSolved,
  NoBuiltInCaptcha
} from "./errors.ts"
import { examples } from "./examples.ts"
import { Challenge, Rejection, Solution } from "./model.ts"

const messages = {
  missing: "Missing token",
  siteKey: "siteKey is required",
  sessionId: "sessionId is required",
  solution: "challenge and solution are required"
} as const

const text = (message: string) => required(refusing(Schema.NonEmptyString, message), message)

const VerifyCaptcha = Schema.Struct({
  token: text(messages.missing),
  captchaToken: text(messages.missing),
  siteKey: text(messages.missing)
}).annotations({ identifier: "VerifyCaptcha" })

const Verified = Schema.Struct({
  ok: Schema.Literal(true),
  success: Schema.Literal(true),
  score: Schema.Number
}).annotations({ identifier: "CaptchaVerified" })

const Rejected = Schema.Struct({
  ok: Schema.Literal(true),
  success: Schema.Literal(false),
  error: Rejection
}).annotations({ identifier: "CaptchaRejected" })

const captcha = { form: "captcha" } as const

/** Verifies a captcha token for a session (contract.md#captcha). Errors carry `ok: false`. */
export class CaptchaApi extends HttpApiGroup.make("kyc-captcha")
  .add(
    HttpApiEndpoint.post("verify", "/api/kyc/public/sessions/:sessionId/captcha/verify")
      .setPath(Schema.Struct({ sessionId: idOf("the session") }))
      .setPayload(VerifyCaptcha)
      .addSuccess(Schema.Union(Verified, Rejected))
      .addError(
        fails(CaptchaSessionNotFound, 404, "Session not found", { ...captcha, code: "session-not-found" })
      )
      .addError(
        fails(CaptchaSessionFinished, 409, "Session already completed", {
          ...captcha,
          code: "session-already-completed"
        })
      )
      .addError(fails(CaptchaSessionExpired, 410, "Session expired", { ...captcha, code: "session-expired" }))
      .addError(
        fails(CaptchaTriesExceeded, 429, "Too many requests", {
          ...captcha,
          ...retryAfter,
          code: "too-many-requests"
        })
      )
      .annotate(OpenApi.Summary, "Verify a captcha token")
      .annotate(
        OpenApi.Description,
        "A token that is refused is a 200 with `success: false` and the first reason. A token is used up by its first success, and the same session may present it again."
      )
      .pipe(
        answers({
          caller: holderOfSessionToken,
          example: examples.verify,
          form: "captcha",
          rejects: [messages.missing],
          unexpected: "Failed to verify captcha token",
          anyOrigin: true
        })
      )
  )
  .annotate(OpenApi.Title, "KYC captcha")
  .annotate(OpenApi.Description, 'Verification of captcha tokens. Its errors carry `"ok": false`.') {}

const noBuiltIn = fails(NoBuiltInCaptcha, 404, "The built-in captcha is not in use")

/** The built-in proof-of-work captcha, whose tokens `CaptchaApi` verifies. */
export class ChallengesApi extends HttpApiGroup.make("kyc-captcha-challenges")
  .add(
    HttpApiEndpoint.get("challenge", "/api/kyc/captcha/challenge")
      .setUrlParams(
        Schema.Struct({
          siteKey: text(messages.siteKey).annotations({ description: "The KYC instance's public key." }),
          sessionId: text(messages.sessionId).annotations({ description: "The id of the session." })
        })
      )
      .addSuccess(Schema.Struct({ challenge: Challenge }))
      .addError(noBuiltIn)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Get a proof-of-work challenge for a session")
      .pipe(
        answers({
          caller: anybody,
          example: examples.challenge,
          rejects: [messages.siteKey, messages.sessionId],
          unexpected: "Failed to create captcha challenge",
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.post("redeem", "/api/kyc/captcha/redeem")
      .setPayload(
        Schema.Struct({
          challenge: required(refusing(Challenge, messages.solution), messages.solution),
          solution: required(refusing(Solution, messages.solution), messages.solution)
        }).annotations({ identifier: "RedeemCaptcha" })
      )
      .addSuccess(Schema.Struct({ token: Schema.String }))
      .addError(fails(ChallengeNotSolved, 400, "Challenge is not solved"))
      .addError(noBuiltIn)
      .annotate(OpenApi.Summary, "Exchange a solved challenge for a captcha token")
      .pipe(
        answers({
          caller: anybody,
          example: examples.redeem,
          rejects: [{ message: messages.solution, code: "solution-required" }],
          unexpected: "Failed to redeem captcha challenge",
          anyOrigin: true
        })
      )
  )
  .annotate(OpenApi.Title, "KYC captcha challenges")
  .annotate(OpenApi.Description, "The built-in proof-of-work captcha, for installations without another.") {}
