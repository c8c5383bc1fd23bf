import { createHmac } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { CompactEncrypt, generateKeyPair } from "jose"
import { send } from "../../support/client.ts"
import {
  claims,
  handmade,
  Issuers,
  nowSeconds,
  rejection,
  secret,
  sign,
  site,
  success,
  tokenWith,
  verify
} from "../../support/kyc/captcha.ts"
import { statusAndBody } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const malformed = rejection("MALFORMED")
const unsigned = rejection("INVALID_SIGNATURE")
const expired = rejection("EXPIRED")

/** The answer to a token for a new session. */
const judged = (token: string) =>
  Effect.flatMap(Issuers, ({ plain }) =>
    Effect.flatMap(plain.newSession(), (session) => Effect.map(verify(plain, session, token), statusAndBody))
  )

const base64url = (text: string) => Buffer.from(text).toString("base64url")

/** A token whose parts are these bytes, rightly signed: what only the issuer itself could have made. */
const signed = (header: string, payload: string): string => {
  const input = `${base64url(header)}.${base64url(payload)}`
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`
}

const hs256 = '{"alg":"HS256"}'
const text = (changes: Readonly<Record<string, unknown>>) => JSON.stringify(claims(changes))
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

/** Claims of a token that is rightly signed, and the answer. */
const table: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, unknown]> = [
  ["the claim spelled sitekey", { siteKey: undefined, sitekey: site }, success(0.9)],
  ["the claim spelled site_key", { siteKey: undefined, site_key: site }, success(0.9)],
  ["no score", { score: undefined }, success(0)],
  ["a score that is a string", { score: "0.9" }, success(0)],
  ["a score below 0", { score: -1 }, success(0)],
  ["a score above 1", { score: 1.000001 }, success(0)],
  ["a score of 1", { score: 1 }, success(1)],
  ["no exp", { exp: undefined }, malformed],
  ["an exp that is a string", { exp: "4102444800" }, malformed],
  ["no jti", { jti: undefined }, malformed],
  ["an empty jti", { jti: "" }, malformed],
  ["a jti that is a number", { jti: 7 }, malformed],
  ["a sub that is no string", { sub: 7 }, malformed],
  ["an nbf that is no number", { nbf: "0" }, malformed],
  ["an iat that is no number", { iat: "0" }, malformed],
  ["exp has passed", { exp: nowSeconds() - 1 }, expired],
  ["exp is long ago", { exp: -1e300 }, expired],
  ["nbf is still to come", { nbf: nowSeconds() + 3600 }, expired],
  ["exp is later than Postgres can store", { exp: 1e300 }, success(0.9)],
  ["a jti of 400 kB", { jti: crypto.randomUUID().repeat(11_000) }, success(0.9)],
  ["a jti with U+0000", { jti: `\u0000${crypto.randomUUID()}` }, success(0.9)],
  ["a jti with a lone surrogate", { jti: `\ud800${crypto.randomUUID()}` }, success(0.9)],
  ["a sub with U+0000", { sub: "\u0000" }, rejection("SESSION_MISMATCH")]
]

/** Tokens that are none, or whose parts are odd. */
const hostile: ReadonlyArray<readonly [string, () => string, unknown]> = [
  ["one character", () => "x", malformed],
  ["four parts", () => "a.b.c.d", malformed],
  ["a million letters", () => "a".repeat(1_000_000), malformed],
  ["lone surrogates", () => "\ud800.\ud800.\ud800", malformed],
  ["a line end behind a good token", () => `${signed(hs256, text({}))}\n`, malformed],
  ["a header that is no JSON", () => signed("{", text({})), malformed],
  ["a header without alg", () => signed("{}", text({})), malformed],
  ["a payload that is no JSON", () => signed(hs256, "nonsense"), malformed],
  ["a payload that is null", () => signed(hs256, "null"), malformed],
  ["a payload of 200,000 levels", () => signed(hs256, nested(200_000)), malformed],
  ["all claims in __proto__", () => signed(hs256, `{"__proto__":${text({})}}`), malformed],
  ["an infinite exp", () => signed(hs256, text({}).replace(/"exp":\d+/, '"exp":1e400')), malformed],
  ["an infinite score", () => signed(hs256, text({}).replace('"score":0.9', '"score":1e400')), success(0)],
  ["crit of something unknown", () => signed('{"alg":"HS256","crit":["x"],"x":1}', text({})), unsigned],
  ["b64=false", () => signed('{"alg":"HS256","b64":false,"crit":["b64"]}', text({})), unsigned]
]

suite(Issuers.layer)("Captcha tokens with a shared secret", (it) => {
  for (const [what, changes, answer] of table) {
    it.effect(`rightly signed: ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* judged(signed(hs256, text(changes)))).toStrictEqual(answer)
      })
    )
  }

  for (const [what, token, answer] of hostile) {
    it.effect(what, () =>
      Effect.gen(function* () {
        expect(yield* judged(token())).toStrictEqual(answer)
      })
    )
  }

  it.effect("MALFORMED: an encrypted token of five parts", () =>
    Effect.gen(function* () {
      const token = yield* Effect.promise(() =>
        new CompactEncrypt(new TextEncoder().encode(text({})))
          .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
          .encrypt(new TextEncoder().encode(secret).slice(0, 32))
      )
      expect(yield* judged(token)).toStrictEqual(malformed)
    })
  )

  it.effect("200 success: sub is this session, in any letter case; nbf has passed", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      const session = yield* plain.newSession()
      const changes = { sub: session.id.toUpperCase(), nbf: nowSeconds() - 5, iat: nowSeconds() }
      const token = yield* Effect.promise(() => tokenWith(changes))
      expect(statusAndBody(yield* verify(plain, session, token))).toStrictEqual(success(0.9))
    })
  )

  it.effect("INVALID_SIGNATURE: another key, changed claims, no signature", () =>
    Effect.gen(function* () {
      const good = yield* Effect.promise(() => tokenWith())
      const [header = "", payload = "", signature = ""] = good.split(".")
      const [, better = ""] = handmade({}, claims({ score: 1 })).split(".")
      const key = new TextEncoder().encode(`${secret} `)
      for (const token of [
        yield* Effect.promise(() => sign(claims(), { key })),
        `${header}.${better}.${signature}`,
        `${header}.${payload}.${signature.slice(0, -4)}`,
        `${header}.${payload}.`
      ]) {
        expect(yield* judged(token)).toStrictEqual(unsigned)
      }
      expect(yield* judged(good)).toStrictEqual(success(0.9))
    })
  )

  for (const alg of ["HS384", "HS512"]) {
    it.effect(`INVALID_SIGNATURE: ${alg} with the right secret`, () =>
      Effect.gen(function* () {
        const key = new TextEncoder().encode(secret.repeat(2))
        expect(yield* judged(yield* Effect.promise(() => sign(claims(), { alg, key })))).toStrictEqual(
          unsigned
        )
      })
    )
  }

  it.effect("INVALID_SIGNATURE: an asymmetric algorithm, none, HS256 in other letters", () =>
    Effect.gen(function* () {
      const { privateKey } = yield* Effect.promise(() => generateKeyPair("ES256"))
      const tokens = ["none", "None", "", "hs256"].flatMap((alg) =>
        ["", "c2lnbmF0dXJl"].map((signature) => handmade({ alg }, claims(), signature))
      )
      tokens.push(yield* Effect.promise(() => sign(claims(), { alg: "ES256", key: privateKey })))
      for (const token of tokens) expect(yield* judged(token)).toStrictEqual(unsigned)
    })
  )

  it.effect("any claims and headers with a valid signature are never a 500", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      const { path, token } = yield* plain.newSession()
      const name = fc.constantFrom("exp", "nbf", "iat", "jti", "sub", "siteKey", "score", "__proto__")
      const header = fc.constantFrom("kid", "typ", "crit", "b64", "cty", "zip", "jku")
      const json = fc.jsonValue({ maxDepth: 2 })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.dictionary(name, json), fc.dictionary(header, json), async (payload, more) => {
            const captchaToken = signed(
              JSON.stringify({ ...more, alg: "HS256" }),
              JSON.stringify({ ...claims(), ...payload })
            )
            const json = { token, captchaToken, siteKey: "site-1" }
            const { status } = await Effect.runPromise(
              send(plain.server, "POST", `${path}/captcha/verify`, { json })
            )
            return status === 200
          }),
          { numRuns: 300 }
        )
      )
    })
  )
})
