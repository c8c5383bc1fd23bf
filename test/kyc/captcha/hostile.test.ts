import { createHmac } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { send } from "../../support/client.ts"
import { claims, Issuers, rejection, secret, success, verify } from "../../support/kyc/captcha.ts"
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

const malformed = rejection("MALFORMED")
const unsigned = rejection("INVALID_SIGNATURE")

const hostile: ReadonlyArray<readonly [what: string, token: () => string, answer: unknown]> = [
  ["a million letters", () => "a".repeat(1_000_000), malformed],
  ["U+0000", () => "\u0000.\u0000.\u0000", malformed],
  ["a line end behind a good token", () => `${signed(hs256, text({}))}\n`, malformed],
  ["a header that is no JSON", () => signed("{", text({})), malformed],
  ["a header without alg", () => signed("{}", text({})), malformed],
  ["a payload that is null", () => signed(hs256, "null"), malformed],
  ["a payload of 200,000 levels", () => signed(hs256, nested(200_000)), malformed],
  ["all claims in __proto__", () => signed(hs256, `{"__proto__":${text({})}}`), malformed],
  ["exp is infinite", () => signed(hs256, text({}).replace(/"exp":\d+/, '"exp":1e400')), malformed],
  ["jti is an array", () => signed(hs256, text({ jti: ["a"] })), malformed],
  ["crit of something unknown", () => signed('{"alg":"HS256","crit":["x"],"x":1}', text({})), unsigned],
  ["b64=false", () => signed('{"alg":"HS256","b64":false,"crit":["b64"]}', text({})), unsigned],
  ["exp is a fraction", () => signed(hs256, text({ exp: Date.now() / 1000 + 60.5 })), success(0.9)],
  ["a jti of 400 kB", () => signed(hs256, text({ jti: crypto.randomUUID().repeat(11_000) })), success(0.9)],
  ["a jti with U+0000", () => signed(hs256, text({ jti: `\u0000${crypto.randomUUID()}` })), success(0.9)],
  ["an infinite score", () => signed(hs256, text({}).replace('"score":0.9', '"score":1e400')), success(0)],
  [
    "a siteKey that is an object",
    () => signed(hs256, text({ siteKey: { toString: "site-1" } })),
    rejection("SITE_MISMATCH")
  ],
  ["nbf is 1e300", () => signed(hs256, text({ nbf: 1e300 })), rejection("EXPIRED")]
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
          { numRuns: 100 }
        )
      )
    })
  )
})
