/** Creates captcha tokens as an issuer does, and verifies them with `captcha/verify`. */
import { Context, Effect, Layer } from "effect"
import { type JWTPayload, SignJWT } from "jose"
import type { Rejection } from "../../../src/kyc/captcha/model.ts"
import { send, type TestSession } from "../client.ts"
import { type Company, companyOn, startCompany } from "./partner.ts"

/** The `CAPTCHA_JWT_SECRET` of servers that have one. */
export const secret = "a captcha secret for tests, 32 bytes"

export const site = "site-1"

type Claims = Readonly<Record<string, unknown>>

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** The claims of a valid, unused token. Set a claim to undefined to omit it. */
export const claims = (changes: Claims = {}): JWTPayload => ({
  siteKey: site,
  score: 0.9,
  exp: nowSeconds() + 300,
  jti: crypto.randomUUID(),
  ...changes
})

interface Signing {
  readonly key?: CryptoKey | Uint8Array
  readonly alg?: string
  readonly header?: Readonly<Record<string, unknown>>
}

/** Signs a token, by default with the shared secret and HS256. */
export const sign = (payload: JWTPayload, signing: Signing = {}): Promise<string> =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: signing.alg ?? "HS256", ...signing.header })
    .sign(signing.key ?? new TextEncoder().encode(secret))

/** A valid token except for the given claims. */
export const tokenWith = (changes: Claims = {}): Promise<string> => sign(claims(changes))

const base64url = (text: string) => Buffer.from(text).toString("base64url")

/** A hand-written token: any header and payload, with the signature as given. */
export const handmade = (header: unknown, payload: unknown, signature = "c2lnbmF0dXJl"): string =>
  `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}.${signature}`

/** A success: status and body. */
export const success = (score: number) => ({ status: 200, body: { ok: true, success: true, score } })

/** A functional rejection: status and body. */
export const rejection = (error: Rejection) => ({ status: 200, body: { ok: true, success: false, error } })

/** An error in the captcha route's form: status and body. */
export const captchaRefusal = (status: number, error: string) => ({ status, body: { ok: false, error } })

/** Verifies the token; `fields` replace fields of the body, and undefined omits one. */
export const verify = (
  { server }: Pick<Company, "server">,
  { path, token }: Pick<TestSession, "path" | "token">,
  captchaToken: string,
  fields: Claims = {}
) =>
  send(server, "POST", `${path}/captcha/verify`, { json: { token, captchaToken, siteKey: site, ...fields } })

/**
 * A company on a server with the shared secret, and one with an instance that has a site key and a minimum
 * score.
 */
export class Issuers extends Context.Tag("Issuers")<
  Issuers,
  { readonly plain: Company; readonly strict: Company }
>() {
  static readonly layer = Layer.scoped(
    Issuers,
    Effect.gen(function* () {
      const plain = yield* startCompany({ CAPTCHA_JWT_SECRET: secret })
      const config = { captcha: { siteKey: site, minScore: 0.5 } }
      return { plain, strict: yield* companyOn(plain.server, { config }) }
    }).pipe(Effect.orDie)
  )
}
