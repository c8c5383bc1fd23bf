/** The gateway's verification of keys, called directly: its result, its expiry, its limits. */
import { describe, expect } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import type { KeyReason } from "../../../src/keys/errors.ts"
import { TooManyRequests } from "../../../src/limits/errors.ts"
import { MarketplaceKeyCredential } from "../../../src/marketplace/subscriptions/credential.ts"
import { InvalidMarketplaceKey } from "../../../src/marketplace/subscriptions/errors.ts"
import { newToken } from "../../../src/secrets/token.ts"
import { createKey } from "../../support/client.ts"
import { withoutDatabase } from "../../support/database/outage.ts"
import { proxied } from "../../support/database/tcp-proxy.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually, withTimeEnough } from "../../support/eventually.ts"
import { createdKey, subscription } from "../../support/marketplace/subscriptions.ts"
import { startServerOn } from "../../support/server.ts"
import { stoppedClock } from "../../support/stopped-clock.ts"
import { suite } from "../../support/suite.ts"

const loopback = () => "127.0.0.1"
const invalid = (reason: KeyReason) => new InvalidMarketplaceKey({ reason })

/** A server with a stopped clock, and the connection on which it hears of changes. */
const start = Effect.gen(function* () {
  const databaseUrl = yield* freshDatabase
  const listening = yield* proxied(databaseUrl)
  const clock = stoppedClock()
  const settings = { DATABASE_LISTEN_URL: Redacted.value(listening.url) }
  return { clock, listening, server: yield* clock.by(startServerOn(databaseUrl, settings)) }
})

class Watched extends Context.Tag("Watched")<Watched, Effect.Effect.Success<typeof start>>() {
  static readonly layer = Layer.scoped(Watched, Effect.orDie(start))
}

/** For a test after which no other can use the server. */
const onItsOwn = Effect.provide(Watched.layer)

/** A subscription, and the server's verification. */
const setUp = Effect.gen(function* () {
  const { clock, server } = yield* Watched
  const credential = Context.get(server.services, MarketplaceKeyCredential)
  const given = yield* subscription(server)
  const verify = (token: string | undefined, address = loopback) =>
    Effect.either(credential.authenticate(token, address)).pipe(
      Effect.map((outcome) => (outcome._tag === "Right" ? outcome.right : outcome.left))
    )
  yield* eventually(
    "the process trusts what it remembers",
    Effect.map(verify(given.token), () => credential.remembered(given.token) !== undefined)
  )
  return {
    ...given,
    clock,
    credential,
    verify
  }
})

