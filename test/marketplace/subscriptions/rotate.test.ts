import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { text } from "../../support/client.ts"
import { milliseconds, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { aToken, aTokenPrefix, createdKey, subscription } from "../../support/marketplace/subscriptions.ts"
import { TestServer } from "../../support/server.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const notRotatable = refusal(409, "API key is revoked, expired or already rotated")

suite(TestServer.layer)("POST .../keys/:id/rotate", (it) => {
  const setUp = Effect.flatMap(TestServer, subscription)

  /** Milliseconds from the creation of the new key to the expiry of the old key `id`; null without an expiry. */
  const grace = ({ sql }: Effect.Effect.Success<typeof setUp>, id: string): Effect.Effect<number | null> =>
    Effect.map(
      sql(
        `select (extract(epoch from old.expires_at - next.created_at) * 1000)::float8 as grace
         from marketplace_keys old join marketplace_keys next on next.id = old.rotated_to where old.id = $1`,
        [id]
      ),
      ([row]) => (row?.grace === null ? null : Number(row?.grace))
    )

  it.effect("201: a new key of the same name and mode, and its token", () =>
    Effect.gen(function* () {
      const { createKey, id, rotate } = yield* setUp
      for (const mode of ["live", "test"] as const) {
        const old = createdKey(yield* createKey(id, { name: "Server", mode }))
        const answer = yield* rotate(old.id.toUpperCase())
        expect(statusAndBody(answer)).toStrictEqual({
          status: 201,
          body: {
            apiKey: {
              id: anId,
              subscription_id: id,
              name: "Server",
              mode,
              expiresAt: null,
              activeNow: true,
              token_prefix: aTokenPrefix(mode),
              created_at: anInstant,
              last_used_at: null,
              revoked_at: null,
              rotated_to: null
            },
            token: aToken(mode)
          }
        })
        const next = createdKey(answer)
        expect(next.token).not.toBe(old.token)
        expect(next.id).not.toBe(old.id)
      }
    })
  )

  describe("the old key's grace period", () => {
    it.effect("is a day, or as long as was asked for", () =>
      Effect.gen(function* () {
        const given = yield* setUp
        for (const [fields, seconds] of [
          [{}, 86_400],
          [{ graceSeconds: null }, 86_400],
          [{ graceSeconds: 604_800 }, 604_800]
        ] as const) {
          const { id } = createdKey(yield* given.createKey(given.id))
          expect((yield* given.rotate(id, fields)).status).toBe(201)
          // The column of `created_at` rounds to the nearest millisecond.
          const milliseconds = (yield* grace(given, id)) ?? Number.NaN
          expect(Math.abs(milliseconds - seconds * 1000)).toBeLessThanOrEqual(1)
          const { apiKeys } = Object((yield* given.keys(given.id)).body)
          expect(apiKeys[1]).toMatchObject({ id, activeNow: true, expiresAt: anInstant })
        }
      })
    )

    it.effect("does not extend the expiry of the old key, which the new key inherits", () =>
      Effect.gen(function* () {
        const { id, keyId, keys, rotate, sql } = yield* setUp
        yield* sql("update marketplace_keys set expires_at = now() + interval '1 hour' where id = $1", [
          keyId
        ])
        const before = yield* keys(id)
        const end = text(before.body, "apiKeys", 0, "expiresAt")
        const first = yield* rotate(keyId)
        expect(text(first.body, "apiKey", "expiresAt")).toBe(end)
        const second = yield* rotate(createdKey(first).id, { graceSeconds: 60 })
        expect(text(second.body, "apiKey", "expiresAt")).toBe(end)
        const { body } = yield* keys(id)
        expect(text(body, "apiKeys", 2, "expiresAt")).toBe(end)
        expect(milliseconds(body, "apiKeys", 1, "expiresAt")).toBeLessThan(Date.parse(end) - 3_000_000)
      })
    )
  })

  it.effect("400 graceSeconds must be a whole number from 0 to 604800", () =>
    Effect.gen(function* () {
      const { id, keyId, keys, rotate } = yield* setUp
      for (const graceSeconds of [-1, 604_801, 1.5, "60"]) {
        expect(statusAndBody(yield* rotate(keyId, { graceSeconds }))).toStrictEqual(
          refusal(400, "graceSeconds must be a whole number from 0 to 604800")
        )
      }
      expect((yield* keys(id)).body).toMatchObject({ apiKeys: [{ id: keyId, rotated_to: null }] })
    })
  )

  describe("409", () => {
    it.effect("a revoked key, an expired key, and one of a cancelled subscription", () =>
      Effect.gen(function* () {
        const { cancel, createKey, id, keyId, revoke, rotate, sql } = yield* setUp
        const [expired, active] = [createdKey(yield* createKey(id)), createdKey(yield* createKey(id))]
        yield* sql("update marketplace_keys set expires_at = now() where id = $1", [expired.id])
        yield* revoke(keyId)
        for (const key of [keyId, expired.id]) {
          expect(statusAndBody(yield* rotate(key))).toStrictEqual(notRotatable)
        }
        yield* cancel(id)
        for (const key of [keyId, active.id]) {
          expect(statusAndBody(yield* rotate(key))).toStrictEqual(refusal(409, "Subscription is cancelled"))
        }
      })
    )

    it.effect("a rotated key, during and after its grace period", () =>
      Effect.gen(function* () {
        const { createKey, id, keyId, keys, rotate } = yield* setUp
        const other = createdKey(yield* createKey(id))
        yield* rotate(keyId, { graceSeconds: 600 })
        yield* rotate(other.id, { graceSeconds: 0 })
        const before = (yield* keys(id)).body
        for (const key of [keyId, other.id]) {
          expect(statusAndBody(yield* rotate(key, { graceSeconds: 604_800 }))).toStrictEqual(notRotatable)
        }
        expect((yield* keys(id)).body).toStrictEqual(before)
      })
    )
  })

  describe("races", () => {
    it.effect("20 concurrent rotations of one key: exactly one creates a key", () =>
      Effect.gen(function* () {
        const { id, keyId, keys, rotate } = yield* setUp
        const answers = yield* Effect.replicateEffect(rotate(keyId), 20, { concurrency: "unbounded" })
        const [made, ...others] = answers.filter(({ status }) => status === 201)
        expect(others).toStrictEqual([])
        for (const answer of answers) {
          if (answer !== made) expect(statusAndBody(answer)).toStrictEqual(notRotatable)
        }
        expect((yield* keys(id)).body).toMatchObject({
          apiKeys: [{ id: text(made?.body, "apiKey", "id") }, { id: keyId }]
        })
      })
    )

    it.effect("a rotation and a revocation: the old key is revoked; a new key exists only after a 201", () =>
      Effect.gen(function* () {
        for (let round = 0; round < 4; round++) {
          const { id, keyId, keys, revoke, rotate } = yield* setUp
          const [rotated, revoked] = yield* Effect.all([rotate(keyId), revoke(keyId)], {
            concurrency: "unbounded"
          })
          expect(statusAndBody(revoked)).toStrictEqual({ status: 200, body: { ok: true } })
          if (rotated.status !== 201) expect(statusAndBody(rotated)).toStrictEqual(notRotatable)
          const old = { id: keyId, activeNow: false, revoked_at: anInstant }
          expect((yield* keys(id)).body).toMatchObject({
            apiKeys: rotated.status === 201 ? [{ id: createdKey(rotated).id, activeNow: true }, old] : [old]
          })
        }
      })
    )
  })
})
