/** How much Postgres writes for a session: bytes of its log (WAL), and of indexes. */
import { Effect, type Redacted } from "effect"
import {
  createInstance,
  createKey,
  createSession,
  field,
  send,
  signUp,
  type TestSession
} from "../../support/client.ts"
import { execute } from "../../support/postgres.ts"
import { doorlock, postgres } from "../servers.ts"
import { figure } from "../table.ts"

const count = 1000

/** As measured on 2026-11-24, before the tables were changed to need less. The goal is half of each. */
const former = { created: 2960, indexes: 740, started: 2810, progress: 750, completed: 3010 }

const one = (url: Redacted.Redacted, sql: string) =>
  Effect.map(execute(url, `select (${sql})::float8 as value`), ([row]) => Number(field(row, "value")))

const print = (what: string, bytes: number, goal: number) =>
  figure(what, `${bytes.toFixed(0)} B`, `${goal} B`, bytes <= goal)

/** One request at a time, so that no two share a transaction. Images of whole pages are off: how many there are depends on checkpoints. */
export const written = Effect.gen(function* () {
  const url = yield* postgres
  yield* execute(url, "alter system set full_page_writes = off")
  yield* execute(url, "alter system set autovacuum = off")
  yield* execute(url, "select pg_reload_conf()")
  const service = { ...(yield* doorlock(url)), databaseUrl: url }
  const member = yield* signUp(service)
  const key = (yield* createKey(service, member)).token
  const instance = (yield* createInstance(service, member)).id

  const position = one(url, "pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
  const indexes = one(
    url,
    "select sum(pg_indexes_size(c.oid)) from pg_class c where c.relname ~ '^kyc_session' and c.relkind = 'r'"
  )
  /** What `acts` writes, for each session. */
  const cost = <A, E, R>(measure: Effect.Effect<number, E, R>, acts: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const before = yield* measure
      const result = yield* acts
      return [result, ((yield* measure) - before) / count] as const
    })
  const each = (sessions: ReadonlyArray<TestSession>, name: string, fields: object) =>
    Effect.forEach(
      sessions,
      ({ path, token }) =>
        Effect.filterOrDieMessage(
          send(service, "POST", `${path}/${name}`, { json: { token, ...fields } }),
          ({ status }) => status === 200,
          `${name} failed`
        ),
      { discard: true }
    )

  // The first fill pages and caches.
  yield* Effect.replicateEffect(createSession(service, key, instance), 100)
  const [[sessions, created], ofIndexes] = yield* cost(
    indexes,
    cost(
      position,
      Effect.replicateEffect(
        createSession(service, key, instance, { externalReference: "customer-42" }),
        count
      )
    )
  )
  const [, started] = yield* cost(
    position,
    each(sessions, "progress", { status: "running", progress: { s_a: { a: "Ada" } } })
  )
  const [, progressed] = yield* cost(
    position,
    each(sessions, "progress", { status: "running", progress: { s_b: { b: "Ada" } } })
  )
  const [, completed] = yield* cost(
    position,
    each(sessions, "complete", { result: { outcome: "submitted" } })
  )
  yield* print("WAL of a session's creation", created, former.created / 2)
  yield* print("indexes of a created session", ofIndexes, former.indexes / 2)
  yield* print("WAL of a session's start", started, former.started / 2)
  yield* print("WAL of further progress", progressed, former.progress / 2)
  yield* print("WAL of a completion", completed, former.completed / 2)
})
