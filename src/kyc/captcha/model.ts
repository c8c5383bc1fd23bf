import { Data, Schema } from "effect"

/** Why a captcha token was refused, in the order of the checks (contract.md#captcha-rejections). */
export const Rejection = Schema.Literal(
  "MALFORMED",
  "INVALID_SIGNATURE",
  "EXPIRED",
  "SITE_MISMATCH",
  "SESSION_MISMATCH",
  "LOW_SCORE",
  "DUPE"
).annotations({
  identifier: "CaptchaRejection",
  description:
    "The first reason, in this order. `SITE_MISMATCH`, `SESSION_MISMATCH`: the token is for another site or session. `LOW_SCORE`: below the instance's minimum. `DUPE`: another session has used it."
})
export type Rejection = typeof Rejection.Type

/** Proof of work limits the rate of attempts but does not prove a human, so the score is below 1. */
export const builtInScore = 0.7

/** The claims whose types make a captcha token well-formed. Times are in seconds since 1970. */
const TypedClaims = Schema.Struct({
  exp: Schema.Finite,
  iat: Schema.optional(Schema.Number),
  nbf: Schema.optional(Schema.Number),
  jti: Schema.NonEmptyString,
  /** The session that the token was issued for, if the issuer says so. */
  sub: Schema.optional(Schema.String)
})
const isTyped = Schema.is(TypedClaims)

export interface CaptchaClaims extends Schema.Schema.Type<typeof TypedClaims> {
  readonly siteKey: unknown
  /** 0 to 1; 0 if the claim is missing or no such number. */
  readonly score: number
}

const scoreOf = (claim: unknown): number =>
  typeof claim === "number" && claim >= 0 && claim <= 1 ? claim : 0

/** The claims in a token's payload, or undefined if a required one is missing or has another type. */
export const readClaims = (payload: Readonly<Record<string, unknown>>): CaptchaClaims | undefined => {
  const { score, siteKey, site_key, sitekey } = payload
  return isTyped(payload)
    ? { ...payload, siteKey: siteKey ?? sitekey ?? site_key, score: scoreOf(score) }
    : undefined
}

export type Verdict =
  | { readonly success: true; readonly score: number }
  | { readonly success: false; readonly error: Rejection }

const Scalar = Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Null)

/** A proof-of-work challenge of the built-in captcha, in the format of `altcha-lib`. */
export const Challenge = Schema.Struct({
  parameters: Schema.Struct({
    algorithm: Schema.String.annotations({ description: "How a key is derived, such as `PBKDF2/SHA-256`." }),
    nonce: Schema.String.annotations({ description: "Random, in hex. The derivation starts from it." }),
    salt: Schema.String.annotations({ description: "Random, in hex." }),
    cost: Schema.Number.annotations({ description: "The iterations of one derivation." }),
    keyLength: Schema.Number.annotations({ description: "The length of a derived key in bytes." }),
    keyPrefix: Schema.String.annotations({ description: "What the derived key must begin with, in hex." }),
    keySignature: Schema.optionalWith(Schema.String, { exact: true }).annotations({
      description: "The server's signature of the key that solves it, with which it checks a solution."
    }),
    expiresAt: Schema.optionalWith(Schema.Number, { exact: true }).annotations({
      description: "In seconds since 1970."
    }),
    data: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Scalar }), {
      exact: true
    }).annotations({ description: "The site key and the session that the challenge is for." })
  }).annotations({ description: "What to solve, in the format of ALTCHA 2." }),
  signature: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "The server's signature of `parameters`."
  })
}).annotations({
  identifier: "CaptchaChallenge",
  description: "A proof-of-work challenge. Send it back unchanged, with its solution."
})
export type Challenge = typeof Challenge.Type

/** What a challenge is for, which its signature covers. */
export const Purpose = Schema.Struct({ siteKey: Schema.String, sessionId: Schema.String })
export type Purpose = typeof Purpose.Type

export const Solution = Schema.Struct({
  counter: Schema.Number.annotations({ description: "The number whose derived key has the prefix." }),
  derivedKey: Schema.String.annotations({ description: "The derived key, in hex." }),
  time: Schema.optionalWith(Schema.Number, { exact: true }).annotations({
    description: "How many milliseconds it took. It is ignored."
  })
}).annotations({
  identifier: "CaptchaSolution",
  description: "The solution, which libraries such as `altcha-lib` find."
})
export type Solution = typeof Solution.Type

/** The session is completed, failed or cancelled. */
export class CaptchaSessionFinished extends Data.TaggedError("CaptchaSessionFinished") {}

/** The solution does not belong to a challenge that doorlock issued, or the challenge has expired. */
export class ChallengeNotSolved extends Data.TaggedError("ChallengeNotSolved") {}

/** Another captcha is configured, so there is no built-in one. */
export class NoBuiltInCaptcha extends Data.TaggedError("NoBuiltInCaptcha") {}
