import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, signUp, text } from "../support/client.ts"
import { execute } from "../support/postgres.ts"
import { TestServer } from "../support/server.ts"
import { anId, anInstant } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"

/** A new company's owner, who lists, creates, counts and revokes. */
const manager = Effect.gen(function* () {
  const server = yield* TestServer
  const member = yield* signUp(server)
  const headers = { cookie: member.cookie }
  return {
    server,
    member,
    list: () => send(server, "GET", "/api/api-keys", { headers }),
    create: (json: unknown) => send(server, "POST", "/api/api-keys", { headers, json }),
    stats: () => send(server, "GET", "/api/api-keys/stats", { headers }),
    revoke: (id: string) => send(server, "POST", `/api/api-keys/${id}/revoke`, { headers }),
    sql: (statement: string, values: ReadonlyArray<unknown>) => execute(server.databaseUrl, statement, values)
  }
})

const aToken: unknown = expect.stringMatching(/^dlk_[0-9A-Za-z]{49}$/)
const aTokenPrefix: unknown = expect.stringMatching(/^dlk_[0-9A-Za-z]{4}$/)

/** A new key with default values, except for `fields`. */
const apiKey = (fields: object) => ({
  id: anId,
  scopes: ["*"],
  expiresAt: null,
  activeNow: true,
  token_prefix: aTokenPrefix,
  created_at: anInstant,
  last_used_at: null,
  revoked_at: null,
  ...fields
})

