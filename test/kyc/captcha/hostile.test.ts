import { createHmac } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { CompactEncrypt } from "jose"
import { send } from "../../support/client.ts"
import { claims, handmade, Issuers, rejection, secret, success, verify } from "../../support/kyc/captcha.ts"
import { statusAndBody } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const base64url = (text: string) => Buffer.from(text).toString("base64url")

/** A token whose parts are these bytes, rightly signed: what only the issuer itself could have made. */
const signed = (header: string, payload: string): string => {
  const input = `${base64url(header)}.${base64url(payload)}`
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`
}

const hs256 = '{"alg":"HS256"}'
const text = (changes: Readonly<Record<string, unknown>>) => JSON.stringify(claims(changes))
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
/** Valid claims and one more, as text that no JavaScript value can express. */
const withClaim = (more: string) => text({}).replace("{", `{${more},`)

const malformed = rejection("MALFORMED")
const unsigned = rejection("INVALID_SIGNATURE")

const hostile: ReadonlyArray<readonly [what: string, token: () => string, answer: unknown]> = [
  ["one character", () => "x", malformed],
  ["a space", () => " ", malformed],
  ["three dots", () => "...", malformed],
  ["two dots", () => "..", malformed],
  ["four parts", () => "a.b.c.d", malformed],
  ["100,000 dots", () => ".".repeat(100_000), malformed],
  ["a million letters", () => "a".repeat(1_000_000), malformed],
  ["unicode", () => "🔑.🔒.🗝", malformed],
  ["U+0000", () => "\u0000.\u0000.\u0000", malformed],
  ["a lone surrogate", () => "\ud800.\ud800.\ud800", malformed],
  ["a line end behind a good token", () => `${signed(hs256, text({}))}\n`, malformed],
  ["base64 with padding", () => `${signed(hs256, text({}))}=`, malformed],
  ["a header that is no JSON", () => signed("{", text({})), malformed],
  ["a header that is an array", () => signed('["HS256"]', text({})), malformed],
  ["a header without alg", () => signed("{}", text({})), malformed],
  ["an alg that is no string", () => signed('{"alg":["HS256"]}', text({})), malformed],
  ["an alg by __proto__", () => signed('{"__proto__":{"alg":"HS256"}}', text({})), malformed],
  ["a payload that is no JSON", () => signed(hs256, "nonsense"), malformed],
  ["a payload that is null", () => signed(hs256, "null"), malformed],
  ["a payload that is an array", () => signed(hs256, `[${text({})}]`), malformed],
  ["a payload that is a string", () => signed(hs256, JSON.stringify(text({}))), malformed],
  ["a payload of 200,000 levels", () => signed(hs256, nested(200_000)), malformed],
  ["a token within a token", () => signed(hs256, JSON.stringify(signed(hs256, text({})))), malformed],
  ["all claims in __proto__", () => signed(hs256, `{"__proto__":${text({})}}`), malformed],
  ["exp is infinite", () => signed(hs256, text({}).replace(/"exp":\d+/, '"exp":1e400')), malformed],
  ["exp is an object", () => signed(hs256, text({ exp: { valueOf: 1 } })), malformed],
  ["jti is an array", () => signed(hs256, text({ jti: ["a"] })), malformed],
  ["crit of something unknown", () => signed('{"alg":"HS256","crit":["x"],"x":1}', text({})), unsigned],
  ["crit that is no array", () => signed('{"alg":"HS256","crit":"exp"}', text({})), unsigned],
  ["crit that is empty", () => signed('{"alg":"HS256","crit":[]}', text({})), unsigned],
  ["b64=false", () => signed('{"alg":"HS256","b64":false,"crit":["b64"]}', text({})), unsigned],
  ["a signature of another length", () => handmade({ alg: "HS256" }, claims(), "AA"), unsigned],
  ["a signature that is no base64", () => handmade({ alg: "HS256" }, claims(), "A"), unsigned],
  ["exp is 1e300", () => signed(hs256, text({ exp: 1e300 })), success(0.9)],
  ["exp is a fraction", () => signed(hs256, text({ exp: Date.now() / 1000 + 60.5 })), success(0.9)],
  ["a jti of 400 kB", () => signed(hs256, text({ jti: crypto.randomUUID().repeat(11_000) })), success(0.9)],
  ["a jti with U+0000", () => signed(hs256, text({ jti: `\u0000${crypto.randomUUID()}` })), success(0.9)],
  [
    "a jti with a lone surrogate",
    () => signed(hs256, text({ jti: `\ud800${crypto.randomUUID()}` })),
    success(0.9)
  ],
  [
    "odd claims besides",
    () => signed(hs256, withClaim('"__proto__":{"score":1},"constructor":1')),
    success(0.9)
  ],
  ["a deep claim besides", () => signed(hs256, withClaim(`"deep":${nested(500)}`)), success(0.9)],
  ["an infinite score", () => signed(hs256, text({}).replace('"score":0.9', '"score":1e400')), success(0)],
  [
    "a siteKey that is an object",
    () => signed(hs256, text({ siteKey: { toString: "site-1" } })),
    rejection("SITE_MISMATCH")
  ],
  ["nbf is 1e300", () => signed(hs256, text({ nbf: 1e300 })), rejection("EXPIRED")],
  ["sub with U+0000", () => signed(hs256, text({ sub: "\u0000" })), rejection("SESSION_MISMATCH")]
]

suite(Issuers.layer)("Hostile captcha tokens are never a 500", (it) => {
  for (const [what, token, answer] of hostile) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token()))).toStrictEqual(answer)
      })
    )
  }

  it.effect("an encrypted token of five parts", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      const token = yield* Effect.promise(() =>
        new CompactEncrypt(new TextEncoder().encode(text({})))
          .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
          .encrypt(new TextEncoder().encode(secret).slice(0, 32))
      )
      expect(token.split(".")).toHaveLength(5)
      expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(malformed)
    })
  )

  it.effect("a siteKey with U+0000 or a lone surrogate is compared like any other", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      for (const siteKey of ["\u0000", "\ud800", "x".repeat(100_000)]) {
        const session = yield* plain.newSession()
        const other = signed(hs256, text({}))
        expect(statusAndBody(yield* verify(plain, session, other, { siteKey }))).toStrictEqual(
          rejection("SITE_MISMATCH")
        )
        const own = signed(hs256, text({ siteKey }))
        expect(statusAndBody(yield* verify(plain, session, own, { siteKey }))).toStrictEqual(success(0.9))
      }
    })
  )

  it.effect("any claims and headers with a valid signature", () =>
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
