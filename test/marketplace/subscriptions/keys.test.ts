import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, text } from "../../support/client.ts"
import { milliseconds, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { aToken, aTokenPrefix, createdKey, subscription } from "../../support/marketplace/subscriptions.ts"
import { TestServer } from "../../support/server.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

/** A new key with default values, except for `fields`. */
const keyOf = (subscriptionId: string, fields: object = {}) => ({
  id: anId,
  subscription_id: subscriptionId,
  name: "first",
  mode: "live",
  expiresAt: null,
  activeNow: true,
  token_prefix: aTokenPrefix(),
  created_at: anInstant,
  last_used_at: null,
  revoked_at: null,
  rotated_to: null,
  ...fields
})

suite(TestServer.layer)("marketplace keys", (it) => {
  const setUp = Effect.flatMap(TestServer, subscription)

  describe("GET /api/api-marketplace/subscriptions/:id/keys", () => {
    it.effect("200: newest first, in every state, without the secret", () =>
      Effect.gen(function* () {
        const { createKey, id, keyId, keys, revoke, rotate, sql, token } = yield* setUp
        const second = createdKey(yield* createKey(id, { name: "second", mode: "test" }))
        const third = createdKey(yield* rotate(second.id))
        const expired = createdKey(yield* createKey(id, { name: "expired" }))
        yield* sql("update marketplace_keys set expires_at = now() where id = $1", [expired.id])
        yield* revoke(keyId)
        const answer = yield* keys(id)
        expect(statusAndBody(answer)).toStrictEqual({
          status: 200,
          body: {
            apiKeys: [
              keyOf(id, { id: expired.id, name: "expired", activeNow: false, expiresAt: anInstant }),
              keyOf(id, { id: third.id, name: "second", mode: "test", token_prefix: aTokenPrefix("test") }),
              keyOf(id, {
                id: second.id,
                name: "second",
                mode: "test",
                token_prefix: aTokenPrefix("test"),
                expiresAt: anInstant,
                rotated_to: third.id
              }),
              keyOf(id, { id: keyId, activeNow: false, revoked_at: anInstant })
            ]
          }
        })
        for (const secret of [token, second.token, third.token, expired.token]) {
          expect(answer.text).not.toContain(secret.slice("dk_live_".length))
        }
      })
    )

    it.effect("200: all active keys, however old, and the newest 100 others", () =>
      Effect.gen(function* () {
        const { id, keyId, keys, rotate, sql } = yield* setUp
        const next = createdKey(yield* rotate(keyId))
        yield* sql(
          "update marketplace_keys set created_at = now() - interval '1 year' where subscription_id = $1",
          [id]
        )
        yield* sql(
          `insert into marketplace_keys (id, subscription_id, name, mode, token_hash, token_prefix, created_at, revoked_at, expires_at)
          select gen_random_uuid(), $1::uuid, n::text, 'live', sha256(convert_to($1::uuid::text || n, 'UTF8')), 'dk_live_',
            now() - n * interval '1 minute', case when n % 2 = 0 then now() end, case when n % 2 = 1 then now() end
          from generate_series(1, 150) n`,
          [id]
        )
        const listed: ReadonlyArray<Record<string, unknown>> = Object((yield* keys(id)).body).apiKeys
        expect(listed.filter(({ activeNow }) => activeNow === true).map((key) => key.id)).toEqual([
          next.id,
          keyId
        ])
        expect(listed.filter(({ activeNow }) => activeNow === false).map(({ name }) => name)).toEqual(
          Array.from({ length: 100 }, (_, n) => String(n + 1))
        )
        const times = listed.map(({ created_at }) => String(created_at))
        expect(times).toEqual(times.toSorted().toReversed())
      })
    )
  })

  describe("POST /api/api-marketplace/subscriptions/:id/keys", () => {
    it.effect("201: a live or a test key, and its token", () =>
      Effect.gen(function* () {
        const { createKey, id } = yield* setUp
        for (const [given, mode] of [
          [{}, "live"],
          [{ mode: "test" }, "test"]
        ] as const) {
          const answer = yield* createKey(id.toUpperCase(), { name: " Server ", ...given })
          expect(statusAndBody(answer)).toStrictEqual({
            status: 201,
            body: {
              apiKey: keyOf(id, { name: "Server", mode, token_prefix: aTokenPrefix(mode) }),
              token: aToken(mode)
            }
          })
          const { token } = createdKey(answer)
          expect(token.startsWith(text(answer.body, "apiKey", "token_prefix"))).toBe(true)
        }
      })
    )

    it.effect("400 names the rule", () =>
      Effect.gen(function* () {
        const { createKey, id, keys } = yield* setUp
        for (const [fields, error] of [
          [{}, "name is required"],
          [{ name: 1, mode: "x" }, "name is required"],
          [{ name: "n".repeat(201) }, "name must be at most 200 characters"],
          [{ name: "\u0000" }, "name must not contain U+0000 or lone surrogates"],
          [{ name: "a\u202eb" }, "name must not contain control characters or marks of text direction"],
          [{ name: "n", mode: "LIVE" }, "mode must be live or test"],
          [{ name: "n", mode: "" }, "mode must be live or test"]
        ] as const) {
          expect(statusAndBody(yield* createKey(id, fields))).toStrictEqual(refusal(400, error))
        }
        expect(field((yield* keys(id)).body, "apiKeys", "length")).toBe(1)
      })
    )

    it.effect("409 Subscription is cancelled", () =>
      Effect.gen(function* () {
        const { cancel, createKey, id, keys } = yield* setUp
        yield* cancel(id)
        expect(statusAndBody(yield* createKey(id))).toStrictEqual(refusal(409, "Subscription is cancelled"))
        expect(field((yield* keys(id)).body, "apiKeys", "length")).toBe(1)
      })
    )

    it.effect(
      "409 at the 51st active key, also with concurrent requests; a key that is revoked or in its grace period makes room",
      () =>
        Effect.gen(function* () {
          const { createKey, id, keyId, revoke, rotate, sql } = yield* setUp
          const answers = yield* Effect.replicateEffect(createKey(id), 60, { concurrency: "unbounded" })
          const refused = answers.filter(({ status }) => status !== 201)
          expect(refused.length).toBe(11)
          const full = refusal(409, "Subscription has 50 active keys, the most it may have")
          for (const answer of refused) expect(statusAndBody(answer)).toStrictEqual(full)
          const rows = sql("select count(*)::int as keys from marketplace_keys where subscription_id = $1", [
            id
          ])
          expect(yield* rows).toStrictEqual([{ keys: 50 }])

          // A rotation does not change their number.
          expect((yield* rotate(keyId)).status).toBe(201)
          expect(statusAndBody(yield* createKey(id))).toStrictEqual(full)
          const [made] = answers.filter(({ status }) => status === 201)
          yield* revoke(text(made?.body, "apiKey", "id"))
          expect((yield* createKey(id)).status).toBe(201)
          expect(statusAndBody(yield* createKey(id))).toStrictEqual(full)
        })
    )
  })

  describe("POST /api/api-marketplace/keys/:id/revoke", () => {
    it.effect("200; a repetition changes nothing", () =>
      Effect.gen(function* () {
        const { id, keyId, keys, revoke, sql } = yield* setUp
        expect(statusAndBody(yield* revoke(keyId))).toStrictEqual({ status: 200, body: { ok: true } })
        expect((yield* keys(id)).body).toStrictEqual({
          apiKeys: [keyOf(id, { activeNow: false, revoked_at: anInstant })]
        })
        yield* sql("update marketplace_keys set revoked_at = '2026-01-02T03:04:05.678Z' where id = $1", [
          keyId
        ])
        expect(statusAndBody(yield* revoke(keyId.toUpperCase()))).toStrictEqual({
          status: 200,
          body: { ok: true }
        })
        expect((yield* keys(id)).body).toStrictEqual({
          apiKeys: [keyOf(id, { activeNow: false, revoked_at: "2026-01-02T03:04:05.678Z" })]
        })
      })
    )
  })
})

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
