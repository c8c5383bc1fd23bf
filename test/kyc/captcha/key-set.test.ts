import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { exportSPKI } from "jose"
import { claims, handmade, rejection, sign, success, verify } from "../../support/kyc/captcha.ts"
import { type IssuerKey, issuerKey, type Published, startWithKeys } from "../../support/kyc/key-set.ts"
import { statusAndBody } from "../../support/kyc/partner.ts"
import { stoppedDate } from "../../support/stopped-clock.ts"
import { suite } from "../../support/suite.ts"

const algorithms = [
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
] as const

/** A key for each algorithm in one published set, by its name. */
class KeySet extends Context.Tag("KeySet")<
  KeySet,
  Published & { readonly key: (alg: string) => IssuerKey }
>() {
  static readonly layer = Layer.scoped(
    KeySet,
    Effect.gen(function* () {
      const published = yield* startWithKeys
      const made = yield* Effect.all(algorithms.map((alg) => issuerKey(alg, alg)))
      published.keys.publish(...made)
      const byName = new Map(made.map((key) => [key.jwk.alg, key]))
      const key = (alg: string) => {
        const found = byName.get(alg)
        if (found === undefined) throw new Error(`No key for ${alg}`)
        return found
      }
      return { ...published, key }
    }).pipe(Effect.orDie)
  )
}

suite(KeySet.layer)("Captcha tokens of a key set", (it) => {
  for (const alg of algorithms) {
    it.effect(`200 success: ${alg}`, () =>
      Effect.gen(function* () {
        const { given, key } = yield* KeySet
        const token = yield* Effect.promise(() => key(alg).token())
        expect(statusAndBody(yield* verify(given, yield* given.newSession(), token))).toStrictEqual(
          success(0.9)
        )
      })
    )
  }

  it.effect("INVALID_SIGNATURE: another key under a known kid", () =>
    Effect.gen(function* () {
      const { given } = yield* KeySet
      const other = yield* issuerKey("ES256", "ES256")
      const token = yield* Effect.promise(() => other.token())
      expect(statusAndBody(yield* verify(given, yield* given.newSession(), token))).toStrictEqual(
        rejection("INVALID_SIGNATURE")
      )
    })
  )

  it.effect(
    "INVALID_SIGNATURE: an unknown kid, the kid of a key for another algorithm, a kid that is not a string",
    () =>
      Effect.gen(function* () {
        const { given, key } = yield* KeySet
        const session = yield* given.newSession()
        for (const kid of ["unknown", "ES256"]) {
          const token = yield* Effect.promise(() => key("RS256").token(claims(), { kid }))
          expect(statusAndBody(yield* verify(given, session, token))).toStrictEqual(
            rejection("INVALID_SIGNATURE")
          )
        }
        const odd = handmade({ alg: "RS256", kid: ["RS256"] }, claims())
        expect(statusAndBody(yield* verify(given, session, odd))).toStrictEqual(
          rejection("INVALID_SIGNATURE")
        )
      })
  )

  it.effect("INVALID_SIGNATURE: a key that is embedded in the token", () =>
    Effect.gen(function* () {
      const { given, keys } = yield* KeySet
      const own = yield* issuerKey("RS256", "RS256")
      const session = yield* given.newSession()
      for (const header of [{ jwk: own.jwk }, { jku: `${keys.url}?mine` }, { x5u: keys.url }]) {
        const token = yield* Effect.promise(() => own.token(claims(), header))
        expect(statusAndBody(yield* verify(given, session, token))).toStrictEqual(
          rejection("INVALID_SIGNATURE")
        )
      }
    })
  )

  it.effect("INVALID_SIGNATURE: HS256 signed with the public key", () =>
    Effect.gen(function* () {
      const { given, key } = yield* KeySet
      const session = yield* given.newSession()
      const { jwk, publicKey } = key("RS256")
      const pem = yield* Effect.promise(() => exportSPKI(publicKey))
      for (const text of [pem, JSON.stringify(jwk)]) {
        const signing = { key: new TextEncoder().encode(text), header: { kid: "RS256" } }
        const token = yield* Effect.promise(() => sign(claims(), signing))
        expect(statusAndBody(yield* verify(given, session, token))).toStrictEqual(
          rejection("INVALID_SIGNATURE")
        )
      }
    })
  )

  it.effect("INVALID_SIGNATURE: none", () =>
    Effect.gen(function* () {
      const { given } = yield* KeySet
      const token = handmade({ alg: "none", kid: "RS256" }, claims(), "")
      expect(statusAndBody(yield* verify(given, yield* given.newSession(), token))).toStrictEqual(
        rejection("INVALID_SIGNATURE")
      )
    })
  )

  it.scoped("concurrent requests fetch the set once, and unknown kids do not refetch it each time", () =>
    Effect.gen(function* () {
      const { given, keys, key } = yield* KeySet
      const session = yield* given.newSession()
      const good = yield* Effect.promise(() => key("EdDSA").token())
      expect(statusAndBody(yield* verify(given, session, good))).toStrictEqual(success(0.9))
      const stray = yield* Effect.promise(() => key("EdDSA").token(claims(), { kid: "unknown" }))
      const fetches = Effect.gen(function* () {
        const before = keys.requests()
        yield* Effect.all(
          Array.from({ length: 40 }, () => verify(given, session, stray)),
          { concurrency: 10 }
        )
        return keys.requests() - before
      })
      // One in five seconds.
      const { pass } = yield* stoppedDate
      yield* pass(5_000)
      expect(yield* fetches).toBe(1)
      yield* pass(4_999)
      expect(yield* fetches).toBe(0)
      yield* pass(1)
      expect(yield* fetches).toBe(1)
    })
  )
})
