import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT
} from "jose"
import { Config } from "../../config.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { remoteKeySet } from "./key-set.ts"
import { type CaptchaClaims, readClaims } from "./model.ts"

/** What is known of a token by itself: its claims, or which of the first two checks it fails. */
export type ReadToken =
  | { readonly _tag: "Signed"; readonly claims: CaptchaClaims }
  | { readonly _tag: "Malformed" }
  | { readonly _tag: "BadSignature" }

/** What the built-in captcha puts into a token. */
export interface MintedClaims {
  readonly siteKey: string
  readonly sessionId: string
  readonly score: number
  /** Of the challenge it was solved for, so that one solution is one token. */
  readonly jti: string
}

/** Whose tokens are accepted, and how they are told. */
export class CaptchaIssuer extends Context.Tag("CaptchaIssuer")<
  CaptchaIssuer,
  {
    /** Dies when the issuer's key set cannot be had: nothing is accepted unseen. */
    readonly read: (token: string) => Effect.Effect<ReadToken>
    /** Only where the captcha is the built-in one. */
    readonly mint: ((claims: MintedClaims) => Effect.Effect<string>) | undefined
  }
>() {}

/** Asymmetric algorithms only: a key set is public, so a token signed with one of its keys as HMAC is forged. */
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

/** Seconds that a token of the built-in captcha is good for. */
const lifeSeconds = 300

type Verify = (token: string) => Promise<unknown>

/** A JWS in its compact form (RFC 7515, section 7.1); the signature may be empty, as that of `none` is. */
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

/** jose checks the times, too; those are judged later, in the contract's order. */
const isTimeFailure = (error: unknown): boolean =>
  error instanceof errors.JWTExpired ||
  (error instanceof errors.JWTClaimValidationFailed && error.claim === "nbf")

/** The failures that say something of the token; any other is one of reaching the key set. */
const isTokenFailure = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout) &&
  !(error instanceof errors.JWKSInvalid) &&
  error.code !== "ERR_JOSE_GENERIC"

const reading =
  (verify: Verify) =>
  (token: string): Effect.Effect<ReadToken> => {
    const claims = claimsOf(token)
    if (claims === undefined) return Effect.succeed({ _tag: "Malformed" })
    const signed: ReadToken = { _tag: "Signed", claims }
    return Effect.tryPromise({ try: () => verify(token), catch: (error) => error }).pipe(
      Effect.as(signed),
      Effect.catchAll((error): Effect.Effect<ReadToken> => {
        if (isTimeFailure(error)) return Effect.succeed(signed)
        return isTokenFailure(error) ? Effect.succeed({ _tag: "BadSignature" }) : Effect.die(error)
      })
    )
  }

const withSecrets = (secrets: ReadonlyArray<Uint8Array>): Verify => {
  const options = { algorithms: ["HS256"] }
  return async (token) => {
    for (const secret of secrets) {
      try {
        return await jwtVerify(token, secret, options)
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

const withKeySet = (keySet: JWTVerifyGetKey): Verify => {
  const options = { algorithms: keySetAlgorithms }
  const verifyWithAny = async (token: string, keys: AsyncIterable<CryptoKey>) => {
    for await (const key of keys) {
      try {
        return await jwtVerify(token, key, options)
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
  return (token) =>
    jwtVerify(token, keySet, options).catch((error: unknown) => {
      // The token names none of several keys, as while an issuer changes from one to the next.
      if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(token, error)
      throw error
    })
}

const minting =
  (secret: Uint8Array) =>
  ({ jti, score, sessionId, siteKey }: MintedClaims): Effect.Effect<string> =>
    Effect.promise(() =>
      new SignJWT({ siteKey, score })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(sessionId)
        .setJti(jti)
        .setIssuedAt()
        .setExpirationTime(`${lifeSeconds}s`)
        .sign(secret)
    )

/** The issuer that the configuration names, else the built-in captcha. */
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
