/** A URL that names several hosts: each connection is to one that answers and is accepted, also when another takes its place. */
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { Changes } from "../../src/db/changes.ts"
import { connect } from "../../src/db/connection.ts"
import * as Database from "../../src/db/database.ts"
import { Connector } from "../../src/db/driver/servers.ts"
import { isPassing, orDie } from "../../src/db/sql.ts"
import { newToken } from "../../src/secrets/token.ts"
import { Timing } from "../../src/shared/timing.ts"
import { createInstance, createKey, send, signUp } from "../support/client.ts"
import { proxied, type TcpProxy } from "../support/database/tcp-proxy.ts"
import { emptyDatabase, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { openBlackHole } from "../support/machine/black-hole.ts"
import { execute } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"
import { patientTiming, withTimes } from "../support/timing.ts"

const partsOf = (url: Redacted.Redacted<string>) => new URL(Redacted.value(url))

/** One URL for all of them. */
const together = (urls: ReadonlyArray<Redacted.Redacted<string>>, query = "") => {
  const [first] = urls.map(partsOf)
  const hosts = urls.map((url) => partsOf(url).host).join(",")
  return Redacted.make(`postgres://${first?.username}:${first?.password}@${hosts}${first?.pathname}${query}`)
}

/** The place of a server in the list: the port on this side of its connections. */
const placeIn = (proxies: ReadonlyArray<TcpProxy>, port: number) =>
  proxies.findIndex(({ url }) => partsOf(url).port === String(port))

const proxiesOf = (url: Redacted.Redacted<string>, count: number) =>
  Effect.replicateEffect(proxied(url), count)

/** However late the first server answers, the next one is tried only if that refuses. */
const oneAfterTheOther = withTimes({ pauses: { "db.next_server": 60_000 } })

const pool = (url: Redacted.Redacted<string>) =>
  Effect.map(Layer.build(Database.layer({ url, maxConnections: 3 })), (context) =>
    Context.get(context, SqlClient.SqlClient)
  ).pipe(oneAfterTheOther)

/** New connections to this database can only read. */
const readOnly = (url: Redacted.Redacted<string>) =>
  execute(url, `alter database ${partsOf(url).pathname.slice(1)} set default_transaction_read_only = on`)

/** Ends the connections that others have to this database, as a server does that stops. */
const endConnections = (url: Redacted.Redacted<string>) =>
  execute(
    url,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'doorlock'"
  )

describe("a connection", () => {
  it.scopedLive("is to the first server that answers, and the next one begins with that", () =>
    Effect.gen(function* () {
      const proxies = yield* proxiesOf(yield* emptyDatabase, 3)
      const urls = proxies.map(({ url }) => Redacted.value(url))
      const timing = yield* oneAfterTheOther(Timing)
      const connector = new Connector({ urls, accepted: "read-write" }, timing, timing.timeout("db.connect"))
      const { Client } = yield* Effect.promise(() => import("pg"))
      const asked: Array<number> = []
      const placeBy = (connector: Connector) =>
        Effect.promise(async () => {
          const client = await connector.open((connectionString) => {
            const made = new Client({ connectionString })
            asked.push(placeIn(proxies, made.port))
            return made
          }).connected
          await client.end()
          return placeIn(proxies, client.port)
        })
      const place = placeBy(connector)
      expect([yield* place, asked.splice(0)]).toEqual([0, [0]])
      yield* proxies[0]?.refuse ?? Effect.void
      expect([yield* place, asked.splice(0)]).toEqual([1, [0, 1]])
      expect([yield* place, asked.splice(0)]).toEqual([1, [1]])
      // A machine that hangs neither answers nor refuses.
      yield* proxies[1]?.hold ?? Effect.void
      const ofLast = { urls: urls.slice(1), accepted: "read-write" } as const
      const hurried = new Connector(ofLast, patientTiming, patientTiming.timeout("db.connect"))
      expect([yield* placeBy(hurried), asked.splice(0)]).toEqual([2, [1, 2]])
      yield* proxies[1]?.release ?? Effect.void
      for (const { refuse } of proxies) yield* refuse
      const failed = yield* Effect.exit(
        Effect.tryPromise(
          () => connector.open((connectionString) => new Client({ connectionString })).connected
        )
      )
      expect(Exit.isFailure(failed)).toBe(true)
    })
  )

  it.scopedLive("passes over a machine that is gone, and says why no server was accepted", () =>
    Effect.gen(function* () {
      const { url } = yield* proxied(yield* emptyDatabase)
      const { port } = yield* openBlackHole
      const gone = partsOf(url)
      gone.host = `127.0.0.1:${port}`
      const both = [Redacted.make(gone.href), url]
      const connected = yield* connect(together(both, "?target_session_attrs=read-write"))
      expect(String(connected.port)).toBe(partsOf(url).port)
      yield* readOnly(url)
      const { message } = yield* Effect.flip(
        connect(together([url, url], "?target_session_attrs=read-write"))
      )
      const { host } = partsOf(url)
      expect(message).toBe(`No server takes connections (${host}: it is read-only; ${host}: it is read-only)`)
      // One that is no standby is enough for `primary`.
      expect((yield* connect(together([url, url]))).port).toBe(connected.port)
    })
  )
})

describe("statements", () => {
  it.scopedLive("wait until a server takes connections, which is looked for again and again", () =>
    Effect.gen(function* () {
      const direct = yield* emptyDatabase
      yield* execute(direct, "create table books (id int primary key)")
      let searches = 0
      const proxies = yield* Effect.replicateEffect(
        proxied(direct, async () => {
          searches++
        }),
        2
      )
      const sql = yield* pool(together(proxies.map(({ url }) => url)))
      for (const { refuse } of proxies) yield* refuse
      const waiting = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 20 }, (_, id) => sql`insert into books values (${id})`),
          { concurrency: "unbounded" }
        )
      )
      yield* eventually("servers are looked for again", () => searches > 10)
      yield* proxies[1]?.forward ?? Effect.void
      yield* Fiber.join(waiting)
      expect(yield* sql`select count(*)::int as books from books`).toEqual([{ books: 20 }])
    })
  )

  it.scopedLive("are sent to the server that leads now, and to none that led before and still answers", () =>
    Effect.gen(function* () {
      const direct = yield* emptyDatabase
      let hasMoved = false
      // It takes no new connections once another leads, but keeps those that it has.
      const first = yield* proxied(direct, async () => {
        if (hasMoved) throw new Error("It leads no more")
      })
      const sql = yield* pool(together([first.url, direct]))
      const holder = yield* connect(direct)
      const lock = (statement: string) => Effect.promise(() => holder.query(statement))
      const pid = sql<{ pid: number }>`select pg_backend_pid() as pid where ${true}`
      const waits = sql<{ pid: number }>`
        select pg_backend_pid() as pid, pg_advisory_xact_lock_shared(${1}::int)::text as locked`
      yield* lock("select pg_advisory_lock(1)")
      const before = yield* Effect.fork(Effect.all([waits, waits], { concurrency: "unbounded" }))
      yield* eventually(
        "both wait",
        Effect.map(
          execute(
            direct,
            `select from pg_locks where locktype = 'advisory' and not granted
               and database = (select oid from pg_database where datname = current_database())`
          ),
          ({ length }) => length === 2
        )
      )
      hasMoved = true
      yield* pid
      yield* lock("select pg_advisory_unlock(1)")
      const former = (yield* Fiber.join(before)).flat().map((row) => row.pid)
      expect(new Set(former).size).toBe(2)
      const present = yield* Effect.all(
        Array.from({ length: 6 }, () => sql.withTransaction(pid)),
        { concurrency: "unbounded" }
      )
      for (const row of present.flat()) expect(former).not.toContain(row.pid)
    })
  )

  it.scopedLive(
    "are sent to no server that has become read-only, and a lost one is told from other failures",
    () =>
      Effect.gen(function* () {
        const direct = yield* emptyDatabase
        const sql = yield* pool(together([direct, direct], "?target_session_attrs=read-write"))
        const failureOf = (statement: Effect.Effect<unknown, unknown>) =>
          Effect.map(Effect.flip(Effect.sandbox(orDie(statement))), isPassing)
        const pid = Effect.map(
          sql<{ pid: number }>`select pg_backend_pid() as pid where ${true}`,
          ([row]) => row?.pid
        )
        const before = yield* pid
        expect(yield* failureOf(sql`select * from nowhere`)).toBe(false)
        expect(yield* pid).toBe(before)
        // In one transaction, so that it says nothing of what the server is.
        expect(
          yield* failureOf(
            sql.withTransaction(
              Effect.zipRight(sql`set transaction read only`, sql`create table books (id int)`)
            )
          )
        ).toBe(true)
        expect(yield* pid).not.toBe(before)
        const lost = yield* Effect.fork(failureOf(sql`select pg_sleep(60) where ${true}`))
        yield* eventually(
          "the statement runs",
          Effect.map(
            execute(
              direct,
              "select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
            ),
            (found) => found.length === 1
          )
        )
        yield* endConnections(direct)
        expect(yield* Fiber.join(lost)).toBe(true)
        // Statements that are sent before this process has noticed are lost too.
        yield* eventually(
          "another connection is used",
          Effect.map(Effect.either(sql`select ${1}::int as one`), ({ _tag }) => _tag === "Right")
        )
      })
  )
})

