import { expect } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { decodeJwt, decodeProtectedHeader } from "jose"
import { SecretKey } from "../../../src/secrets/secret-key.ts"
import { field, text } from "../../support/client.ts"
import { rejection, site, success, verify } from "../../support/kyc/captcha.ts"
import { askChallenge, forge, newChallenge, redeem, solve } from "../../support/kyc/challenge.ts"
import { Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const hex = (length: number): unknown => expect.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`))

const notSolved = refusal(400, "Challenge is not solved")
const incomplete = refusal(400, "challenge and solution are required")

/** The key under which the service signs challenges, from the test servers' `SECRET_KEY`. */
const challengeSecret = Effect.map(SecretKey, (key) =>
  Buffer.from(key.derive("captcha-challenge")).toString("hex")
).pipe(Effect.provide(SecretKey.layer(Redacted.make("a secret key for tests, 32 bytes at least"))))

const inFiveMinutes = () => new Date(Date.now() + 300_000)

const forged = Effect.flatMap(challengeSecret, (secret) =>
  forge(secret, inFiveMinutes(), { siteKey: site, sessionId: "s-1" })
)

suite(Partner.layer)("The built-in captcha (contract.md#captcha)", (it) => {
  it.effect("challenge: 200, valid for the site and the session for five minutes", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const before = Math.floor(Date.now() / 1000)
      const answer = yield* askChallenge(server, { siteKey: site, sessionId: "s-1" })
      expect(statusAndBody(answer)).toStrictEqual({
        status: 200,
        body: {
          challenge: {
            parameters: {
              algorithm: "PBKDF2/SHA-256",
              cost: 5000,
              data: { siteKey: site, sessionId: "s-1" },
              expiresAt: expect.any(Number),
              keyLength: 32,
              keyPrefix: hex(32),
              keySignature: hex(64),
              nonce: hex(32),
              salt: hex(32)
            },
            signature: hex(64)
          }
        }
      })
      const expiresAt = field(answer.body, "challenge", "parameters", "expiresAt")
      expect(expiresAt).toBeGreaterThanOrEqual(before + 300)
      expect(expiresAt).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 300)
    })
  )

  it.effect("solved, redeemed and verified: success for its session, and for no other", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const [session, other] = [yield* given.newSession(), yield* given.newSession()]
      const challenge = yield* newChallenge(given.server, { siteKey: site, sessionId: session.id })
      const solution = yield* solve(challenge)
      const redeemed = yield* redeem(given.server, challenge, solution)
      expect(statusAndBody(redeemed)).toStrictEqual({ status: 200, body: { token: expect.any(String) } })
      const token = text(redeemed.body, "token")
      expect(decodeProtectedHeader(token)).toStrictEqual({ alg: "HS256", typ: "JWT" })
      const { exp = 0, iat = 0, ...claims } = decodeJwt(token)
      expect(exp - iat).toBe(300)
      const jti = challenge.parameters.nonce
      expect(claims).toStrictEqual({ siteKey: site, score: 0.7, sub: session.id, jti })
      expect(statusAndBody(yield* verify(given, other, token))).toStrictEqual(rejection("SESSION_MISMATCH"))
      expect(statusAndBody(yield* verify(given, session, token, { siteKey: "site-2" }))).toStrictEqual(
        rejection("SITE_MISMATCH")
      )
      expect(statusAndBody(yield* verify(given, session, token))).toStrictEqual(success(0.7))
      // One solution is one token, however often it is redeemed.
      const again = text((yield* redeem(given.server, challenge, yield* solve(challenge))).body, "token")
      expect(decodeJwt(again).jti).toBe(jti)
      const { body } = yield* given.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session", "assurance", "captcha")).toStrictEqual({
        verified: true,
        score: 0.7,
        at: anInstant
      })
    })
  )

  it.effect("Challenge is not solved: a modified challenge", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const good = yield* newChallenge(server, { siteKey: site, sessionId: "s-1" })
      const solution = yield* solve(good)
      const { parameters, signature } = good
      const later = (parameters.expiresAt ?? 0) + 1
      for (const challenge of [
        { parameters: { ...parameters, data: { siteKey: site, sessionId: "s-2" } }, signature },
        { parameters: { ...parameters, nonce: "0".repeat(32) }, signature },
        { parameters: { ...parameters, cost: 1 }, signature },
        { parameters: { ...parameters, keySignature: "0".repeat(64) }, signature },
        { parameters: { ...parameters, expiresAt: later }, signature },
        { parameters, signature: "0".repeat(64) },
        { parameters }
      ]) {
        expect(statusAndBody(yield* redeem(server, challenge, solution))).toStrictEqual(notSolved)
      }
      for (const wrong of [
        { ...solution, derivedKey: "0".repeat(64) },
        { ...solution, derivedKey: parameters.keyPrefix },
        { ...solution, counter: -1 }
      ]) {
        expect(statusAndBody(yield* redeem(server, good, wrong))).toStrictEqual(notSolved)
      }
      expect((yield* redeem(server, good, solution)).status).toBe(200)
    })
  )

  it.effect("Challenge is not solved: expired, from another installation, or for another purpose", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const ours = yield* challengeSecret
      const data = { siteKey: site, sessionId: "s-1" }
      const good = yield* forge(ours, inFiveMinutes(), data)
      expect((yield* redeem(server, good.challenge, good.solution)).status).toBe(200)
      for (const { challenge, solution } of [
        yield* forge(ours, new Date(Date.now() - 1000), data),
        yield* forge(ours, inFiveMinutes(), { siteKey: site }),
        yield* forge("another secret, of 32 bytes or more", inFiveMinutes(), data)
      ]) {
        expect(statusAndBody(yield* redeem(server, challenge, solution))).toStrictEqual(notSolved)
      }
    })
  )

  it.effect("redeem: 400 challenge and solution are required", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const { challenge, solution } = yield* forged
      const { parameters } = challenge
      const mistyped = { ...challenge, parameters: { ...parameters, cost: "5000" } }
      for (const wrong of [undefined, "x", [], {}, { parameters: {} }, mistyped]) {
        expect(statusAndBody(yield* redeem(server, wrong, solution))).toStrictEqual(incomplete)
      }
      for (const wrong of [undefined, "x", [], {}, { ...solution, counter: "5" }]) {
        expect(statusAndBody(yield* redeem(server, challenge, wrong))).toStrictEqual(incomplete)
      }
    })
  )

  it.effect("redeem: hostile payloads are refused", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const { challenge, solution } = yield* forged
      const { parameters } = challenge
      for (const changes of [
        { algorithm: "__proto__" },
        { cost: 1e300 },
        { keyLength: 1e9 },
        { nonce: "0".repeat(900_000) },
        { data: { siteKey: "\u0000", sessionId: "\ud800" } }
      ]) {
        const hostile = { ...challenge, parameters: { ...parameters, ...changes } }
        expect(statusAndBody(yield* redeem(server, hostile, solution))).toStrictEqual(notSolved)
      }
      for (const derivedKey of ["\u0000", "\ud800", "0".repeat(900_000), "é"]) {
        expect(statusAndBody(yield* redeem(server, challenge, { ...solution, derivedKey }))).toStrictEqual(
          notSolved
        )
      }
    })
  )
})
