import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { exportSPKI, generateKeyPair } from "jose"
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

suite(Issuers.layer)("Captcha tokens with a shared secret", (it) => {
  for (const spelling of ["siteKey", "sitekey", "site_key"]) {
    it.effect(`200 success: the claim spelled ${spelling}`, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const token = yield* Effect.promise(() => tokenWith({ siteKey: undefined, [spelling]: site }))
        expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
          success(0.9)
        )
      })
    )
  }

  for (const [score, read] of [
    [undefined, 0],
    ["0.9", 0],
    [null, 0],
    [-1, 0],
    [2, 0],
    [1.000001, 0],
    [true, 0],
    [[0.9], 0],
    [0, 0],
    [0.3, 0.3],
    [1, 1]
  ] as const) {
    it.effect(`200 success: score ${JSON.stringify(score) ?? "absent"} is ${read}`, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const token = yield* Effect.promise(() => tokenWith({ score }))
        expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
          success(read)
        )
      })
    )
  }

  it.effect("200 success: sub is this session, in any letter case; nbf has passed", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      for (const spell of [(id: string) => id, (id: string) => id.toUpperCase()]) {
        const session = yield* plain.newSession()
        const changes = { sub: spell(session.id), nbf: nowSeconds() - 5, iat: nowSeconds() }
        const token = yield* Effect.promise(() => tokenWith(changes))
        expect(statusAndBody(yield* verify(plain, session, token))).toStrictEqual(success(0.9))
      }
    })
  )

  it.effect("200 success: the token has the instance's site key and minimum score", () =>
    Effect.gen(function* () {
      const { strict } = yield* Issuers
      const token = yield* Effect.promise(() => tokenWith({ score: 0.5 }))
      expect(statusAndBody(yield* verify(strict, yield* strict.newSession(), token))).toStrictEqual(
        success(0.5)
      )
    })
  )

  for (const [what, changes] of [
    ["no exp", { exp: undefined }],
    ["no jti", { jti: undefined }],
    ["an empty jti", { jti: "" }],
    ["a jti that is a number", { jti: 7 }],
    ["an exp that is a string", { exp: "4102444800" }],
    ["an exp that is null", { exp: null }],
    ["a sub that is no string", { sub: 7 }],
    ["an nbf that is no number", { nbf: "0" }],
    ["an iat that is no number", { iat: "0" }]
  ] as const) {
    it.effect(`MALFORMED: ${what}`, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const token = handmade({ alg: "HS256" }, claims(changes))
        expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
          rejection("MALFORMED")
        )
      })
    )
  }

  it.effect("INVALID_SIGNATURE: another key, changed claims, no signature", () =>
    Effect.gen(function* () {
      const { plain } = yield* Issuers
      const session = yield* plain.newSession()
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
        expect(statusAndBody(yield* verify(plain, session, token))).toStrictEqual(
          rejection("INVALID_SIGNATURE")
        )
      }
      expect(statusAndBody(yield* verify(plain, session, good))).toStrictEqual(success(0.9))
    })
  )

  for (const alg of ["HS384", "HS512"]) {
    it.effect(`INVALID_SIGNATURE: ${alg} with the right secret`, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const key = new TextEncoder().encode(secret.repeat(2))
        const token = yield* Effect.promise(() => sign(claims(), { alg, key }))
        expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
          rejection("INVALID_SIGNATURE")
        )
      })
    )
  }

  for (const alg of ["RS256", "ES256", "EdDSA"]) {
    it.effect(`INVALID_SIGNATURE: ${alg}`, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const { privateKey, publicKey } = yield* Effect.promise(() => generateKeyPair(alg))
        const pem = yield* Effect.promise(() => exportSPKI(publicKey))
        const token = yield* Effect.promise(() => sign(claims(), { alg, key: privateKey, header: { pem } }))
        expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
          rejection("INVALID_SIGNATURE")
        )
      })
    )
  }

  for (const alg of ["none", "None", "NONE", "", "hs256", "HS256 "]) {
    it.effect(`INVALID_SIGNATURE: alg ${JSON.stringify(alg)}`, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const session = yield* plain.newSession()
        for (const signature of ["", "c2lnbmF0dXJl"]) {
          expect(
            statusAndBody(yield* verify(plain, session, handmade({ alg }, claims(), signature)))
          ).toStrictEqual(rejection("INVALID_SIGNATURE"))
        }
      })
    )
  }

  for (const [what, changes] of [
    ["exp has passed", { exp: nowSeconds() - 1 }],
    ["exp is now", { exp: nowSeconds() }],
    ["exp is long ago", { exp: -1e300 }],
    ["nbf is still to come", { nbf: nowSeconds() + 3600 }]
  ] as const) {
    it.effect(`EXPIRED: ${what}`, () =>
      Effect.gen(function* () {
        const { plain } = yield* Issuers
        const token = yield* Effect.promise(() => tokenWith(changes))
        expect(statusAndBody(yield* verify(plain, yield* plain.newSession(), token))).toStrictEqual(
          rejection("EXPIRED")
        )
      })
    )
  }
})
