import { Schema } from "effect"
import { anybody, fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { filled, required } from "../../http/contract/fields.ts"
import { route, routeGroup, unguarded } from "../../http/contract/routes.ts"
import { holderOfSessionToken, sessionExpired, sessionNotFound } from "../sessions/guards.ts"
import { examples } from "./examples.ts"
import {
  CaptchaSessionFinished,
  Challenge,
  ChallengeNotSolved,
  NoBuiltInCaptcha,
  Rejection,
  Solution
} from "./model.ts"

const Text = required(Schema.NonEmptyString, "Missing token")

const VerifyCaptcha = Schema.Struct({
  token: Text.annotations({ description: "The session's token." }),
  captchaToken: Text.annotations({ description: "The token that the captcha gave the browser: a JWT." }),
  siteKey: Text.annotations({ description: "The site key of the captcha. The token must be for it." })
}).annotations({ identifier: "VerifyCaptcha" })

const Verified = Schema.Struct({
  ok: Schema.Literal(true),
  success: Schema.Literal(true).annotations({ description: "The token was accepted." }),
  score: Schema.Number.annotations({
    description: "From 0 (a bot) to 1 (a human), according to the captcha; 0 if it gave no score."
  })
}).annotations({ identifier: "CaptchaVerified" })

const Rejected = Schema.Struct({
  ok: Schema.Literal(true),
  success: Schema.Literal(false).annotations({ description: "The token was rejected." }),
  error: Rejection
}).annotations({ identifier: "CaptchaRejected" })

/** Verifies a captcha token for a session (contract.md#captcha). Error responses contain `ok: false`. */
export class CaptchaApi extends routeGroup(
  "kyc-captcha",
  {
    title: "KYC captcha",
    description: 'Verification of captcha tokens. Error responses contain `"ok": false`.',
    access: unguarded(holderOfSessionToken),
    anyOrigin: true,
    examples
  },
  route("verify", "POST /api/kyc/public/sessions/:sessionId/captcha/verify", {
    summary: "Verify a captcha token",
    description:
      "For a rejected token, the response is 200 with `success: false` and the first reason. A token works for one session only, which may verify it again.",
    ids: { sessionId: "the session" },
    body: VerifyCaptcha,
    success: Schema.Union(Verified, Rejected),
    errors: [
      sessionNotFound,
      fails(CaptchaSessionFinished, 409, "Session already completed", { code: "session-already-completed" }),
      sessionExpired,
      tooManyRequests
    ],
    unexpected: "Failed to verify captcha token",
    form: "captcha"
  })
) {}

const unsolved = ["challenge and solution are required", "solution-required"] as const

const noBuiltIn = fails(NoBuiltInCaptcha, 404, "The built-in captcha is not in use")

/** The built-in proof-of-work captcha, whose tokens `CaptchaApi` verifies. */
export class ChallengesApi extends routeGroup(
  "kyc-captcha-challenges",
  {
    title: "KYC captcha challenges",
    description: "The built-in proof-of-work captcha, used when no other captcha is configured.",
    access: unguarded(anybody),
    anyOrigin: true,
    examples
  },
  route("challenge", "GET /api/kyc/captcha/challenge", {
    summary: "Get a proof-of-work challenge for a session",
    query: Schema.Struct({
      siteKey: required(filled("siteKey")).annotations({ description: "The KYC instance's public key." }),
      sessionId: required(filled("sessionId")).annotations({ description: "The id of the session." })
    }),
    success: Schema.Struct({ challenge: Challenge }),
    errors: [noBuiltIn, tooManyRequests],
    unexpected: "Failed to create captcha challenge"
  }),
  route("redeem", "POST /api/kyc/captcha/redeem", {
    summary: "Exchange a solved challenge for a captcha token",
    body: Schema.Struct({
      challenge: required(Challenge, ...unsolved),
      solution: required(Solution, ...unsolved)
    }).annotations({ identifier: "RedeemCaptcha" }),
    success: Schema.Struct({
      token: Schema.String.annotations({ description: "The captcha token, to verify for the session." })
    }),
    errors: [fails(ChallengeNotSolved, 400, "Challenge is not solved"), noBuiltIn],
    unexpected: "Failed to redeem captcha challenge"
  })
) {}
