import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, type Redacted } from "effect"
import { createInstance, createKey, type Member, send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { sized } from "../support/run/fault-size.ts"
import { type RunningServer, startServerOn } from "../support/server.ts"

const invalid = [401, { error: "Invalid API key" }]

const listeners =
  "select pid from pg_stat_activity where query = 'listen doorlock_changes' and datname = current_database()"

const listening = (databaseUrl: Redacted.Redacted<string>, processes: number) =>
  eventually(
    `${processes} listen`,
    Effect.map(execute(databaseUrl, listeners), (rows) => rows.length === processes)
  )

/** Two servers in this process, as if in two processes, on one database, and a company. */
const replicas = Effect.gen(function* () {
  const databaseUrl = yield* freshDatabase
  const first = yield* startServerOn(databaseUrl)
  yield* listening(databaseUrl, 1)
  const [listenerOfFirst] = yield* execute(databaseUrl, listeners)
  const second = yield* startServerOn(databaseUrl)
  yield* listening(databaseUrl, 2)
  const member = yield* signUp(first)
  const instance = yield* createInstance(first, member)
  const use = (server: RunningServer, token: string) =>
    send(server, "POST", "/api/kyc/public/sessions", {
      headers: { "x-api-key": token },
      json: { instanceId: instance.id }
    })
  return { databaseUrl, first, second, listenerOfFirst, member, use }
})

const revoke = (server: RunningServer, member: Member, id: string) =>
  Effect.map(
    send(server, "POST", `/api/api-keys/${id}/revoke`, { headers: { cookie: member.cookie } }),
    ({ body, status }) => expect([status, body]).toStrictEqual([200, { ok: true }])
  )

/** Creates a key that both have cached and have accepted from the cache. */
const warmKey = ({ first, member, second, use }: Effect.Effect.Success<typeof replicas>) =>
  Effect.gen(function* () {
    const key = yield* createKey(first, member)
    for (const server of [first, second, first, second])
      expect((yield* use(server, key.token)).status).toBe(201)
    return key
  })

/** Once the other server refuses the key, it never accepts it again. `bun run bench revocation` measures how soon. */
const soonRefused = ({ second, use }: Effect.Effect.Success<typeof replicas>, token: string) =>
  Effect.gen(function* () {
    yield* eventually(
      "the other process refuses the key",
      Effect.map(use(second, token), ({ status }) => status === 401)
    )
    for (let i = 0; i < 5; i++) {
      const answer = yield* use(second, token)
      expect([answer.status, answer.body]).toStrictEqual(invalid)
    }
  })

describe("Every replica refuses a revoked key (contract.md#key-revocation)", () => {
  it.scopedLive(
    "at once in the process that revoked it, and soon in the other, while both are busy, also with this key",
    () =>
      Effect.gen(function* () {
        const both = yield* replicas
        const busy = yield* createKey(both.first, both.member)
        const load = (token: string, answers = { count: 0 }) =>
          Effect.forEach([both.first, both.second, both.first, both.second], (server) =>
            both.use(server, token).pipe(
              Effect.map(() => answers.count++),
              Effect.forever,
              Effect.fork
            )
          )
        yield* load(busy.token)
        for (let round = 0; round < sized(2, 100); round++) {
          const key = yield* warmKey(both)
          const answers = { count: 0 }
          const own = yield* load(key.token, answers)
          yield* eventually("it is used", () => answers.count >= 8)
          yield* revoke(both.first, both.member, key.id)
          const answer = yield* both.use(both.first, key.token)
          expect([answer.status, answer.body]).toStrictEqual(invalid)
          yield* soonRefused(both, key.token)
          yield* Fiber.interruptAll(own)
        }
      })
  )

  it.scopedLive("while no process can listen: every request queries the database", () =>
    Effect.gen(function* () {
      const both = yield* replicas
      const key = yield* warmKey(both)
      const cutAll = execute(
        both.databaseUrl,
        `select pg_terminate_backend(pid) from (${listeners}) as listening`
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.forkScoped(Effect.forever(cutAll))
          expect((yield* both.use(both.second, key.token)).status).toBe(201)
          yield* revoke(both.first, both.member, key.id)
          yield* soonRefused(both, key.token)
        })
      )
    })
  )
})