it.scopedLive("without a leader, a route answers its own error as 503 with Retry-After, and recovers", () =>
  Effect.gen(function* () {
    const direct = yield* freshDatabase
    const proxies = yield* proxiesOf(direct, 2)
    const server = yield* startServerOn(together(proxies.map(({ url }) => url))).pipe(
      withTimes({ timeouts: { "db.connect": 4_000, "operations.readiness": 1_000 } })
    )
    const member = yield* signUp(server)
    const instance = yield* createInstance(server, member)
    const key = yield* createKey(server, member)
    const create = send(server, "POST", "/api/kyc/public/sessions", {
      headers: { "x-api-key": key.token },
      json: { instanceId: instance.id }
    })
    expect((yield* create).status).toBe(201)
    const { isTrusted } = Context.get(server.services, Changes)
    yield* eventually("changes are heard", isTrusted)
    for (const { refuse } of proxies) yield* refuse
    const failed = yield* create
    expect([failed.status, failed.body, failed.headers.get("retry-after")]).toEqual([
      503,
      { error: "Failed to create session" },
      "2"
    ])
    expect(failed.headers.get("doorlock-error")).toBe("failed-to-create-session")
    const called = yield* send(server, "GET", "/gateway/demo/api/v/1/", {
      headers: { "x-api-key": newToken("dk_live_") }
    })
    expect([called.status, called.body, called.headers.get("retry-after")]).toEqual([
      503,
      { error: "Internal server error" },
      "2"
    ])
    expect((yield* send(server, "GET", "/readyz")).status).toBe(503)
    yield* proxies[1]?.forward ?? Effect.void
    yield* eventually(
      "a session is created again",
      Effect.map(create, ({ status }) => status === 201)
    )
    yield* eventually(
      "ready again",
      Effect.map(send(server, "GET", "/readyz"), ({ status }) => status === 200)
    )
    yield* eventually("changes are heard from the other server", isTrusted)
  })
)
