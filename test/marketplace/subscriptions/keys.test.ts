import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, text } from "../../support/client.ts"
import { refusal, statusAndBody } from "../../support/kyc/partner.ts"
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
