import { Context, Effect, Layer, Redacted } from "effect"
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT
} from "jose"
import { Config } from "../../config.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { remoteKeySet } from "./key-set.ts"
import { builtInScore, type CaptchaClaims, type Purpose, type Rejection, readClaims } from "./model.ts"

/** The result of reading a token on its own: its claims, or which of the first two checks it fails. */
type ReadToken = CaptchaClaims | Extract<Rejection, "MALFORMED" | "INVALID_SIGNATURE">

/** The issuer of the accepted tokens, and how they are read. */
export class CaptchaIssuer extends Context.Tag("CaptchaIssuer")<
  CaptchaIssuer,
  {
    /** Dies if the issuer's key set cannot be loaded: no token is accepted without verification. */
    readonly read: (token: string) => Effect.Effect<ReadToken>
    /** Only for the built-in captcha. `jti` is the id of the solved challenge: one solution is one token. */
    readonly mint: ((purpose: Purpose, jti: string) => Effect.Effect<string>) | undefined
  }
>() {}

/** Asymmetric algorithms only: a key set is public, so anyone could use one of its keys to sign a token with HMAC. */
const keySetAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519"
]

/** The lifetime of the built-in captcha's tokens, in seconds. */
const lifeSeconds = 300

type Verify = (token: string) => Promise<unknown>

/** A JWS in its compact form (RFC 7515, section 7.1). The signature may be empty, as for `none`. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]*$/

const claimsOf = (token: string): CaptchaClaims | undefined => {
  if (!compact.test(token)) return undefined
  try {
    if (typeof decodeProtectedHeader(token).alg !== "string") return undefined
    return readClaims(decodeJwt<JWTPayload & Record<string, unknown>>(token))
  } catch {
    return undefined
  }
}

/** jose checks the times, too; this service checks them later, in the contract's order. */
const isTimeFailure = (error: unknown): boolean =>
  error instanceof errors.JWTExpired ||
  (error instanceof errors.JWTClaimValidationFailed && error.claim === "nbf")

/** Failures that concern the token; any other failure concerns the key set. */
const isTokenFailure = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout) &&
  !(error instanceof errors.JWKSInvalid) &&
  error.code !== "ERR_JOSE_GENERIC"

const reading =
  (verify: Verify) =>
  (token: string): Effect.Effect<ReadToken> => {
    const claims = claimsOf(token)
    if (claims === undefined) return Effect.succeed("MALFORMED")
    return Effect.promise(() =>
      verify(token).then(
        () => claims,
        (error) => {
          if (isTimeFailure(error)) return claims
          if (isTokenFailure(error)) return "INVALID_SIGNATURE"
          throw error
        }
      )
    )
  }

const verifyWithAny = async (
  token: string,
  keys: Iterable<Uint8Array> | AsyncIterable<CryptoKey>,
  options: JWTVerifyOptions
) => {
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, options)
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}

const withSecrets =
  (secrets: ReadonlyArray<Uint8Array>): Verify =>
  (token) =>
    verifyWithAny(token, secrets, { algorithms: ["HS256"] })

const withKeySet = (keySet: JWTVerifyGetKey): Verify => {
  const options = { algorithms: keySetAlgorithms }
  return (token) =>
    jwtVerify(token, keySet, options).catch((error: unknown) => {
      // The token does not say which of several keys it uses, for example while an issuer rotates its keys.
      if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(token, error, options)
      throw error
    })
}

const minting =
  (secret: Uint8Array) =>
  ({ sessionId, siteKey }: Purpose, jti: string): Effect.Effect<string> =>
    Effect.promise(() =>
      new SignJWT({ siteKey, score: builtInScore })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(sessionId)
        .setJti(jti)
        .setIssuedAt()
        .setExpirationTime(`${lifeSeconds}s`)
        .sign(secret)
    )

/** The configured issuer, or else the built-in captcha. */
export const layer = Layer.effect(
  CaptchaIssuer,
  Effect.gen(function* () {
    const { captcha } = yield* Config
    if (captcha._tag === "SharedSecret") {
      const secret = new TextEncoder().encode(Redacted.value(captcha.secret))
      if (secret.length < 32) {
        yield* Effect.logWarning(
          "CAPTCHA_JWT_SECRET is shorter than the 32 bytes that HS256 asks for (RFC 7518, section 3.2)"
        )
      }
      return { read: reading(withSecrets([secret])), mint: undefined }
    }
    if (captcha._tag === "KeySet") {
      return { read: reading(withKeySet(yield* remoteKeySet(captcha.url))), mint: undefined }
    }
    const secretKey = yield* SecretKey
    return {
      read: reading(withSecrets(secretKey.accepted("captcha-jwt"))),
      mint: minting(secretKey.derive("captcha-jwt"))
    }
  })
)
