/** What an attacker with the application's own role cannot hide: they have the database, but neither SECRET_KEY nor the anchors. */
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Anchored, Anchoring } from "../../src/audit/anchoring-service.ts"
import * as configuredAnchors from "../../src/audit/configured-anchors.ts"
import { operator } from "../../src/audit/model.ts"
import { Audit } from "../../src/audit/service.ts"
import { Config } from "../../src/config.ts"
import * as Database from "../../src/db/database.ts"
import { migrate } from "../../src/db/migrations.ts"
import { audited, recorded, testKey } from "../support/audited.ts"
import { emptyDatabase, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { runOn } from "../support/program.ts"
import { startS3 } from "../support/s3.ts"
import type { Environment } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"

interface Options {
  readonly key?: string
  readonly previous?: string
  readonly environment?: Environment
  readonly time?: ReturnType<typeof stoppedClock>
}

const quiet = Logger.withMinimumLogLevel(LogLevel.None)

/** What one process has, on a database and a folder. */
const processOn = (
  url: Redacted.Redacted<string>,
  dataDir: string,
  { environment = {}, key, previous, time = stoppedClock() }: Options = {}
) =>
  Effect.map(
    Layer.build(
      Anchoring.Default.pipe(
        Layer.provideMerge(Anchored.Default),
        Layer.provide(configuredAnchors.layer),
        Layer.provideMerge(audited(key, previous)),
        Layer.provide(Database.layer({ url, maxConnections: 4 })),
        Layer.provide(
          Config.layer({
            DATABASE_URL: Redacted.value(url),
            SECRET_KEY: key ?? testKey,
            DATA_DIR: dataDir,
            ...environment
          })
        )
      )
    ),
    (built) => {
      const audit = Context.get(built, Audit)
      const { lack, read } = Context.get(built, Anchored)
      /** As the clock of the test has it. */
      const anchor = time.by(Context.get(built, Anchoring).anchor).pipe(quiet)
      const act = (companyId: string, name = "x") =>
        quiet(recorded(audit, operator(companyId, name), { action: "audit.began", id: companyId, name }))
      const faults = Effect.gen(function* () {
        const { places } = yield* read
        const reports = yield* Stream.runCollect(audit.verify(undefined, places))
        return new Map([...reports].map(({ companyId, fault }) => [companyId, fault]))
      })
      const fault = (companyId: string) => Effect.map(faults, (found) => found.get(companyId))
      return { audit, anchor, act, fault, faults, lack, read, time }
    }
  )
type Process = Effect.Effect.Success<ReturnType<typeof processOn>>

/** A company with as many events. */
const trail = (url: Redacted.Redacted<string>, { act }: Process, events: number) =>
  Effect.gen(function* () {
    const companyId = crypto.randomUUID()
    yield* execute(url, "insert into companies (id, name) values ($1, 'Acme')", [companyId])
    yield* Effect.replicateEffect(act(companyId), events)
    return companyId
  })

/** As the role that owns the tables can. */
const tamper = (url: Redacted.Redacted<string>, companyId: string, ...statements: ReadonlyArray<string>) =>
  execute(
    url,
    `begin;
     alter table audit_events disable trigger all;
     alter table audit_heads disable trigger all;
     ${statements.map((statement) => statement.replaceAll("$company", `'${companyId}'`)).join(";\n")};
     alter table audit_events enable always trigger audit_events_append;
     alter table audit_events enable always trigger audit_events_kept;
     alter table audit_heads enable always trigger audit_heads_kept;
     alter table audit_heads enable always trigger audit_heads_moved;
     commit`
  )

/** Another name in the second event, and a chain that is whole after it. */
const forged = [
  "update audit_events set actor_name = 'somebody else' where company_id = $company and position = 2",
  `do $$ declare e audit_events; before bytea; begin
     for e in select * from audit_events where company_id = $company and position > 1 order by position loop
       select hash into before from audit_events where company_id = e.company_id and position = e.position - 1;
       e.previous_hash := before;
       update audit_events set previous_hash = before, hash = sha256(convert_to(audit_text(e), 'UTF8'))
       where company_id = e.company_id and position = e.position;
     end loop;
   end $$`,
  `update audit_heads h set hash = e.hash from audit_events e
   where h.company_id = $company and e.company_id = $company and e.position = h.position`
]

const cutTo = (position: number) => [
  `delete from audit_events where company_id = $company and position > ${position}`,
  `update audit_heads h set position = ${position}, hash = e.hash from audit_events e
   where h.company_id = $company and e.company_id = $company and e.position = ${position}`
]

const scene = (options: Options = {}) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const dataDir = yield* temporaryFolder
    const process = yield* processOn(url, dataDir, options)
    return { url, dataDir, process }
  })

