import * as Schema from "effect/Schema"

/** Why a captcha token was refused, in the order of the checks (contract.md#captcha-rejections). */
export const Rejection = Schema.Literal(
  "MALFORMED",
  "INVALID_SIGNATURE",
  "EXPIRED",
  "SITE_MISMATCH",
  "SESSION_MISMATCH",
  "LOW_SCORE",
  "DUPE"
).annotations({ identifier: "CaptchaRejection" })
export type Rejection = typeof Rejection.Type

/** Proof of work limits how much is tried; it does not prove a human, and so it is no full score. */
export const builtInScore = 0.7

/** What a captcha token claims, once its structure is known to be right. */
export interface CaptchaClaims {
  readonly siteKey: unknown
  /** 0 to 1; 0 when the claim is absent or not such a number. */
  readonly score: number
  /** Seconds since 1970. */
  readonly exp: number
  readonly nbf: number | undefined
  readonly jti: string
  /** The session it was issued for, when the issuer says so. */
  readonly sub: string | undefined
}

const scoreOf = (claim: unknown): number =>
  typeof claim === "number" && claim >= 0 && claim <= 1 ? claim : 0

/** The claims of a token's payload, or undefined when one that is needed is missing or of another kind. */
export const readClaims = (payload: Readonly<Record<string, unknown>>): CaptchaClaims | undefined => {
  const { exp, iat, jti, nbf, score, siteKey, site_key, sitekey, sub } = payload
  if (typeof exp !== "number" || !Number.isFinite(exp)) return undefined
  if (typeof jti !== "string" || jti === "") return undefined
  if (sub !== undefined && typeof sub !== "string") return undefined
  if (nbf !== undefined && typeof nbf !== "number") return undefined
  if (iat !== undefined && typeof iat !== "number") return undefined
  return { siteKey: siteKey ?? sitekey ?? site_key, score: scoreOf(score), exp, nbf, jti, sub }
}

interface Expectation {
  readonly sessionId: string
  /** The site key of the request's body. */
  readonly siteKey: string
  /** The instance's own site key, when it has one. */
  readonly instanceSiteKey: string | undefined
  readonly minScore: number | undefined
  readonly nowSeconds: number
}

/** The first of the checks after the signature that the claims fail, in the contract's order. */
export const rejectionOf = (claims: CaptchaClaims, expected: Expectation): Rejection | undefined => {
  // RFC 7519 lets no token be used before its `nbf`; out of its time is out of its time.
  const outOfTime = claims.exp <= expected.nowSeconds || (claims.nbf ?? 0) > expected.nowSeconds + 30
  if (outOfTime) return "EXPIRED"
  if (claims.siteKey !== expected.siteKey) return "SITE_MISMATCH"
  if ((expected.instanceSiteKey ?? expected.siteKey) !== expected.siteKey) return "SITE_MISMATCH"
  if (claims.sub !== undefined && claims.sub.toLowerCase() !== expected.sessionId) return "SESSION_MISMATCH"
  if (expected.minScore !== undefined && claims.score < expected.minScore) return "LOW_SCORE"
  return undefined
}

/** What verifying a captcha token comes to. */
export type Verdict =
  | { readonly success: true; readonly score: number }
  | { readonly success: false; readonly error: Rejection }

const Scalar = Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Null)

/** A proof-of-work challenge of the built-in captcha, as `altcha-lib` makes and solves it. */
export const Challenge = Schema.mutable(
  Schema.Struct({
    parameters: Schema.mutable(
      Schema.Struct({
        algorithm: Schema.String,
        nonce: Schema.String,
        salt: Schema.String,
        cost: Schema.Number,
        keyLength: Schema.Number,
        keyPrefix: Schema.String,
        keySignature: Schema.optionalWith(Schema.String, { exact: true }),
        expiresAt: Schema.optionalWith(Schema.Number, { exact: true }),
        data: Schema.optionalWith(Schema.mutable(Schema.Record({ key: Schema.String, value: Scalar })), {
          exact: true
        })
      })
    ),
    signature: Schema.optionalWith(Schema.String, { exact: true })
  })
).annotations({ identifier: "CaptchaChallenge" })
export type Challenge = typeof Challenge.Type

export const Solution = Schema.mutable(
  Schema.Struct({
    counter: Schema.Number,
    derivedKey: Schema.String,
    time: Schema.optionalWith(Schema.Number, { exact: true })
  })
).annotations({ identifier: "CaptchaSolution" })
export type Solution = typeof Solution.Type
