import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, field, send, signUp, text } from "../support/client.ts"
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

const routes = [
  ["GET", "/api/api-keys"],
  ["POST", "/api/api-keys"],
  ["GET", "/api/api-keys/stats"],
  ["POST", "/api/api-keys/00000000-0000-7000-8000-000000000000/revoke"]
] as const

suite(TestServer.layer)("platform API keys", (it) => {
  describe("authentication: the dashboard session, not an API key", () => {
    for (const [method, path] of routes) {
      it.effect(`${method} ${path} without a credential: 401 Unauthorized`, () =>
        Effect.gen(function* () {
          const answer = yield* send(yield* TestServer, method, path)
          expect([answer.status, answer.body]).toStrictEqual([401, { error: "Unauthorized" }])
        })
      )

      it.effect(`${method} ${path} with a platform key: 401 Unauthorized`, () =>
        Effect.gen(function* () {
          const { member, server } = yield* manager
          const { token } = yield* createKey(server, member)
          for (const headers of [{ "x-api-key": token }, { authorization: `Bearer ${token}` }]) {
            const answer = yield* send(server, method, path, { headers })
            expect([answer.status, answer.body]).toStrictEqual([401, { error: "Unauthorized" }])
          }
        })
      )
    }

    it.effect("POST: the credential is checked before the body", () =>
      Effect.gen(function* () {
        const answer = yield* send(yield* TestServer, "POST", "/api/api-keys", { body: "{" })
        expect([answer.status, answer.body]).toStrictEqual([401, { error: "Unauthorized" }])
      })
    )

    for (const [method, path, allow] of [
      ["DELETE", "/api/api-keys", "GET, HEAD, POST"],
      ["POST", "/api/api-keys/stats", "GET, HEAD"],
      ["GET", "/api/api-keys/x/revoke", "POST"]
    ] as const) {
      it.effect(`${method} ${path}: 405 Method not allowed, with Allow`, () =>
        Effect.gen(function* () {
          const answer = yield* send(yield* TestServer, method, path)
          expect([answer.status, answer.body]).toStrictEqual([405, { error: "Method not allowed" }])
          expect(answer.headers.get("allow")).toBe(allow)
        })
      )
    }
  })

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

    it.effect("201 with every field", () =>
      Effect.gen(function* () {
        const { create } = yield* manager
        const scopes = ["kyc:sessions:create", "kyc:sessions:read"]
        const answer = yield* create({ name: " Server ", scopes, expiresAt: "2999-12-31T10:00:00+01:00" })
        expect(answer.status).toBe(201)
        expect(answer.body).toStrictEqual({
          apiKey: apiKey({ name: "Server", scopes, expiresAt: "2999-12-31T09:00:00.000Z" }),
          token: aToken
        })
      })
    )

    it.effect("unknown body fields are ignored, even with unusual names", () =>
      Effect.gen(function* () {
        const { create } = yield* manager
        const answer = yield* create(
          JSON.parse(
            `{"name":"n","__proto__":{"scopes":["x"]},"constructor":1,"id":"mine","revoked_at":"2020-01-01"}`
          )
        )
        expect(answer.status).toBe(201)
        expect(answer.body).toStrictEqual({ apiKey: apiKey({ name: "n" }), token: aToken })
      })
    )

    describe("name", () => {
      const given: ReadonlyArray<readonly [string, object]> = [
        ["missing", {}],
        ["null", { name: null }],
        ["empty", { name: "" }],
        ["only white space", { name: " \t\n\u00a0" }],
        ["a number", { name: 1 }],
        ["an array", { name: ["n"] }],
        ["an object", { name: {} }],
        ["missing, with everything else wrong too", { scopes: 1, expiresAt: "soon" }]
      ]
      for (const [what, json] of given) {
        it.effect(`${what}: 400 name is required`, () =>
          Effect.gen(function* () {
            const { create, list } = yield* manager
            const answer = yield* create(json)
            expect([answer.status, answer.body]).toStrictEqual([400, { error: "name is required" }])
            expect((yield* list()).body).toStrictEqual({ apiKeys: [] })
          })
        )
      }

      it.effect("no body: 400 name is required", () =>
        Effect.gen(function* () {
          const { member, server } = yield* manager
          const answer = yield* send(server, "POST", "/api/api-keys", { headers: { cookie: member.cookie } })
          expect([answer.status, answer.body]).toStrictEqual([400, { error: "name is required" }])
        })
      )

      it.effect("200 characters after trimming: accepted", () =>
        Effect.gen(function* () {
          const { create } = yield* manager
          const answer = yield* create({ name: ` ${"n".repeat(200)} ` })
          expect(answer.status).toBe(201)
          expect(field(answer.body, "apiKey")).toStrictEqual(apiKey({ name: "n".repeat(200) }))
        })
      )

      it.effect("201 characters: 400 name must be at most 200 characters", () =>
        Effect.gen(function* () {
          const { create } = yield* manager
          const answer = yield* create({ name: "n".repeat(201) })
          expect([answer.status, answer.body]).toStrictEqual([
            400,
            { error: "name must be at most 200 characters" }
          ])
        })
      )

      for (const name of ["a\u0000b", "a\ud800", "\udc00a"]) {
        it.effect(`${JSON.stringify(name)}, which Postgres cannot hold: 400 naming the field`, () =>
          Effect.gen(function* () {
            const { create } = yield* manager
            const answer = yield* create({ name })
            expect([answer.status, answer.body]).toStrictEqual([
              400,
              { error: "name must not contain U+0000 or lone surrogates" }
            ])
          })
        )
      }

      for (const name of ["O'Reilly \"&\\", "👩‍👩‍👧 Ключ مفتاح", "'; drop table api_keys; --", "{a,NULL}"]) {
        it.effect(`${name}: kept as it is`, () =>
          Effect.gen(function* () {
            const { create, list } = yield* manager
            expect(field((yield* create({ name })).body, "apiKey")).toStrictEqual(apiKey({ name }))
            expect((yield* list()).body).toStrictEqual({ apiKeys: [apiKey({ name })] })
          })
        )
      }
    })

    describe("scopes", () => {
      const hundred = Array.from({ length: 100 }, (_, i) => `scope:${i}`)
      const kept: ReadonlyArray<readonly [string, object, ReadonlyArray<string>]> = [
        ["omitted", {}, ["*"]],
        ["null", { scopes: null }, ["*"]],
        ["empty", { scopes: [] }, []],
        ["one", { scopes: ["kyc"] }, ["kyc"]],
        ["100", { scopes: hundred }, hundred],
        ["the same twice", { scopes: ["a", "a"] }, ["a", "a"]],
        [
          "what arrays in Postgres quote",
          { scopes: ['"', "\\", "{,}", "NULL", " "] },
          ['"', "\\", "{,}", "NULL", " "]
        ]
      ]
      for (const [what, json, scopes] of kept) {
        it.effect(`${what}: ${what === "100" ? "kept" : JSON.stringify(scopes)}`, () =>
          Effect.gen(function* () {
            const { create, list } = yield* manager
            const answer = yield* create({ name: "n", ...json })
            expect(answer.status).toBe(201)
            expect(answer.body).toStrictEqual({ apiKey: apiKey({ name: "n", scopes }), token: aToken })
            expect((yield* list()).body).toStrictEqual({ apiKeys: [apiKey({ name: "n", scopes })] })
          })
        )
      }

      const refused: ReadonlyArray<readonly [string, unknown]> = [
        ["a string", "*"],
        ["a number", 1],
        ["false", false],
        ["an object", { 0: "kyc", length: 1 }],
        ["an array with a number", ["kyc", 1]],
        ["an array with null", [null]],
        ["an array with an array", [["kyc"]]],
        ["an array with an empty string", ["kyc", ""]],
        ["101 entries", [...hundred, "one:more"]],
        ["U+0000 in an entry", ["a\u0000"]],
        ["a lone surrogate in an entry", ["\ud800"]]
      ]
      for (const [what, scopes] of refused) {
        it.effect(`${what}: 400 scopes must be an array of at most 100 strings`, () =>
          Effect.gen(function* () {
            const { create, list } = yield* manager
            const answer = yield* create({ name: "n", scopes })
            expect([answer.status, answer.body]).toStrictEqual([
              400,
              { error: "scopes must be an array of at most 100 strings" }
            ])
            expect((yield* list()).body).toStrictEqual({ apiKeys: [] })
          })
        )
      }
    })

    describe("expiresAt", () => {
      const kept: ReadonlyArray<readonly [unknown, string | null, boolean]> = [
        [undefined, null, true],
        [null, null, true],
        ["2999-01-01", "2999-01-01T00:00:00.000Z", true],
        ["2996-02-29", "2996-02-29T00:00:00.000Z", true],
        ["2999-01-01T10:00", "2999-01-01T10:00:00.000Z", true],
        ["2999-01-01T10:00:00.123456Z", "2999-01-01T10:00:00.123Z", true],
        ["2999-01-01T10:00:00-05:30", "2999-01-01T15:30:00.000Z", true],
        ["2999-01-01T10:00:00+0530", "2999-01-01T04:30:00.000Z", true],
        ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z", true],
        ["2020-01-01", "2020-01-01T00:00:00.000Z", false],
        ["1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z", false],
        ["0001-01-01", "0001-01-01T00:00:00.000Z", false],
        ["0000-01-01", "0000-01-01T00:00:00.000Z", false]
      ]
      for (const [expiresAt, instant, activeNow] of kept) {
        it.effect(`${expiresAt}: ${instant ?? "never"}${activeNow ? "" : ", born expired"}`, () =>
          Effect.gen(function* () {
            const { create, list } = yield* manager
            const answer = yield* create({ name: "n", expiresAt })
            expect(answer.status).toBe(201)
            const created = apiKey({ name: "n", expiresAt: instant, activeNow })
            expect(answer.body).toStrictEqual({ apiKey: created, token: aToken })
            expect((yield* list()).body).toStrictEqual({ apiKeys: [created] })
          })
        )
      }

      const refused: ReadonlyArray<unknown> = [
        "",
        "soon",
        "2025-02-29",
        "2026-02-30",
        "2026-02-30T10:00:00Z",
        "2026-13-01",
        "2026-11-20T25:00:00Z",
        "2026-11-20T10:00:00+25:00",
        "20/11/2026",
        "Fri, 20 Nov 2026 10:00:00 GMT",
        " 2999-01-01",
        "2999-01-01\u0000",
        1795168800000,
        true,
        {},
        ["2999-01-01"]
      ]
      for (const expiresAt of refused) {
        it.effect(`${JSON.stringify(expiresAt)}: 400 expiresAt must be an ISO date string`, () =>
          Effect.gen(function* () {
            const { create, list } = yield* manager
            const answer = yield* create({ name: "n", expiresAt })
            expect([answer.status, answer.body]).toStrictEqual([
              400,
              { error: "expiresAt must be an ISO date string" }
            ])
            expect((yield* list()).body).toStrictEqual({ apiKeys: [] })
          })
        )
      }
    })

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
    it.effect("200 of a company without keys", () =>
      Effect.gen(function* () {
        const { list } = yield* manager
        const answer = yield* list()
        expect([answer.status, answer.body]).toStrictEqual([200, { apiKeys: [] }])
      })
    )

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

    for (const [query, error] of [
      ["limit=0", "limit must be a whole number from 1 to 100"],
      ["limit=101", "limit must be a whole number from 1 to 100"],
      ["limit=", "limit must be a whole number from 1 to 100"],
      ["cursor=x", "cursor must be the next_cursor of another page"]
    ]) {
      it.effect(`400 ${error}: ${query}`, () =>
        Effect.gen(function* () {
          const { member, server } = yield* manager
          const answer = yield* send(server, "GET", `/api/api-keys?${query}`, {
            headers: { cookie: member.cookie }
          })
          expect([answer.status, answer.body]).toStrictEqual([400, { error }])
        })
      )
    }

    it.effect("activeNow turns false when expiresAt passes", () =>
      Effect.gen(function* () {
        const { create, list, sql } = yield* manager
        const id = text((yield* create({ name: "n", expiresAt: "2999-01-01" })).body, "apiKey", "id")
        yield* sql("update api_keys set expires_at = '2026-01-01T00:00:00Z' where id = $1", [id])
        expect((yield* list()).body).toStrictEqual({
          apiKeys: [apiKey({ name: "n", expiresAt: "2026-01-01T00:00:00.000Z", activeNow: false })]
        })
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
    it.effect("200 of a company without keys", () =>
      Effect.gen(function* () {
        const { stats } = yield* manager
        const answer = yield* stats()
        expect([answer.status, answer.body]).toStrictEqual([
          200,
          { stats: { total: 0, active: 0, revoked_or_disabled: 0, used_last_24h: 0 } }
        ])
      })
    )

    it.effect("counts active, revoked and used keys; an expired key counts only in the total", () =>
      Effect.gen(function* () {
        const { create, revoke, sql, stats } = yield* manager
        const made = (name: string, expiresAt?: string) =>
          Effect.map(create({ name, expiresAt }), ({ body }) => text(body, "apiKey", "id"))
        const usedBefore = (id: string, interval: string) =>
          sql("update api_keys set last_used_at = now() - $2::interval where id = $1", [id, interval])
        yield* made("active")
        yield* usedBefore(yield* made("active until", "2999-01-01"), "23 hours 59 minutes")
        yield* usedBefore(yield* made("long unused"), "24 hours 1 minute")
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
    it.effect("200, and revoked_at is set", () =>
      Effect.gen(function* () {
        const { create, list, revoke } = yield* manager
        const id = text((yield* create({ name: "n" })).body, "apiKey", "id")
        const answer = yield* revoke(id)
        expect([answer.status, answer.body]).toStrictEqual([200, { ok: true }])
        expect((yield* list()).body).toStrictEqual({
          apiKeys: [apiKey({ name: "n", activeNow: false, revoked_at: anInstant })]
        })
      })
    )

    it.effect("a second revocation answers 200 and leaves revoked_at unchanged", () =>
      Effect.gen(function* () {
        const { create, list, revoke, sql } = yield* manager
        const id = text((yield* create({ name: "n" })).body, "apiKey", "id")
        yield* revoke(id)
        yield* sql("update api_keys set revoked_at = '2026-01-02T03:04:05.678Z' where id = $1", [id])
        const answer = yield* revoke(id.toUpperCase())
        expect([answer.status, answer.body]).toStrictEqual([200, { ok: true }])
        expect((yield* list()).body).toStrictEqual({
          apiKeys: [apiKey({ name: "n", activeNow: false, revoked_at: "2026-01-02T03:04:05.678Z" })]
        })
      })
    )

    it.effect("an expired key can be revoked", () =>
      Effect.gen(function* () {
        const { create, revoke, stats } = yield* manager
        const id = text((yield* create({ name: "n", expiresAt: "2020-01-01" })).body, "apiKey", "id")
        const answer = yield* revoke(id)
        expect([answer.status, answer.body]).toStrictEqual([200, { ok: true }])
        expect((yield* stats()).body).toStrictEqual({
          stats: { total: 1, active: 0, revoked_or_disabled: 1, used_last_24h: 0 }
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

    it.effect("404 API key not found: a key of another company, which stays unchanged", () =>
      Effect.gen(function* () {
        const mine = yield* manager
        const other = yield* manager
        const { body } = yield* mine.create({ name: "mine" })
        const answer = yield* other.revoke(text(body, "apiKey", "id"))
        expect([answer.status, answer.body]).toStrictEqual([404, { error: "API key not found" }])
        expect((yield* mine.list()).body).toStrictEqual({ apiKeys: [field(body, "apiKey")] })
      })
    )

    const unknown = [
      "00000000-0000-7000-8000-000000000000",
      "1",
      "x",
      "%00",
      "%F0%9F%94%91",
      "' or true --".replaceAll(" ", "%20"),
      "{00000000-0000-7000-8000-000000000000}",
      "00000000000070008000000000000000",
      "stats",
      "__proto__",
      "..%2F..",
      "0".repeat(4_000)
    ]
    for (const id of unknown) {
      it.effect(`404 API key not found: the id ${id.slice(0, 40)}`, () =>
        Effect.gen(function* () {
          const { revoke } = yield* manager
          const answer = yield* revoke(id)
          expect([answer.status, answer.body]).toStrictEqual([404, { error: "API key not found" }])
        })
      )
    }
  })
})
