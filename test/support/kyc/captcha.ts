/** Captcha tokens as an issuer makes them, and what `captcha/verify` says of them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type JWTPayload, SignJWT } from "jose"
import type { Rejection } from "../../../src/kyc/captcha/model.ts"
import { type SendOptions, send, type TestSession } from "../client.ts"
import { type Company, companyOn, startCompany } from "./partner.ts"

/** `CAPTCHA_JWT_SECRET` of the servers that have one. */
export const secret = "a captcha secret for tests, 32 bytes"

export const site = "site-1"

type Claims = Readonly<Record<string, unknown>>

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** The claims of a good token that nobody has used; a claim that is undefined is left out. */
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

/** A signed token, with the shared secret and HS256 unless `signing` says otherwise. */
export const sign = (payload: JWTPayload, signing: Signing = {}): Promise<string> =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: signing.alg ?? "HS256", ...signing.header })
    .sign(signing.key ?? new TextEncoder().encode(secret))

/** A good token, but for the claims given. */
export const tokenWith = (changes: Claims = {}): Promise<string> => sign(claims(changes))

const base64url = (text: string) => Buffer.from(text).toString("base64url")

/** A token written by hand: the parts as text, the signature over them as it is. */
export const handmade = (header: unknown, payload: unknown, signature = "c2lnbmF0dXJl"): string =>
  `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}.${signature}`

/** The gist of a success. */
export const success = (score: number) => ({ status: 200, body: { ok: true, success: true, score } })

/** The gist of a functional rejection. */
export const rejection = (error: Rejection) => ({ status: 200, body: { ok: true, success: false, error } })

/** The gist of an answer in the captcha route's error form. */
export const captchaRefusal = (status: number, error: string) => ({ status, body: { ok: false, error } })

/** Asks for the token's verification; `fields` replace those of the body, and undefined leaves one out. */
export const verify = (
  { server }: Pick<Company, "server">,
  { path, token }: Pick<TestSession, "path" | "token">,
  captchaToken: string,
  fields: Claims = {}
) => verifyRaw({ server }, path, { json: { token, captchaToken, siteKey: site, ...fields } })

/** A request of any kind to the route of the session at `path`. */
export const verifyRaw = (
  { server }: Pick<Company, "server">,
  path: string,
  options: SendOptions,
  method = "POST"
) => send(server, method, `${path}/captcha/verify`, options)

/** On a server with the shared secret: a company, and one whose instance has a site key and a least score. */
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