describe("seals", () => {
  it.scopedLive("tell a chain that was made whole anew, and what is written later does not hide it", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const companyId = yield* trail(url, process, 5)
      expect(yield* process.fault(companyId)).toBeNull()
      yield* tamper(url, companyId, ...forged)
      expect(yield* process.fault(companyId)).toEqual({ kind: "resealed", position: 5 })
      yield* process.act(companyId)
      yield* process.anchor
      expect(yield* process.fault(companyId)).toEqual({ kind: "resealed", position: 5 })
    })
  )

  it.scopedLive("tell an event that somebody else added, and what is written later does not hide it", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const companyId = yield* trail(url, process, 3)
      yield* execute(
        url,
        `insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, details)
         values ($1, gen_random_uuid(), 'operator', 'x', 'audit.began', 'company', $1, '{}')`,
        [companyId]
      )
      yield* process.act(companyId)
      expect(yield* process.fault(companyId)).toEqual({ kind: "unsealed", position: 4 })
    })
  )

  it.scopedLive("are not given to what the database makes of an event", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const companyId = yield* trail(url, process, 2)
      yield* execute(
        url,
        `create function lie() returns trigger language plpgsql as $$ begin new.actor_name := 'somebody else'; return new; end $$;
         create trigger a_lie before insert on audit_events for each row execute function lie()`
      )
      yield* process.act(companyId)
      yield* execute(url, "drop trigger a_lie on audit_events")
      expect(yield* process.fault(companyId)).toEqual({ kind: "unsealed", position: 3 })
    })
  )

  it.scopedLive("go on under another SECRET_KEY with the one before, and without it after an hour", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* scene()
      const [busy, quiet] = [yield* trail(url, process, 2), yield* trail(url, process, 2)]
      const key = "another secret key for tests, 32 bytes"
      const both = yield* processOn(url, dataDir, { key, previous: testKey })
      yield* both.act(busy)
      expect([yield* both.fault(busy), yield* both.fault(quiet)]).toEqual([null, null])
      const alone = yield* processOn(url, dataDir, { key })
      expect(yield* alone.fault(quiet)).toEqual({ kind: "resealed", position: 2 })
      yield* both.anchor
      expect([yield* alone.fault(busy), yield* alone.fault(quiet)]).toEqual([null, null])
    })
  )
})

describe("anchors", () => {
  it.scopedLive("tell a tail that was cut off, with the seal that it had then", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const companyId = yield* trail(url, process, 3)
      const [early] = yield* execute(url, "select encode(seal, 'hex') as seal from audit_seals")
      yield* process.act(companyId)
      yield* process.act(companyId)
      yield* process.anchor
      expect(yield* process.fault(companyId)).toBeNull()
      yield* tamper(
        url,
        companyId,
        ...cutTo(3),
        `update audit_seals set position = 3, seal = '\\x${early?.seal}' where company_id = $company`
      )
      expect(yield* process.fault(companyId)).toEqual({ kind: "missing", position: 4 })
      // Others in its place, which are sealed.
      for (const name of ["a", "b", "c"]) yield* process.act(companyId, name)
      expect(yield* process.fault(companyId)).toEqual({ kind: "anchored", position: 5 })
    })
  )

  it.scopedLive("tell a company that is gone with its trail", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const [gone, stays] = [yield* trail(url, process, 3), yield* trail(url, process, 1)]
      yield* process.anchor
      yield* tamper(
        url,
        gone,
        ...["events", "heads", "seals"].map(
          (name) => `delete from audit_${name} where company_id = $company`
        ),
        "delete from companies where id = $company"
      )
      expect(yield* process.faults).toEqual(
        new Map([
          [gone, { kind: "missing", position: 1 }],
          [stays, null]
        ])
      )
    })
  )

  it.scopedLive(
    "are added by several processes at once, only for what has moved on, and none is changed",
    () =>
      Effect.gen(function* () {
        const { dataDir, process, url } = yield* scene()
        const file = join(dataDir, "audit-anchors.jsonl")
        const companyId = yield* trail(url, process, 1)
        const others = yield* Effect.replicateEffect(processOn(url, dataDir), 3)
        yield* Effect.forEach([process, ...others], ({ anchor }) => anchor, { concurrency: "unbounded" })
        const before = readFileSync(file, "utf8")
        yield* process.anchor
        expect(readFileSync(file, "utf8")).toBe(before)
        // What a process that died has begun.
        appendFileSync(file, '{"at":"2026-')
        yield* process.act(companyId)
        yield* others[0]?.anchor ?? Effect.void
        expect(readFileSync(file, "utf8").startsWith(before)).toBe(true)
        const { places, unreadable } = yield* process.read
        expect(new Set(places.get(companyId)?.map(({ position }) => position))).toEqual(new Set([1, 2]))
        expect(unreadable).toBe(1)
      })
  )

  it.scopedLive("are objects in the bucket where files are, each under a key of its own", () =>
    Effect.gen(function* () {
      const s3 = yield* startS3
      const { process, url } = yield* scene({ environment: s3.environment })
      const companyId = yield* trail(url, process, 1)
      for (let times = 0; times < 5; times++) {
        yield* process.anchor
        yield* process.act(companyId)
      }
      const keys = [...s3.objects.keys()]
      expect(keys).toHaveLength(5)
      for (const key of keys) expect(key).toMatch(/^audit-anchors\/\d{4}-\d\d-\d\dT.*\.json$/)
      expect(s3.requests.filter((request) => request.startsWith("PUT"))).toHaveLength(5)
      expect((yield* process.read).places.get(companyId)).toHaveLength(5)
      yield* tamper(url, companyId, ...cutTo(3), "delete from audit_seals where company_id = $company")
      expect(yield* process.fault(companyId)).toEqual({ kind: "missing", position: 4 })

      s3.fail("PUT")
      yield* process.anchor
      expect(s3.objects.size).toBe(5)
    })
  )

  it.scopedLive("that cannot be written stop nothing, and are told", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* scene()
      const companyId = yield* trail(url, process, 2)
      // A folder is where the file should be: that stops root, too.
      mkdirSync(join(dataDir, "audit-anchors.jsonl"))
      yield* process.anchor
      yield* process.act(companyId)
      expect((yield* Effect.flip(process.lack)).message).toMatch(/^The anchors in \S+ cannot be /)
    })
  )

  it.scopedLive("that are two hours behind are told", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const companyId = yield* trail(url, process, 1)
      expect(yield* process.lack).toEqual({ trails: 0, anchors: 0 })
      yield* tamper(url, companyId, "update audit_events set at = at - interval '3 hours'")
      expect(yield* process.lack).toEqual({ trails: 1, anchors: 0 })
    })
  )

  it.scopedLive("are made at the start of the service and at its end", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const dataDir = yield* temporaryFolder
      const { read } = yield* processOn(url, dataDir)
      const program = yield* runOn(url, { DATA_DIR: dataDir, SEED_DEMO: "true", LOG_LEVEL: "info" })
      yield* eventually(
        "the first is there",
        30_000,
        Effect.map(read, ({ places }) => places.size === 1)
      )
      const [companyId = ""] = (yield* read).places.keys()
      const process = yield* processOn(url, dataDir)
      yield* process.act(companyId)
      program.signal("SIGTERM")
      yield* program.exited
      const [head] = yield* execute(url, "select position::int, encode(hash, 'hex') as hash from audit_heads")
      expect((yield* read).places.get(companyId)?.at(-1)).toEqual({ ...head, by: "anchored" })
      expect(program.stdout()).toContain(`${companyId}:${head?.position}:${head?.hash}`)
    })
  )
})