suite(Watched.layer)((it) => {
  describe("verification", () => {
    it.scoped("malformed, unknown, of another family, with another prefix: InvalidMarketplaceKey", () =>
      Effect.gen(function* () {
        const { member, server, token, verify } = yield* setUp
        const platform = yield* createKey(server, member)
        const secret = token.slice("dk_live_".length)
        for (const [reason, bad] of [
          ["key-missing", undefined],
          ["key-missing", ""],
          ["key-malformed", "x"],
          ["key-unknown", newToken("dk_live_")],
          ["key-unknown", newToken("dk_test_")],
          ["wrong-kind-of-key", newToken("dls_")],
          ["wrong-kind-of-key", newToken("kyc_sess_")],
          ["wrong-kind-of-key", platform.token],
          ["key-malformed", platform.token.replace("dlk_", "dk_live_")],
          ["key-malformed", `dk_test_${secret}`],
          ["wrong-kind-of-key", `dlk_${secret}`],
          ["key-malformed", secret],
          ["key-malformed", token.toUpperCase()],
          ["key-malformed", token.slice(0, -1)],
          ["key-malformed", `${token}0`],
          ["key-malformed", ` ${token}`],
          ["key-malformed", `${token}, ${token}`],
          ["key-malformed", `Bearer ${token}`]
        ] as const) {
          expect(yield* verify(bad), bad).toEqual(invalid(reason))
        }
        expect(yield* verify(token)).toMatchObject({ mode: "live" })
      })
    )

    it.scoped("revoked, or of a cancelled subscription: not remembered, also without a notification", () =>
      Effect.gen(function* () {
        const { listening } = yield* Watched
        yield* Effect.addFinalizer(() => listening.release)
        for (const isRevoked of [true, false]) {
          const { cancel, credential, id, keyId, revoke, token, verify } = yield* setUp
          yield* listening.hold
          yield* isRevoked ? revoke(keyId) : cancel(id)
          expect(credential.remembered(token)).toBeUndefined()
          expect(yield* verify(token)).toMatchObject(
            isRevoked ? { reason: "key-revoked" } : { subscriptionActive: false }
          )
          yield* listening.release
        }
      })
    )

    it.scoped("rotated without a grace period: the old key is refused at once, the new one works", () =>
      Effect.gen(function* () {
        const { keyId, rotate, token, verify } = yield* setUp
        const next = createdKey(yield* rotate(keyId, { graceSeconds: 0 }))
        expect(yield* verify(token)).toEqual(invalid("key-expired"))
        expect(yield* verify(next.token)).toMatchObject({ keyId: next.id })
      })
    )

    it.scoped(
      "rotated: the old key works until the end of its grace period, cached or not, and not after it",
      () =>
        Effect.gen(function* () {
          const { credential, keyId, rotate, sql, token, verify } = yield* setUp
          let old = { id: keyId, token }
          yield* withTimeEnough("a key is remembered within its grace", (graceSeconds) =>
            Effect.gen(function* () {
              const next = createdKey(yield* rotate(old.id, { graceSeconds }))
              const isPast = sql(
                "select expires_at <= clock_timestamp() as past from marketplace_keys where id = $1",
                [old.id]
              )
              let fromMemory = 0
              for (;;) {
                const remembered = credential.remembered(old.token)
                const before = remembered ?? (yield* verify(old.token))
                const [row] = yield* isPast
                if (remembered !== undefined) fromMemory++
                // A refused key has expired by now; a key that had expired before was refused.
                if (!("keyId" in before)) expect(row).toStrictEqual({ past: true })
                if (row?.past === true) break
              }
              expect(credential.remembered(old.token)).toBeUndefined()
              expect(yield* verify(old.token)).toEqual(invalid("key-expired"))
              expect(yield* verify(next.token)).toMatchObject({ keyId: next.id })
              old = next
              return fromMemory > 0
            })
          )
        })
    )
  })

  describe("queries", () => {
    it.scoped("without a database: a cached key works for at most a lease, any other is a defect", () =>
      Effect.gen(function* () {
        const { credential, server, token, verify } = yield* setUp
        expect(credential.remembered(token)).toBeDefined()
        yield* withoutDatabase(
          server,
          Effect.gen(function* () {
            yield* eventually(
              "nothing is remembered any more",
              () => credential.remembered(token) === undefined
            )
            expect((yield* Effect.exit(verify(token)))._tag).toBe("Failure")
            expect((yield* Effect.exit(verify(newToken("dk_live_"))))._tag).toBe("Failure")
            expect(yield* verify("dk_live_x")).toEqual(invalid("key-malformed"))
          })
        )
      }).pipe(onItsOwn)
    )
  })

  describe("Protective limits (contract.md#protective-limits)", () => {
    it.scoped("made-up keys from one address: TooManyRequests after a hundred in a row", () =>
      Effect.gen(function* () {
        const { clock, createKey: newKey, id, token, verify } = yield* setUp
        const attacker = () => "203.0.113.7"
        const tooMany = new TooManyRequests({ retryAfterSeconds: 1 })
        expect(yield* verify(newToken("dk_live_"), attacker)).toEqual(invalid("key-unknown"))
        for (let tries = 1; tries < 100; tries++)
          expect(yield* verify("dk_live_madeup", attacker)).toEqual(invalid("key-malformed"))
        expect(yield* verify("dk_live_madeup", attacker)).toEqual(tooMany)
        // One attempt returns each second.
        yield* clock.pass(1_000)
        expect(yield* verify("dk_live_madeup", attacker)).toEqual(invalid("key-malformed"))
        expect(yield* verify("dk_live_madeup", attacker)).toEqual(tooMany)

        // A malformed key costs no query, so it does not hold up valid keys.
        const another = createdKey(yield* newKey(id))
        for (const good of [token, another.token]) {
          expect(yield* verify(good, attacker)).toMatchObject({ subscriptionId: id })
        }
        expect(yield* verify("dk_live_madeup", () => "203.0.113.8")).toEqual(invalid("key-malformed"))
      })
    )
  })
})
