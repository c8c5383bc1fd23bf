import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { Changes } from "../../src/db/changes.ts"
import { newToken } from "../../src/secrets/token.ts"
import { createInstance, createKey, send, signUp } from "../support/client.ts"
import { withoutDatabase } from "../support/database/outage.ts"
import { proxied } from "../support/database/tcp-proxy.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer, startServerOn, TestServer } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"

type Headers = Readonly<Record<string, string>>

/** A company with a key, and a function that creates KYC sessions with any headers. */
const partner = (server: RunningServer, key: object = {}) =>
  Effect.gen(function* () {
    const member = yield* signUp(server)
    const instance = yield* createInstance(server, member)
    const use = (headers: Headers) =>
      Effect.map(
        send(server, "POST", "/api/kyc/public/sessions", { headers, json: { instanceId: instance.id } }),
        (answer) => ({ ...answer, summary: [answer.status, answer.status === 201 ? "created" : answer.body] })
      )
    return { server, member, key: yield* createKey(server, member, key), use }
  })

const created = [201, "created"]
const invalid = [401, { error: "Invalid API key" }]
const throttled = [429, { error: "Too many requests" }]

suite(TestServer.layer)("platform key as credential", (it) => {
  const partnerWith = (key: object = {}) => Effect.flatMap(TestServer, (server) => partner(server, key))

  describe("Platform key (contract.md#platform-key)", () => {
    const good: ReadonlyArray<readonly [string, (token: string) => Headers]> = [
      ["x-api-key", (token) => ({ "x-api-key": token })],
      ["Authorization: Bearer", (token) => ({ authorization: `Bearer ${token}` })],
      ["Authorization: bearer", (token) => ({ authorization: `bearer ${token}` })],
      [
        "x-api-key, over a bad Authorization",
        (token) => ({ "x-api-key": token, authorization: `Bearer ${newToken("dlk_")}` })
      ]
    ]
    it.effect("accepted: 201", () =>
      Effect.gen(function* () {
        const { key, use } = yield* partnerWith()
        for (const [what, headers] of good) {
          expect([what, (yield* use(headers(key.token))).summary]).toStrictEqual([what, created])
        }
      })
    )

    it.effect("beside the token of another company's user, the key decides, on all routes alike", () =>
      Effect.gen(function* () {
        const { key, member, server } = yield* partnerWith({ scopes: ["kyc:sessions", "kyc:instances:read"] })
        const stranger = yield* signUp(server)
        yield* createInstance(server, stranger, { name: "Another company's" })
        const own = yield* send(server, "GET", "/api/kyc/instances", { headers: { cookie: member.cookie } })
        const token = stranger.cookie.slice(stranger.cookie.indexOf("dls_"))
        const both = yield* send(server, "GET", "/api/kyc/instances", {
          headers: { "x-api-key": key.token, authorization: `Bearer ${token}` }
        })
        expect([both.status, both.body]).toStrictEqual([200, own.body])
      })
    )

    it.effect("refused: 401 Invalid API key, with the reason in a header", () =>
      Effect.gen(function* () {
        const { key, member, server, use } = yield* partnerWith()
        const { token } = key
        const expired = yield* createKey(server, member, { expiresAt: "2020-01-01" })
        const dashboard = member.cookie.replace("dashboard_session=", "")
        const revoked = yield* createKey(server, member)
        yield* send(server, "POST", `/api/api-keys/${revoked.id}/revoke`, {
          headers: { cookie: member.cookie }
        })
        const bad: ReadonlyArray<readonly [string, string, Headers]> = [
          ["absent", "key-missing", {}],
          ["malformed", "key-malformed", { "x-api-key": "not a key" }],
          ["unknown", "key-unknown", { "x-api-key": newToken("dlk_") }],
          ["with a character too many", "key-malformed", { "x-api-key": `${token}0` }],
          [
            "bad in x-api-key, good in Authorization",
            "key-unknown",
            { "x-api-key": newToken("dlk_"), authorization: `Bearer ${token}` }
          ],
          ["Authorization without Bearer", "key-missing", { authorization: token }],
          ["as user name of Basic", "key-missing", { authorization: `Basic ${btoa(`${token}:`)}` }],
          [
            "a marketplace key",
            "wrong-kind-of-key",
            { "x-api-key": "dk_live_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG" }
          ],
          ["a session token", "wrong-kind-of-key", { authorization: `Bearer ${newToken("kyc_sess_")}` }],
          ["a dashboard session", "key-missing", { cookie: member.cookie }],
          ["a dashboard session's token", "wrong-kind-of-key", { "x-api-key": dashboard }],
          ["expired", "key-expired", { "x-api-key": expired.token }],
          ["revoked", "key-revoked", { "x-api-key": revoked.token }],
          ["revoked, as is remembered", "key-revoked", { "x-api-key": revoked.token }]
        ]
        for (const [what, reason, headers] of bad) {
          const { headers: answered, summary } = yield* use(headers)
          expect([what, summary, answered.get("doorlock-reason")]).toStrictEqual([what, invalid, reason])
        }
        const accepted = yield* use({ "x-api-key": token })
        expect(accepted.headers.has("doorlock-reason")).toBe(false)
      })
    )

    it.effect("revoked: 401 Invalid API key, at once in this process", () =>
      Effect.gen(function* () {
        const { key, member, server, use } = yield* partnerWith()
        for (let i = 0; i < 2; i++)
          expect((yield* use({ "x-api-key": key.token })).summary).toStrictEqual(created)
        yield* send(server, "POST", `/api/api-keys/${key.id}/revoke`, { headers: { cookie: member.cookie } })
        expect((yield* use({ "x-api-key": key.token })).summary).toStrictEqual(invalid)
      })
    )
  })

  describe("Scope match (contract.md#scope-match)", () => {
    // `keys/model` has all ways in which a scope may fit.
    it.effect("a key without the scope: 403, also from the cache", () =>
      Effect.gen(function* () {
        const { member, server, use } = yield* partnerWith()
        for (const [scopes, answer] of [
          [["a", "kyc"], created],
          [["kyc:sessions:read"], [403, { error: "API key does not have the scope kyc:sessions:create" }]],
          [[], [403, { error: "API key does not have the scope kyc:sessions:create" }]]
        ] as const) {
          const { token } = yield* createKey(server, member, { scopes })
          for (let i = 0; i < 2; i++) {
            expect([scopes, (yield* use({ "x-api-key": token })).summary]).toStrictEqual([scopes, answer])
          }
        }
      })
    )

    it.effect("each route requires its own scope: reading sessions needs kyc:sessions:read", () =>
      Effect.gen(function* () {
        const { key, server } = yield* partnerWith({ scopes: ["kyc:sessions:create"] })
        const answer = yield* send(server, "GET", "/api/kyc/sessions", {
          headers: { "x-api-key": key.token }
        })
        expect([answer.status, answer.body]).toStrictEqual([
          403,
          { error: "API key does not have the scope kyc:sessions:read" }
        ])
      })
    )
  })

  it.effect("a platform key is valid only for instances of its own company: 403", () =>
    Effect.gen(function* () {
      const mine = yield* partnerWith()
      const other = yield* partnerWith()
      expect((yield* mine.use({ "x-api-key": other.key.token })).summary).toStrictEqual([
        403,
        { error: "API key is not allowed for this instance" }
      ])
    })
  )
})