suite(TestServer.layer)("platform API keys", (it) => {
  describe("POST /api/api-keys", () => {
    it.effect("201: the key without its secret, and the token", () =>
      Effect.gen(function* () {
        const { create } = yield* manager
        const answer = yield* create({ name: "Server" })
        expect(answer.status).toBe(201)
        expect(answer.body).toStrictEqual({ apiKey: apiKey({ name: "Server" }), token: aToken })
        expect(text(answer.body, "token").startsWith(text(answer.body, "apiKey", "token_prefix"))).toBe(true)
      })
    )

    for (const [what, fields, warnings] of [
      ["nothing is wrong", { scopes: ["kyc", "kyc:instances:read"], expiresAt: "2999-01-01" }, null],
      ["everything is asked for", { scopes: ["*"] }, null],
      ["nothing is asked for", { scopes: [] }, null],
      ["a scope is unknown", { scopes: ["kyc:sessions", "kyc:session"] }, "unknown-scope"],
      ["it has expired", { scopes: ["kyc"], expiresAt: "2020-01-01" }, "expires-in-the-past"],
      ["no scopes are given", {}, "every-scope"],
      [
        "scopes are null, and it has expired",
        { scopes: null, expiresAt: "2020-01-01" },
        "expires-in-the-past, every-scope"
      ],
      [
        "two things are wrong",
        { scopes: ["x", "y"], expiresAt: "2020-01-01" },
        "unknown-scope, expires-in-the-past"
      ]
    ] as const) {
      it.effect(`201, and if ${what}, doorlock-warnings is ${warnings}`, () =>
        Effect.gen(function* () {
          const { create } = yield* manager
          const answer = yield* create({ name: "Server", ...fields })
          expect([answer.status, answer.headers.get("doorlock-warnings")]).toStrictEqual([201, warnings])
          expect(Object.keys(Object(answer.body))).toStrictEqual(["apiKey", "token"])
        })
      )
    }

    const dates = "expiresAt must be an ISO date string"
    const scopesError = "scopes must be an array of at most 100 strings"
    const hundred = Array.from({ length: 100 }, (_, i) => `scope:${i}`)

    it.effect("what is kept, in the answer and in the list", () =>
      Effect.gen(function* () {
        const { create, list } = yield* manager
        const kept: ReadonlyArray<readonly [given: object, kept?: object]> = [
          [{ name: ` ${"n".repeat(200)} ` }, { name: "n".repeat(200) }],
          [{ name: "O'Reilly \"&\\; {a,NULL} 👩‍👩‍👧 Ключ مفتاح" }],
          [{ scopes: null, expiresAt: null }, {}],
          [{ scopes: [] }],
          [{ scopes: hundred }],
          [{ scopes: ["a", "a"] }],
          // What arrays in Postgres quote.
          [{ scopes: ['"', "\\", "{,}", "NULL", " "] }],
          [{ expiresAt: "2999-01-01T10:00:00+0530" }, { expiresAt: "2999-01-01T04:30:00.000Z" }],
          [{ expiresAt: "9999-12-31T23:59:59.999Z" }],
          [{ expiresAt: "2020-01-01" }, { expiresAt: "2020-01-01T00:00:00.000Z", activeNow: false }],
          [{ expiresAt: "0000-01-01" }, { expiresAt: "0000-01-01T00:00:00.000Z", activeNow: false }],
          // Unknown fields are ignored.
          [JSON.parse('{"__proto__":{"scopes":["x"]},"constructor":1,"id":"mine"}'), {}]
        ]
        const created: Array<object> = []
        for (const [given, expected = given] of kept) {
          const key = apiKey({ name: "n", ...expected })
          const answer = yield* create({ name: "n", ...given })
          expect([answer.status, answer.body]).toStrictEqual([201, { apiKey: key, token: aToken }])
          created.unshift(key)
        }
        expect((yield* list()).body).toStrictEqual({ apiKeys: created })
      })
    )

    it.effect("400 naming the first field that is wrong, and no key is made", () =>
      Effect.gen(function* () {
        const { create, list } = yield* manager
        const refused: ReadonlyArray<readonly [json: object, error: string]> = [
          [{ name: null, scopes: 1, expiresAt: "soon" }, "name is required"],
          [{ name: " \t\n\u00a0" }, "name is required"],
          [{ name: 1 }, "name is required"],
          [{ name: "n".repeat(201) }, "name must be at most 200 characters"],
          [{ name: "a\u0000b" }, "name must not contain U+0000 or lone surrogates"],
          [{ name: "\udc00a" }, "name must not contain U+0000 or lone surrogates"],
          ...[
            "*",
            { 0: "kyc", length: 1 },
            ["kyc", 1],
            ["kyc", ""],
            [...hundred, "one:more"],
            ["s".repeat(201)],
            ["\ud800"]
          ].map((scopes) => [{ scopes }, scopesError] as const),
          ...[
            "",
            "2025-02-29",
            "2026-11-20T10:00:00+25:00",
            " 2999-01-01",
            1795168800000,
            ["2999-01-01"]
          ].map((expiresAt) => [{ expiresAt }, dates] as const)
        ]
        for (const [json, error] of refused) {
          const answer = yield* create({ name: "n", ...json })
          expect([json, answer.status, answer.body]).toStrictEqual([json, 400, { error }])
        }
        expect((yield* list()).body).toStrictEqual({ apiKeys: [] })
      })
    )

    it.effect("stored: the SHA-256 of the token and its prefix, never the token", () =>
      Effect.gen(function* () {
        const { create, sql } = yield* manager
        const { body } = yield* create({ name: "n" })
        const token = text(body, "token")
        const [stored] = yield* sql("select * from api_keys where id = $1", [text(body, "apiKey", "id")])
        expect(stored?.token_hash).toEqual(
          Buffer.from(new Bun.CryptoHasher("sha256").update(token).digest().buffer)
        )
        expect(stored?.token_prefix).toBe(token.slice(0, 8))
        expect(JSON.stringify(stored)).not.toContain(token.slice(8))
      })
    )
  })

  describe("GET /api/api-keys", () => {
    it.effect("list: newest first, keys in every state with activeNow, no secret", () =>
      Effect.gen(function* () {
        const { create, list, revoke } = yield* manager
        const expired = (yield* create({ name: "expired", expiresAt: "2020-01-01" })).body
        const revoked = (yield* create({ name: "revoked" })).body
        const both = (yield* create({ name: "both", expiresAt: "2020-01-01" })).body
        const active = (yield* create({ name: "active", scopes: [], expiresAt: "2999-01-01" })).body
        for (const body of [revoked, both]) yield* revoke(text(body, "apiKey", "id"))
        const answer = yield* list()
        expect(answer.status).toBe(200)
        expect(answer.body).toStrictEqual({
          apiKeys: [
            field(active, "apiKey"),
            { ...Object(field(both, "apiKey")), revoked_at: anInstant },
            { ...Object(field(revoked, "apiKey")), revoked_at: anInstant, activeNow: false },
            field(expired, "apiKey")
          ]
        })
        for (const body of [expired, revoked, both, active]) {
          expect(answer.text).not.toContain(text(body, "token").slice(8))
        }
      })
    )

    it.effect("with limit or cursor: a page; the pages together are the list", () =>
      Effect.gen(function* () {
        const { create, list, server, member } = yield* manager
        for (const name of ["a", "b", "c", "d", "e"]) yield* create({ name })
        const { apiKeys } = Object((yield* list()).body)
        const page = (query: Record<string, string>) =>
          Effect.map(
            send(server, "GET", `/api/api-keys?${new URLSearchParams(query)}`, {
              headers: { cookie: member.cookie }
            }),
            ({ body }) => Object(body)
          )
        const first = yield* page({ limit: "2" })
        const second = yield* page({ limit: "2", cursor: first.next_cursor })
        const third = yield* page({ cursor: second.next_cursor })
        expect([first.apiKeys, second.apiKeys, third.apiKeys].map(({ length }) => length)).toEqual([2, 2, 1])
        expect([...first.apiKeys, ...second.apiKeys, ...third.apiKeys]).toEqual(apiKeys)
        expect(third).toStrictEqual({ apiKeys: third.apiKeys, next_cursor: null })
        expect(yield* page({ limit: "5" })).toStrictEqual({ apiKeys, next_cursor: null })
      })
    )

    it.effect("a key belongs to its creator's company", () =>
      Effect.gen(function* () {
        const mine = yield* manager
        const other = yield* manager
        yield* mine.create({ name: "mine" })
        expect((yield* other.list()).body).toStrictEqual({ apiKeys: [] })
        expect((yield* other.stats()).body).toStrictEqual({
          stats: { total: 0, active: 0, revoked_or_disabled: 0, used_last_24h: 0 }
        })
      })
    )
  })

  describe("GET /api/api-keys/stats", () => {
    it.effect("counts active, revoked and used keys; an expired key counts only in the total", () =>
      Effect.gen(function* () {
        const { create, revoke, sql, stats } = yield* manager
        const made = (name: string, expiresAt?: string) =>
          Effect.map(create({ name, expiresAt }), ({ body }) => text(body, "apiKey", "id"))
        const usedBefore = (id: string, interval: string) =>
          sql("update api_keys set last_used_at = now() - $2::interval where id = $1", [id, interval])
        yield* made("active")
        yield* usedBefore(yield* made("active until", "2999-01-01"), "23 hours")
        yield* usedBefore(yield* made("long unused"), "25 hours")
        yield* usedBefore(yield* made("expired", "2020-01-01"), "1 second")
        yield* made("expired and unused", "2020-01-01")
        const revoked = yield* made("revoked")
        const both = yield* made("expired and revoked", "2020-01-01")
        for (const id of [revoked, both]) yield* revoke(id)
        yield* usedBefore(revoked, "1 hour")
        const answer = yield* stats()
        expect([answer.status, answer.body]).toStrictEqual([
          200,
          { stats: { total: 7, active: 3, revoked_or_disabled: 2, used_last_24h: 3 } }
        ])
      })
    )
  })

  describe("POST /api/api-keys/:id/revoke", () => {
    it.effect("200, and revoked_at is set; a second revocation leaves it unchanged", () =>
      Effect.gen(function* () {
        const { create, list, revoke, sql } = yield* manager
        const id = text((yield* create({ name: "n" })).body, "apiKey", "id")
        const first = yield* revoke(id)
        expect([first.status, first.body]).toStrictEqual([200, { ok: true }])
        expect((yield* list()).body).toStrictEqual({
          apiKeys: [apiKey({ name: "n", activeNow: false, revoked_at: anInstant })]
        })
        yield* sql("update api_keys set revoked_at = '2026-01-02T03:04:05.678Z' where id = $1", [id])
        const answer = yield* revoke(id.toUpperCase())
        expect([answer.status, answer.body]).toStrictEqual([200, { ok: true }])
        expect((yield* list()).body).toStrictEqual({
          apiKeys: [apiKey({ name: "n", activeNow: false, revoked_at: "2026-01-02T03:04:05.678Z" })]
        })
      })
    )

    it.effect("50 concurrent revocations: all answer 200, with one revoked_at", () =>
      Effect.gen(function* () {
        const { create, revoke, sql } = yield* manager
        const id = text((yield* create({ name: "n" })).body, "apiKey", "id")
        const revokedAt = sql("select revoked_at from api_keys where id = $1", [id])
        const answers = yield* Effect.all(
          Array.from({ length: 50 }, () => Effect.zip(revoke(id), revokedAt)),
          { concurrency: "unbounded" }
        )
        const [final] = yield* revokedAt
        expect(final?.revoked_at).toBeInstanceOf(Date)
        for (const [answer, [row]] of answers) {
          expect([answer.status, answer.body]).toStrictEqual([200, { ok: true }])
          expect(row).toStrictEqual(final)
        }
      })
    )
  })
})
