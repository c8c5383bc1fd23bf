/** SECRET_KEY_PREVIOUS: one key replaces another, and nothing that is still of use is lost. */
import { expect, it as plainIt } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Seal } from "../../src/secrets/seal.ts"
import { SecretKey } from "../../src/secrets/secret-key.ts"
import { createKey, send } from "../support/client.ts"
import { newChallenge, redeem, solve } from "../support/kyc/challenge.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { type Company, startCompany } from "../support/kyc/partner.ts"
import { marketplaceOn, subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { type RunningServer, startServerOn } from "../support/server.ts"
import { suite } from "../support/suite.ts"

/** That of every test's server. */
const before = "a secret key for tests, 32 bytes at least"
const after = "the secret key that comes after that one"

const successor = { SECRET_KEY: after, SECRET_KEY_PREVIOUS: before }

interface Installation {
  /** On a server before the rotation. */
  readonly given: Company
  /** A server after it, that knows the key before. */
  readonly server: RunningServer
  /** One that does not. */
  readonly alone: RunningServer
}

class Rotation extends Context.Tag("Rotation")<Rotation, Installation>() {
  static readonly layer = Layer.scoped(
    Rotation,
    Effect.gen(function* () {
      const given = yield* startCompany()
      const { databaseUrl } = given.server
      return {
        given,
        server: yield* startServerOn(databaseUrl, successor),
        alone: yield* startServerOn(databaseUrl, { SECRET_KEY: after })
      }
    }).pipe(Effect.orDie)
  )
}

suite(Rotation.layer)("after the rotation", (it) => {
  it.scoped("hashes first seen before and after the rotation are both recognised", () =>
    Effect.gen(function* () {
      const { alone, given, server } = yield* Rotation
      const [first, second, third] = [
        yield* given.newSession(),
        yield* given.newSession(),
        yield* given.newSession()
      ]
      const [old, fresh] = [newKeyHash(), newKeyHash()]
      expect((yield* check(given, first, old)).body).toMatchObject({ seenCount: 1 })
      const seen = yield* check({ server }, second, old)
      expect(seen.body).toMatchObject({
        matchFound: true,
        seenCount: 2,
        firstSessionId: first.id,
        lastSessionId: second.id
      })
      expect((yield* check({ server }, second, old)).body).toEqual(seen.body)
      expect((yield* check({ server }, second, fresh)).body).toMatchObject({
        matchFound: false,
        seenCount: 1
      })
      // The other way about, as a process that has not been given the new one as its first yet.
      const other = yield* startServerOn(given.server.databaseUrl, { SECRET_KEY_PREVIOUS: after })
      expect((yield* check({ server: other }, third, old)).body).toMatchObject({ seenCount: 3 })
      expect((yield* check({ server: other }, third, fresh)).body).toMatchObject({ seenCount: 2 })
      // Without the previous one, what it keyed is not known; what the new one keyed is.
      expect((yield* check({ server: alone }, first, fresh)).body).toMatchObject({ seenCount: 3 })
      expect((yield* check({ server: alone }, second, old)).body).toMatchObject({ seenCount: 1 })
    })
  )

  it.scoped("a retried subscribe returns the same token, which works, like all other keys", () =>
    Effect.gen(function* () {
      const { alone, given, server } = yield* Rotation
      const market = yield* marketplaceOn(given.server)
      const idempotencyKey = crypto.randomUUID()
      const made = yield* market.subscribe(market.api, {}, idempotencyKey)
      const { token } = subscribed(made)
      const platformKey = yield* createKey(given.server, given.member)
      const again = yield* subscriberOf(server, market.member).subscribe(market.api, {}, idempotencyKey)
      expect([again.status, again.body]).toEqual([201, made.body])
      expect(subscribed(again).token).toBe(token)
      const created = yield* send(alone, "POST", "/api/kyc/public/sessions", {
        headers: { "x-api-key": platformKey.token },
        json: { instanceId: given.instance.id }
      })
      expect(created.status).toBe(201)
      expect(
        (yield* send(alone, "GET", "/api/auth/me", { headers: { cookie: given.member.cookie } })).status
      ).toBe(200)
    })
  )

  it.scoped("a captcha that was begun before the rotation can be finished after it", () =>
    Effect.gen(function* () {
      const { alone, given, server } = yield* Rotation
      const session = yield* given.newSession()
      const purpose = { siteKey: given.instance.publicKey, sessionId: session.id }
      const challenge = yield* newChallenge(given.server, purpose)
      const solution = yield* solve(challenge)
      const tokenBefore = yield* redeem(given.server, challenge, solution)
      expect((yield* redeem(server, challenge, solution)).status).toBe(200)
      const verified = yield* send(server, "POST", `${session.path}/captcha/verify`, {
        json: {
          token: session.token,
          captchaToken: Reflect.get(Object(tokenBefore.body), "token"),
          siteKey: purpose.siteKey
        }
      })
      expect(verified.body).toMatchObject({ ok: true, success: true })
      expect((yield* redeem(alone, challenge, solution)).status).toBe(400)
    })
  )
})

plainIt.effect("data sealed before the rotation opens after it, but not without the previous key", () =>
  Effect.gen(function* () {
    const of = (root: string, previous?: string) =>
      Seal.pipe(
        Effect.provide(Seal.Default),
        Effect.provide(
          SecretKey.layer(Redacted.make(root), previous === undefined ? undefined : Redacted.make(previous))
        )
      )
    const secret = "a secret of 128 random bits"
    const sealed = (yield* of(before)).seal("kyc-handoff", secret, "words", "row")
    expect(yield* (yield* of(after, before)).open("kyc-handoff", secret, sealed, "row")).toBe("words")
    expect((yield* Effect.flip((yield* of(after)).open("kyc-handoff", secret, sealed, "row")))._tag).toBe(
      "SealBroken"
    )
    const anew = (yield* of(after, before)).seal("kyc-handoff", secret, "words", "row")
    expect(yield* (yield* of(after)).open("kyc-handoff", secret, anew, "row")).toBe("words")
  })
)
