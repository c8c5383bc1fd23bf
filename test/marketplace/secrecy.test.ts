/** Keys at rest, in logs, and in each other's place. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, onboard, send, signUp } from "../support/client.ts"
import { routes, scopesOf } from "../support/contract.ts"
import { withoutTable } from "../support/database/outage.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { refusal, statusAndBody } from "../support/kyc/partner.ts"
import { createdKey, marketplaceOn, subscribed, subscription } from "../support/marketplace/subscriptions.ts"
import { execute } from "../support/postgres.ts"
import { startHere } from "../support/program-here.ts"
import { type RunningServer, startServer, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

/** Every row of every table as Postgres writes it as text: bytes are in hex there. */
const dump = ({ databaseUrl }: RunningServer) =>
  Effect.gen(function* () {
    const tables = yield* execute(
      databaseUrl,
      "select format('%I', tablename) as name from pg_tables where schemaname = 'public' order by 1"
    )
    const dumped = yield* Effect.all(
      tables.map(({ name }) => execute(databaseUrl, `select t::text as line from ${name} t`))
    )
    return dumped.flat().map(({ line }) => String(line))
  })

const pieces = (text: string, length: number) =>
  Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length))

it.scopedLive(
  "a dump of the whole database contains no token, no 12 characters of one, and no Idempotency-Key",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { api, createKey: newKey, rotate, subscribe } = yield* marketplaceOn(server)
      const idempotencyKey = crypto.randomUUID()
      const first = subscribed(yield* subscribe(api, {}, idempotencyKey))
      expect(subscribed(yield* subscribe(api, {}, idempotencyKey)).token).toBe(first.token)
      const live = createdKey(yield* newKey(first.id))
      const test = createdKey(yield* newKey(first.id, { name: "t", mode: "test" }))
      const rotated = createdKey(yield* rotate(live.id))

      const lines = (yield* dump(server)).join("\n")
      for (const { token } of [first, live, test, rotated]) {
        // The search finds what is there.
        expect(lines).toContain(createHash("sha256").update(token).digest("hex"))
        expect(lines).toContain(token.slice(0, 12))
        for (const piece of pieces(token.slice("dk_live_".length), 12)) {
          for (const form of [piece, Buffer.from(piece).toString("hex")]) expect(lines).not.toContain(form)
        }
      }
      const bytes = Buffer.from(idempotencyKey.replaceAll("-", ""), "hex")
      expect(lines).toContain(createHash("sha256").update(idempotencyKey).digest("hex"))
      for (const form of [
        idempotencyKey,
        Buffer.from(idempotencyKey).toString("hex"),
        bytes.toString("hex")
      ]) {
        expect(lines).not.toContain(form)
      }
    })
)

it.scopedLive("tokens and Idempotency-Keys are never in the output, even when things fail", () =>
  Effect.gen(function* () {
    const program = yield* startHere(yield* freshDatabase, {
      SIGNUP: "open",
      SEED_DEMO: "false",
      LOG_LEVEL: "trace",
      LOG_FORMAT: "json"
    })
    const { api, createKey: newKey, rotate, subscribe } = yield* marketplaceOn(program)
    const key = crypto.randomUUID()
    const first = subscribed(yield* subscribe(api, {}, key))
    const second = createdKey(yield* rotate(first.keyId))
    const failing = yield* withoutTable(
      program,
      "marketplace_keys",
      Effect.all([newKey(first.id), rotate(second.id)])
    )
    const lost = yield* withoutTable(program, "idempotent_answers", subscribe(api, {}, key))
    for (const { status } of [...failing, lost]) expect(status).toBe(500)
    yield* send(program, "GET", `/api/api-keys?key=${first.token}`, {
      headers: { "x-api-key": second.token }
    })
    yield* send(program, "GET", "/healthz", { headers: { "x-request-id": "the-last-one" } })
    yield* eventually("the last request is logged", () => program.output().includes("the-last-one"))
    expect(program.output().split("Request failed").length).toBe(4)
    for (const secret of [first.token, second.token, key]) expect(program.output()).not.toContain(secret)
  })
)

suite(TestServer.layer)(
  "Platform keys and marketplace keys are not interchangeable (contract.md#platform-key)",
  (it) => {
    const headers = (token: string) => [
      { "x-api-key": token },
      { authorization: `Bearer ${token}` },
      { cookie: `dashboard_session=${token}` }
    ]

    describe("marketplace keys, live and test, are refused by every route of the API that requires a credential", () => {
      it.effect("by key or dashboard session: 401", () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const given = yield* subscription(server)
          const test = createdKey(yield* given.createKey(given.id, { name: "t", mode: "test" }))
          const guarded = routes.filter(({ credential }) => credential !== "none")
          expect(guarded.length).toBeGreaterThan(15)
          for (const { credential, method, name, pattern } of guarded) {
            for (const token of [given.token, test.token]) {
              for (const header of headers(token)) {
                const path = pattern.replaceAll(/:\w+/g, given.id)
                const answer = yield* send(server, method, path, {
                  headers: { ...header, "idempotency-key": crypto.randomUUID() }
                })
                const errors = credential === "key" ? ["Invalid API key", "Unauthorized"] : ["Unauthorized"]
                expect({ name, ...statusAndBody(answer) }).toStrictEqual({
                  name,
                  status: 401,
                  body: { error: expect.toBeOneOf(errors) }
                })
              }
            }
          }
          expect((yield* given.keys(given.id)).body).toMatchObject({
            apiKeys: [{ activeNow: true }, { activeNow: true }]
          })
        })
      )

      it.effect("as token of a KYC session: 404 Session not found", () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const { token } = yield* subscription(server)
          const { session } = yield* onboard(server)
          expect(statusAndBody(yield* send(server, "GET", `${session.path}?token=${token}`))).toStrictEqual(
            refusal(404, "Session not found")
          )
        })
      )
    })

    // How the gateway refuses platform keys: test/marketplace/subscriptions/verification.test.ts, and through its routes.
    it.effect(
      "platform keys are refused by every route of the marketplace that takes none, or that they do not name the scope of",
      () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const member = yield* signUp(server)
          const { token } = yield* createKey(server, member)
          const marketplace = routes.filter(
            ({ credential, pattern }) => pattern.startsWith("/api/api-marketplace/") && credential !== "none"
          )
          expect(marketplace.length).toBeGreaterThanOrEqual(8)
          for (const route of marketplace) {
            const { method, name, pattern } = route
            const [scope] = scopesOf(route)
            for (const header of headers(token)) {
              const answer = yield* send(server, method, pattern.replaceAll(/:\w+/g, crypto.randomUUID()), {
                headers: { ...header, "idempotency-key": crypto.randomUUID() }
              })
              const isRead = scope !== undefined && !("cookie" in header)
              expect({ name, ...statusAndBody(answer) }).toStrictEqual({
                name,
                ...(isRead
                  ? refusal(403, `API key does not have the scope ${scope}`)
                  : refusal(401, "Unauthorized"))
              })
              expect([name, answer.headers.get("doorlock-reason")]).toStrictEqual([
                name,
                isRead || "cookie" in header ? null : "needs-signed-in-user"
              ])
            }
          }
        })
    )
  }
)