describe("Token (contract.md#key-token)", () => {
  it.scopedLive("a mistyped token is refused without a query, even while the database is down", () =>
    Effect.gen(function* () {
      const { key, server, use } = yield* partner(yield* startServer())
      yield* withoutDatabase(
        server,
        Effect.gen(function* () {
          const last = key.token.endsWith("0") ? "1" : "0"
          const mistyped = key.token.slice(0, -1) + last
          expect((yield* use({ "x-api-key": mistyped })).summary).toStrictEqual(invalid)
          // The token itself needs a query, and so does an unknown token with a valid checksum.
          for (const token of [key.token, newToken("dlk_")]) {
            expect((yield* use({ "x-api-key": token })).summary).toStrictEqual([
              500,
              { error: "Failed to create session" }
            ])
          }
        })
      )
      yield* eventually(
        "the key works again",
        Effect.map(use({ "x-api-key": key.token }), ({ status }) => status === 201)
      )
    })
  )
})

describe("Protective limits (contract.md#protective-limits)", () => {
  it.scopedLive("an old key beside a valid cookie is no guess where users and named keys are accepted", () =>
    Effect.gen(function* () {
      const { by } = stoppedClock()
      const server = yield* by(startServer())
      const { member, use } = yield* partner(server)
      const old = newToken("dlk_")
      const read = (headers: Record<string, string>) =>
        send(server, "GET", "/api/kyc/instances", { headers: { "x-api-key": old, ...headers } })
      const both = yield* Effect.replicateEffect(read({ cookie: member.cookie }), 101, { concurrency: 20 })
      expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200]))
      // The budget of a hundred refusals is unspent: the old key alone is refused, and not throttled.
      expect((yield* read({})).status).toBe(401)
      expect((yield* use({ "x-api-key": newToken("dlk_") })).summary).toStrictEqual(invalid)
    })
  )

  it.scopedLive("made-up keys from one address: 429 Too many requests with Retry-After", () =>
    Effect.gen(function* () {
      const { by } = stoppedClock()
      const server = yield* by(startServer({ TRUSTED_PROXIES: "127.0.0.1" }))
      const { key, member, use } = yield* partner(server)
      const from = (address: string, token: string) => use({ "x-api-key": token, "x-forwarded-for": address })
      const attacker = "203.0.113.7"

      expect((yield* from(attacker, key.token)).summary).toStrictEqual(created)
      const expectRefused = (times: number) =>
        Effect.gen(function* () {
          const answers = yield* Effect.forEach(
            Array.from({ length: times + 5 }, () => newToken("dlk_")),
            (token) => from(attacker, token),
            { concurrency: 20 }
          )
          const late = answers.filter(({ status }) => status === 429)
          for (const { headers, summary } of late) {
            expect([summary, headers.get("retry-after")]).toStrictEqual([throttled, "1"])
          }
          const refused = answers.filter((answer) => !late.includes(answer))
          expect(refused.map(({ summary }) => summary)).toStrictEqual(Array(times).fill(invalid))
        })
      // `limits/failure-budget` has how it refills.
      yield* expectRefused(100)
      // A valid key still works from that address once this process knows it, and other addresses are not held up.
      expect((yield* from(attacker, key.token)).summary).toStrictEqual(created)
      const another = yield* createKey(server, member)
      expect((yield* from("203.0.113.8", another.token)).summary).toStrictEqual(created)
      expect((yield* from(attacker, another.token)).summary).toStrictEqual(created)
      expect((yield* from("203.0.113.8", newToken("dlk_"))).summary).toStrictEqual(invalid)
      expect((yield* from("2001:db8::8", newToken("dlk_"))).summary).toStrictEqual(invalid)
    })
  )

  it.scopedLive("a missing key and a missing scope do not count as attempts", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ TRUSTED_PROXIES: "127.0.0.1" })
      const { key, use } = yield* partner(server, { scopes: [] })
      const address = { "x-forwarded-for": "203.0.113.9" }
      const without = Effect.map(use(address), ({ summary }) => expect(summary).toStrictEqual(invalid))
      const forbidden = Effect.map(use({ ...address, "x-api-key": key.token }), ({ status }) =>
        expect(status).toBe(403)
      )
      yield* Effect.replicateEffect(Effect.zip(without, forbidden), 120, { concurrency: 20, discard: true })
    })
  )
})

describe("Revocation (contract.md#key-revocation)", () => {
  // `db/fenced-cache` has a lookup that is under way during a revocation.
  it.scopedLive("after a revocation without a notification, this process still refuses the key", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const listening = yield* proxied(databaseUrl)
      const server = yield* startServerOn(databaseUrl, { DATABASE_LISTEN_URL: Redacted.value(listening.url) })
      const { key, member, use } = yield* partner(server)
      yield* eventually("the process hears of changes", () =>
        Context.get(server.services, Changes).isTrusted()
      )
      expect((yield* use({ "x-api-key": key.token })).summary).toStrictEqual(created)
      yield* listening.hold
      yield* execute(databaseUrl, "update api_keys set revoked_at = now() where id = $1", [key.id])
      // The key is remembered: otherwise the test would show nothing.
      expect((yield* use({ "x-api-key": key.token })).summary).toStrictEqual(created)
      yield* send(server, "POST", `/api/api-keys/${key.id}/revoke`, { headers: { cookie: member.cookie } })
      expect((yield* use({ "x-api-key": key.token })).summary).toStrictEqual(invalid)
      yield* listening.release
    })
  )
})