describe("trails of the version before", () => {
  /** A database of that version with a trail, brought to the present. */
  const older = Effect.gen(function* () {
    const url = yield* emptyDatabase
    const folder = yield* temporaryFolder
    const migrations = join(import.meta.dirname, "../../migrations")
    for (const name of readdirSync(migrations).filter((file) => file < "0017")) {
      copyFileSync(join(migrations, name), join(folder, name))
    }
    yield* migrate({ url, folder })
    const companyId = crypto.randomUUID()
    const act = execute(
      url,
      `insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, details)
       values ($1, gen_random_uuid(), 'operator', 'x', 'audit.began', 'company', $1, '{}')`,
      [companyId]
    )
    yield* execute(url, "insert into companies (id, name) values ($1, 'Acme')", [companyId])
    yield* Effect.replicateEffect(act, 4)
    yield* migrate({ url })
    return { url, companyId, act, dataDir: yield* temporaryFolder }
  })

  it.scopedLive("are sealed once, and what its last processes write for a day", () =>
    Effect.gen(function* () {
      const { act, companyId, dataDir, url } = yield* older
      const process = yield* processOn(url, dataDir)
      yield* process.act(companyId)
      expect(yield* process.fault(companyId)).toEqual({ kind: "unsealed", position: 1 })
      yield* process.anchor
      expect(yield* process.fault(companyId)).toBeNull()
      yield* process.act(companyId)
      yield* act
      yield* process.time.pass(3_600_000)
      yield* process.anchor
      expect(yield* process.fault(companyId)).toBeNull()
      yield* act
      yield* process.time.pass(86_400_000)
      yield* process.anchor
      expect(yield* process.fault(companyId)).toEqual({ kind: "unsealed", position: 8 })
    })
  )

  it.scopedLive(
    "are not sealed again by whoever removes the seals: neither within the day, nor after it",
    () =>
      Effect.gen(function* () {
        const { companyId, dataDir, url } = yield* older
        const process = yield* processOn(url, dataDir)
        yield* process.anchor
        yield* tamper(url, companyId, ...forged, "delete from audit_seals")
        const restarted = yield* processOn(url, dataDir, { time: process.time })
        yield* restarted.anchor
        expect(yield* restarted.fault(companyId)).toEqual({ kind: "anchored", position: 4 })
        expect(yield* execute(url, "select position from audit_seals")).toEqual([])
        yield* process.time.pass(2 * 86_400_000)
        yield* restarted.anchor
        expect(yield* execute(url, "select position from audit_seals")).toEqual([])
      })
  )
})
