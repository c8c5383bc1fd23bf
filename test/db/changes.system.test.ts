import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { type Clock, Context, Effect, Layer, Random, type Redacted } from "effect"
import { Changes, notify } from "../../src/db/changes.ts"
import * as Database from "../../src/db/database.ts"
import { startEmbeddedPostgres } from "../../src/db/embedded.ts"
import { productionTimes } from "../../src/shared/times.ts"
import { proxied } from "../support/database/tcp-proxy.ts"
import { emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { patient } from "../support/run/timeouts.ts"
import { steppedClock } from "../support/stopped-clock.ts"
import { withTimes } from "../support/timing.ts"

/** Acts as a listening process that records the messages of `topic`. */
const listener = (url: Redacted.Redacted, topic: string, clock?: Clock.Clock) =>
  Effect.gen(function* () {
    const layer = Changes.Default({ url, ...(clock === undefined ? {} : { clock }) })
    const changes = Context.get(yield* Layer.build(Layer.provide(layer, patient)), Changes)
    const heard: Array<string> = []
    let distrusts = 0
    yield* changes.subscribe(
      topic,
      (payload) => heard.push(payload),
      () => distrusts++
    )
    const trusts = eventually("trusted", changes.isTrusted)
    const hears = (payload: string) => eventually(`"${payload}" heard`, () => heard.includes(payload))
    return { changes, heard, trusts, hears, distrusts: () => distrusts }
  })

const pool = (url: Redacted.Redacted) =>
  Effect.map(Layer.build(Database.layer({ url, maxConnections: 2 })), (context) =>
    Context.get(context, SqlClient.SqlClient)
  )

const listeningBackends = (url: Redacted.Redacted, select: string) =>
  execute(
    url,
    `select ${select} from pg_stat_activity where query = 'listen doorlock_changes' and datname = current_database()`
  )

it.scopedLive("delivers to every process the messages of its topics once they are committed", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const sql = yield* pool(url)
    const a = yield* listener(url, "keys")
    const b = yield* listener(url, "keys")
    const other = yield* listener(url, "plans")
    for (const { trusts } of [a, b, other]) yield* trusts

    yield* sql`select ${notify("keys", "k1:x")}`
    yield* sql`with doomed as (select 7 as id) select ${notify("keys", sql.literal("id::text"))} from doomed`
    yield* sql`select ${notify("keys", "")}`
    yield* Effect.exit(
      sql.withTransaction(Effect.andThen(sql`select ${notify("keys", "undone")}`, Effect.fail("no")))
    )
    yield* sql`select ${notify("keys", "last")}`
    yield* sql`select ${notify("plans", "p1")}`

    for (const { hears } of [a, b]) yield* hears("last")
    yield* other.hears("p1")
    expect(a.heard).toEqual(["k1:x", "7", "", "last"])
    expect(b.heard).toEqual(a.heard)
    expect(other.heard).toEqual(["p1"])
    expect([a.distrusts(), b.distrusts(), other.distrusts()]).toEqual([0, 0, 0])
  })
)

it.scopedLive("stops notifying a subscriber whose scope has closed", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const sql = yield* pool(url)
    const { changes, trusts, hears } = yield* listener(url, "keys")
    yield* trusts
    let late = 0
    yield* Effect.scoped(
      changes.subscribe(
        "keys",
        () => late++,
        () => late++
      )
    )
    yield* sql`select ${notify("keys", "x")}`
    yield* hears("x")
    expect(late).toBe(0)
  })
)

it.scopedLive("stops trusting when the connection is cut, and recovers by itself", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const sql = yield* pool(url)
    const { changes, trusts, hears, distrusts } = yield* listener(url, "keys")
    yield* trusts
    yield* listeningBackends(url, "pg_terminate_backend(pid)")
    yield* eventually("distrust", () => distrusts() === 1)
    yield* trusts
    expect(changes.isTrusted()).toBe(true)
    yield* sql`select ${notify("keys", "again")}`
    yield* hears("again")
    expect(distrusts()).toBe(1)
  })
)

it.scopedLive("trusts nothing while the server does not respond", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const { adminUrl: url } = yield* startEmbeddedPostgres({ dataDir, fsync: false })
    const { changes, trusts, distrusts } = yield* listener(url, "keys").pipe(
      withTimes({ timeouts: { "db.lease": 2_000 } })
    )
    yield* trusts
    const pids = (yield* listeningBackends(url, "pid")).map(({ pid }) => Number(pid))
    const [pid = 0] = pids
    const signal = (name: NodeJS.Signals) => Effect.sync(() => process.kill(pid, name))
    expect(pids).toHaveLength(1)
    yield* Effect.acquireRelease(signal("SIGSTOP"), () => signal("SIGCONT"))
    yield* eventually("no trust", () => !changes.isTrusted())
    yield* eventually("distrust", () => distrusts() >= 1)
    // The silent one was only this connection's server process; another answers.
    yield* trusts
  })
)

it.scopedLive(
  "trusts until the lease ends, from when a heartbeat was sent, however late its answer comes, and no longer",
  () =>
    Effect.gen(function* () {
      const { hold, release, url } = yield* proxied(yield* emptyDatabase)
      const { clock, pass, sleepsUntil } = steppedClock()
      const { changes, trusts, distrusts } = yield* Effect.withRandom(
        listener(url, "keys", clock),
        Random.fixed([0])
      ).pipe(withTimes({ timeouts: { "db.lease": 800 } }))
      // The database reports the closed connection.
      yield* Effect.addFinalizer(() => release)
      yield* trusts
      yield* sleepsUntil(250)
      yield* hold
      yield* pass(250)
      // For its answer.
      yield* sleepsUntil(250 + 800)
      yield* pass(100)
      yield* release
      // The answer has come, and the next heartbeat is due.
      yield* sleepsUntil(350 + 250)
      yield* hold
      yield* pass(250)
      yield* sleepsUntil(600 + 800)
      yield* pass(250 + 799 - 600)
      expect([changes.isTrusted(), distrusts()]).toEqual([true, 0])
      yield* pass(1)
      expect(changes.isTrusted()).toBe(false)
      // Without an answer the connection is given up, and the subscribers are told.
      yield* pass(600 + 800 - (250 + 800))
      yield* eventually("distrust", () => distrusts() === 1)
      yield* release
      yield* trusts
    })
)

it("The lease is shorter than a second, and long enough to be renewed (contract.md#key-revocation)", () => {
  const { pauses, timeouts } = productionTimes
  expect(timeouts["db.lease"]).toBeLessThan(1_000)
  expect(2 * pauses["db.heartbeat"]).toBeLessThan(timeouts["db.lease"])
})
