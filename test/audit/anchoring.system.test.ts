/** What anchoring detects: changes by an attacker who can write to the database, but has neither SECRET_KEY nor the anchors. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Logger, LogLevel, Redacted, Scope, Stream } from "effect"
import { readAnchor, writeAnchor } from "../../src/audit/anchor-model.ts"
import * as anchorStore from "../../src/audit/anchor-store.ts"
import { Anchored } from "../../src/audit/anchored-service.ts"
import { Anchoring } from "../../src/audit/anchoring-service.ts"
import { operator } from "../../src/audit/model.ts"
import { Audit } from "../../src/audit/service.ts"
import { Config } from "../../src/config.ts"
import { connect } from "../../src/db/connection.ts"
import * as Database from "../../src/db/database.ts"
import type { TimeoutName } from "../../src/shared/timing.ts"
import { audited, recorded, tamper, testKey } from "../support/audit/audited.ts"
import { send } from "../support/client.ts"
import { databaseOfOwner, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { redis, withoutRedis } from "../support/machine/redis.ts"
import { startS3 } from "../support/machine/s3.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { runOn } from "../support/program.ts"
import { startHere } from "../support/program-here.ts"
import { patient } from "../support/run/timeouts.ts"
import type { Environment } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"
import { withTimes } from "../support/timing.ts"

interface Options {
  readonly key?: string
  readonly previous?: string
  readonly environment?: Environment
  readonly time?: ReturnType<typeof stoppedClock>
}

const quiet = Logger.withMinimumLogLevel(LogLevel.None)

/** Collects the log messages in `lines`. */
const loggedTo = (lines: Array<string>) =>
  Effect.provide(
    Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void lines.push([message].flat().join(" ")))
    )
  )

/** The audit services of one process, on a database and a folder. */
const processOn = (
  url: Redacted.Redacted<string>,
  dataDir: string,
  { environment = {}, key, previous, time = stoppedClock() }: Options = {}
) =>
  Effect.map(
    Layer.build(
      Anchoring.Default.pipe(
        Layer.provideMerge(Anchored.Default),
        Layer.provide(anchorStore.layer),
        Layer.provideMerge(audited(key, previous)),
        Layer.provideMerge(Database.layer({ url, maxConnections: 4 })),
        Layer.provide(patient),
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
      const anchoring = Context.get(built, Anchoring)
      const log: Array<string> = []
      /** Uses the test's clock. */
      const anchorWithin = (timeout: TimeoutName) => time.by(anchoring.anchor(timeout)).pipe(loggedTo(log))
      const anchor = anchorWithin("audit.anchor")
      const anchorOwn = time.by(anchoring.anchorOwn("audit.anchor")).pipe(loggedTo(log))
      /** The warnings since the last call. */
      const warnings = () => log.splice(0).filter((line) => !line.startsWith("Anchored "))
      const act = (companyId: string, name = "x") =>
        quiet(recorded(audit, operator(companyId, name), { action: "audit.began", id: companyId, name }))
      const faults = Effect.gen(function* () {
        const { places } = yield* read
        const reports = yield* Stream.runCollect(audit.verify(undefined, places))
        return new Map([...reports].map(({ companyId, fault }) => [companyId, fault]))
      })
      const fault = (companyId: string) => Effect.map(faults, (found) => found.get(companyId))
      return {
        sql: Context.get(built, SqlClient.SqlClient),
        audit,
        anchor,
        anchorOwn,
        anchorWithin,
        act,
        fault,
        faults,
        lack,
        read,
        time,
        warnings
      }
    }
  )
type Process = Effect.Effect.Success<ReturnType<typeof processOn>>

/** A company with this many events. */
const trail = (url: Redacted.Redacted<string>, { act }: Process, events: number) =>
  Effect.gen(function* () {
    const companyId = crypto.randomUUID()
    yield* execute(url, "insert into companies (id, name) values ($1, 'Acme')", [companyId])
    yield* Effect.replicateEffect(act(companyId), events)
    return companyId
  })

/** Changes the name in the second event, and recomputes the chain after it. */
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

type Scene = Effect.Effect.Success<ReturnType<typeof scene>>

/** One scene for the tests that look at no other trails than their own. */
class SharedScene extends Context.Tag("SharedScene")<SharedScene, Scene>() {
  static readonly layer = Layer.scoped(SharedScene, Effect.orDie(scene()))
}

suite(SharedScene.layer)("seals", (it) => {
  it.scoped("reveal a chain that was recomputed, and later events do not hide it", () =>
    Effect.gen(function* () {
      const { process, url } = yield* SharedScene
      const companyId = yield* trail(url, process, 5)
      expect(yield* process.fault(companyId)).toBeNull()
      yield* tamper(url, companyId, ...forged)
      expect(yield* process.fault(companyId)).toEqual({ kind: "resealed", position: 5 })
      yield* process.act(companyId)
      yield* process.anchor
      expect(yield* process.fault(companyId)).toMatchObject({ kind: "resealed", position: 5 })
    })
  )

  it.scoped("reveal an event that somebody else added, and later events do not hide it", () =>
    Effect.gen(function* () {
      const { process, url } = yield* SharedScene
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

  it.scoped("are not given to an event that the database altered", () =>
    Effect.gen(function* () {
      const { process, url } = yield* SharedScene
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

  it.scoped("continue under a new SECRET_KEY with the previous one, and without it after an hour", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* SharedScene
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

  it.scoped("are renewed together with the event that says so, or not at all", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* SharedScene
      const companyId = yield* trail(url, process, 2)
      const other = yield* processOn(url, dataDir, { key: "another secret key for tests, 32 bytes" })
      const seal = other.audit.sealUp(companyId, [], operator(companyId, "x"))
      const seals = execute(url, "select position::int, seal from audit_seals where company_id = $1", [
        companyId
      ])
      const before = yield* seals
      yield* execute(
        url,
        `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
         create trigger refuse before insert on audit_events for each row when (new.action = 'audit.sealed')
           execute function refuse()`
      )
      yield* Effect.sandbox(seal).pipe(Effect.flip)
      expect(yield* seals).toEqual(before)
      yield* execute(url, "drop trigger refuse on audit_events")
      expect(yield* seal).toBe(true)
      expect(yield* seals).toMatchObject([{ position: 3 }])
      expect(yield* other.fault(companyId)).toBeNull()
      // A valid seal is not replaced.
      expect(yield* seal).toBe(false)
    })
  )
})

suite(SharedScene.layer)("anchors", (it) => {
  it.scoped("reveal a tail that was cut off, even with the matching earlier seal", () =>
    Effect.gen(function* () {
      const { process, url } = yield* SharedScene
      const companyId = yield* trail(url, process, 3)
      const [early] = yield* execute(
        url,
        "select encode(seal, 'hex') as seal from audit_seals where company_id = $1",
        [companyId]
      )
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
      // Other events in their place, with seals.
      for (const name of ["a", "b", "c"]) yield* process.act(companyId, name)
      expect(yield* process.fault(companyId)).toEqual({ kind: "anchored", position: 5 })
    })
  )

  it.scoped("reveal events that were removed after the seal was broken and restored", () =>
    Effect.gen(function* () {
      const { process, url } = yield* SharedScene
      const companyId = yield* trail(url, process, 3)
      yield* process.anchor
      yield* execute(
        url,
        `create table copy as table audit_seals;
         update audit_seals set seal = sha256('') where company_id = '${companyId}'`
      )
      yield* process.act(companyId)
      yield* process.act(companyId)
      yield* process.anchor
      const at = new Date(process.time.clock.unsafeCurrentTimeMillis())
      expect(yield* process.fault(companyId)).toEqual({
        kind: "resealed",
        position: 3,
        unsealed: { position: 5, at }
      })
      yield* tamper(
        url,
        companyId,
        ...cutTo(3),
        "update audit_seals s set seal = c.seal from copy c where s.company_id = c.company_id"
      )
      expect(yield* process.fault(companyId)).toEqual({
        kind: "missing",
        position: 4,
        unsealed: { position: 5, at }
      })
    })
  )

  it.scoped("reveal a company that was removed with its trail", () =>
    Effect.gen(function* () {
      const { process, url } = yield* SharedScene
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
      expect(yield* process.fault(gone)).toEqual({ kind: "missing", position: 1 })
      expect(yield* process.fault(stays)).toBeNull()
    })
  )
})

describe("anchors", () => {
  /** From now on, each event is deleted as soon as it is committed, with its head and its seal. */
  const vanishing = (url: Redacted.Redacted<string>) =>
    execute(
      url,
      `alter table audit_events disable trigger audit_events_kept;
       alter table audit_heads disable trigger audit_heads_moved;
       create table old_heads as table audit_heads;
       create table old_seals as table audit_seals;
       create function vanish() returns trigger language plpgsql as $$ begin
         delete from audit_events where id = new.id;
         update audit_heads h set position = o.position, hash = o.hash from old_heads o where h.company_id = o.company_id;
         update audit_seals s set position = o.position, seal = o.seal from old_seals o where s.company_id = o.company_id;
         return null;
       end $$;
       create constraint trigger vanish after insert on audit_events deferrable initially deferred
         for each row execute function vanish()`
    )

  it.scopedLive("reveal events that are removed as soon as they are committed", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const trails = [
        ["anchor", yield* trail(url, process, 3)],
        ["anchorOwn", yield* trail(url, process, 3)]
      ] as const
      yield* process.anchor
      yield* vanishing(url)
      for (const [by, companyId] of trails) {
        for (const name of ["a", "b"]) yield* process.act(companyId, name)
        expect(yield* execute(url, "select count(*)::int as events from audit_events")).toEqual([
          { events: 6 }
        ])
        expect(yield* process.fault(companyId)).toBeNull()
        process.warnings()
        yield* process[by]
        expect(process.warnings()).toContain(
          "Audit trails lack events that this process has written; run audit verify for details"
        )
        expect(yield* process.fault(companyId)).toEqual({ kind: "missing", position: 4 })
      }
      yield* execute(url, "drop trigger vanish on audit_events")
      for (const [, companyId] of trails) {
        for (const name of ["c", "d"]) yield* process.act(companyId, name)
        expect(yield* process.fault(companyId)).toEqual({ kind: "anchored", position: 4 })
      }
    })
  )

  const sealsAsCopied =
    "update audit_seals s set position = c.position, seal = c.seal from copy c where s.company_id = c.company_id"

  const withoutEnds: Readonly<Record<string, readonly [spoil: string, mend: string]>> = {
    "while an end has no hash": [
      `alter table audit_heads alter hash drop not null;
       insert into audit_heads values (gen_random_uuid(), 1, null)`,
      "delete from audit_heads where hash is null"
    ],
    "while an end is of no company, and one of no place": [
      `alter table audit_heads drop constraint audit_heads_pkey, alter company_id drop not null, alter position drop not null;
       insert into audit_heads values (null, 1, sha256('')), (gen_random_uuid(), null, sha256(''))`,
      "delete from audit_heads where company_id is null or position is null"
    ],
    "while the ends cannot be asked for": [
      "alter table audit_seals rename column seal to kept",
      "alter table audit_seals rename column kept to seal"
    ],
    "while the trail's end is hidden from whoever asks for all ends": [
      `alter table audit_heads enable row level security, force row level security;
       create policy hidden on audit_heads
         using (current_query() not like '%left join audit_seals s on s.company_id = h.company_id%where%')`,
      "alter table audit_heads disable row level security, no force row level security"
    ]
  }
  it.scopedLive("are made from the process's memory of what it wrote, without the ends of trails", () =>
    Effect.gen(function* () {
      const url = yield* databaseOfOwner
      for (const [when, [spoil, mend]] of Object.entries(withoutEnds)) {
        const dataDir = yield* temporaryFolder
        const process = yield* processOn(url, dataDir)
        const companyId = yield* trail(url, process, 5)
        const other = yield* trail(url, process, 1)
        yield* process.anchor
        yield* execute(url, "drop table if exists copy; create table copy as table audit_seals")
        for (const name of ["a", "b"]) yield* process.act(companyId, name)
        yield* execute(
          url,
          `alter table audit_heads disable trigger audit_heads_moved, disable trigger audit_heads_kept;
           grant update, delete on audit_events, audit_heads to current_user;
           ${spoil}`
        )
        yield* process.anchor
        yield* execute(url, mend)
        yield* tamper(url, companyId, ...cutTo(5), sealsAsCopied)
        const restarted = yield* processOn(url, dataDir, { time: process.time })
        expect(yield* restarted.fault(companyId), when).toEqual({ kind: "missing", position: 6 })
        expect(yield* restarted.fault(other), when).toBeNull()
        expect(yield* restarted.lack, when).toMatchObject({ contradicted: 1 })
        yield* restarted.anchor
        expect(restarted.warnings(), when).toContain(
          "Audit trails differ from their anchors; run audit verify for details"
        )
      }
    })
  )

  it.scopedLive(
    "are made from the process's memory of what it wrote, even if the database does not respond",
    () =>
      Effect.gen(function* () {
        const { process, url } = yield* scene().pipe(withTimes({ timeouts: { "audit.last_parts": 200 } }))
        const companyId = yield* trail(url, process, 3)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const client = yield* connect(url)
            yield* Effect.promise(() =>
              client.query("begin; lock table audit_heads in access exclusive mode")
            )
            const anchoring = yield* Effect.fork(process.anchorWithin("audit.last_parts"))
            yield* eventually(
              "it is anchored",
              Effect.map(process.read, ({ places }) => places.get(companyId)?.at(-1)?.position === 3)
            )
            yield* Effect.promise(() => client.query("rollback"))
            yield* Fiber.join(anchoring)
          })
        )
        expect(process.warnings()).toContain("The audit trails could not be anchored; trying again later")
      })
  )

  it.scopedLive("have one place for the events that a process wrote, and one for an unchanged head", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* scene()
      const companyId = yield* trail(url, process, 3)
      yield* process.anchor
      const other = yield* processOn(url, dataDir, { time: process.time })
      yield* process.act(companyId, "a")
      yield* other.act(companyId, "b")
      yield* other.anchor
      yield* process.anchor
      yield* other.anchor
      yield* process.anchor
      const { places } = yield* process.read
      expect(places.get(companyId)?.map(({ position }) => position)).toEqual([3, 5, 4])
      expect(readFileSync(join(dataDir, "audit-anchors.jsonl"), "utf8").split(companyId)).toHaveLength(4)
      expect([...process.warnings(), ...other.warnings()]).toEqual([])
    })
  )

  it.scopedLive("leave out companies that the database could not be asked about later", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const companyId = yield* trail(url, process, 1)
      yield* process.anchor
      yield* execute(
        url,
        `alter table audit_heads disable trigger audit_heads_moved, disable trigger audit_heads_kept;
         alter table audit_heads alter company_id type text;
         insert into audit_heads values ('nobody', 1, sha256(''));
         alter table audit_seals alter company_id type text`
      )
      yield* process.anchor
      yield* execute(
        url,
        `delete from audit_heads where company_id = 'nobody';
         alter table audit_heads alter company_id type uuid using company_id::uuid;
         alter table audit_heads enable always trigger audit_heads_moved, enable always trigger audit_heads_kept;
         alter table audit_seals alter company_id type uuid using company_id::uuid`
      )
      process.warnings()
      yield* process.act(companyId)
      yield* process.anchor
      expect(process.warnings()).toEqual([])
      expect((yield* process.read).places.has("nobody")).toBe(false)
    })
  )

  it.scopedLive("cover no event that was not committed", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const companyId = yield* trail(url, process, 1)
      const entry = { action: "audit.began", id: companyId, name: "x" } as const
      const by = operator(companyId, "x")
      // The inner recording is undone alone; the outer one continues.
      const inner = process.audit.recording(by, () => [entry])(Effect.void)
      const undone = process.audit.recording(by, () => [entry])(
        Effect.zipRight(inner, Effect.fail("undone" as const))
      )
      expect(yield* Effect.flip(undone)).toBe("undone")
      expect(process.audit.ownEvents.all).toMatchObject([{ position: 1 }])
      yield* process.audit.recording(by, () => [])(Effect.ignore(undone))
      expect(process.audit.ownEvents.all).toMatchObject([{ position: 1 }])
      yield* process.audit.recording(by, () => [entry])(inner)
      expect(process.audit.ownEvents.all).toMatchObject([{ position: 3 }])
      yield* process.anchor
      expect(process.warnings()).toEqual([])
    })
  )

  it.scopedLive("contradict a trail that was cut off and continued: a warning follows at once", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* scene()
      const companyId = yield* trail(url, process, 3)
      yield* execute(url, "create table copy as table audit_seals")
      yield* process.act(companyId)
      yield* process.anchor
      expect(yield* process.lack).toMatchObject({ contradicted: 0 })
      yield* tamper(url, companyId, ...cutTo(3), sealsAsCopied)
      const warning = "Audit trails differ from their anchors; run audit verify for details"
      const other = yield* processOn(url, dataDir, { time: process.time })
      yield* other.anchor
      expect(other.warnings()).toEqual([warning])
      expect(yield* other.lack).toMatchObject({ contradicted: 1 })
      // First events up to the anchored position, then events past it.
      for (const name of ["a", "b", "c"]) {
        yield* other.act(companyId, name)
        yield* other.anchor
        expect(other.warnings()).toEqual([warning])
        expect(yield* other.lack).toMatchObject({ contradicted: 1 })
        expect(yield* other.fault(companyId)).toEqual({ kind: "anchored", position: 4 })
      }
    })
  )

  it.scopedLive(
    "are added by several processes at once, only for trails with new events, and never changed",
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
        // A line that a crashed process left incomplete.
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

  it.scopedLive("are read once by the service, from a file or a bucket, and completely by verify", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* scene()
      const companyId = yield* trail(url, process, 1)
      yield* process.anchor
      yield* process.anchor
      const file = join(dataDir, "audit-anchors.jsonl")
      const before = readFileSync(file, "utf8")
      writeFileSync(file, before.replaceAll(/./g, "x"))
      yield* process.act(companyId)
      yield* process.anchor
      yield* process.anchor
      expect(process.warnings()).toEqual([])
      expect(readFileSync(file, "utf8").slice(before.length).split(companyId)).toHaveLength(2)
      const { places, unreadable } = yield* process.read
      expect([places.get(companyId), unreadable]).toMatchObject([[{ position: 2 }], 1])

      const s3 = yield* startS3
      const other = yield* processOn(url, dataDir, { environment: s3.environment, time: process.time })
      for (let times = 0; times < 4; times++) {
        yield* other.anchor
        yield* process.act(companyId)
        yield* process.time.pass(3_600_000)
      }
      yield* other.anchor
      yield* other.anchor
      const read = () => s3.requests.filter((request) => request.startsWith("GET audit-anchors/"))
      expect(read().toSorted()).toEqual([...s3.objects.keys()].map((key) => `GET ${key}`).toSorted())
      expect((yield* other.read).places.get(companyId)).toHaveLength(5)
      expect(read()).toHaveLength(10)
    })
  )

  it.effect("are at least one line, with at most a thousand places each", () =>
    Effect.sync(() => {
      const at = new Date(0)
      const places = Array.from({ length: 2_500 }, (_, index) => ({
        companyId: crypto.randomUUID(),
        position: index + 1,
        hash: "0".repeat(64),
        marks: index % 2 === 0 ? [] : (["unsealed", "contradicting"] as const)
      }))
      const lines = writeAnchor({ at, places }).split("\n")
      const read = lines.map(readAnchor)
      expect(read.map((anchor) => anchor?.places.length)).toEqual([1_000, 1_000, 500])
      expect(read.flatMap((anchor) => anchor?.places ?? [])).toEqual(places)
      expect(writeAnchor({ at, places: [] }).split("\n").map(readAnchor)).toEqual([{ at, places: [] }])
    })
  )

  it.scopedLive("can be read even if a head in the database is invalid", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      yield* process.anchor
      const [good, bad] = [yield* trail(url, process, 1), yield* trail(url, process, 1)]
      const spoil = (change: string) =>
        tamper(url, bad, `update audit_heads set ${change} where company_id = $company`)
      for (const change of ["hash = ''", "position = -1", "position = 9223372036854775807"]) {
        yield* spoil(change)
        yield* process.act(good)
        yield* process.anchor
        expect(process.warnings()).toContain(
          "Audit trails end with an event that doorlock has not sealed; run audit verify for details"
        )
      }
      const { places, unreadable } = yield* process.read
      expect([places.get(good)?.length, unreadable]).toEqual([3, 0])
    })
  )

  it.scopedLive("that cannot be written stop nothing, and are reported", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* scene()
      const companyId = yield* trail(url, process, 2)
      // A folder in place of the file: even root cannot write to it.
      mkdirSync(join(dataDir, "audit-anchors.jsonl"))
      yield* process.anchor
      yield* process.act(companyId)
      expect((yield* Effect.flip(process.lack)).message).toMatch(/^The anchors in \S+ cannot be /)
    })
  )

  it.scopedLive("that are two hours behind are reported", () =>
    Effect.gen(function* () {
      const { process, url } = yield* scene()
      const companyId = yield* trail(url, process, 1)
      const lack = { contradicted: 0, unsealed: 0, first: undefined }
      expect(yield* process.lack).toEqual({ ...lack, trails: 0 })
      yield* tamper(url, companyId, "update audit_events set at = at - interval '3 hours'")
      expect(yield* process.lack).toEqual({ ...lack, trails: 1 })
      // Also when the trail continues.
      yield* process.act(companyId)
      expect(yield* process.lack).toEqual({ ...lack, trails: 1 })
      yield* process.anchor
      expect(yield* process.lack).toMatchObject({ trails: 0 })
    })
  )

  it.scopedLive("are written at start, and cover at shutdown also the last event: a refused sign-in", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const dataDir = yield* temporaryFolder
      const process = yield* processOn(url, dataDir)
      const scope = yield* Scope.make()
      const environment = { DATA_DIR: dataDir, SEED_DEMO: "true", LOG_LEVEL: "info" }
      const program = yield* Scope.extend(startHere(url, environment), scope)
      yield* eventually(
        "the first is there",
        Effect.map(process.read, ({ places }) => places.size === 1)
      )
      // Written by another process.
      const others = yield* trail(url, process, 1)
      // The insert is slow.
      yield* execute(
        url,
        `create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return new; end $$;
         create trigger linger before insert on audit_events for each row when (new.action = 'user.sign_in_refused')
           execute function linger()`
      )
      const [user] = yield* execute(url, "select email, company_id from users")
      const refused = yield* send(program, "POST", "/api/auth/login", {
        json: { email: user?.email, password: "not the password" }
      })
      expect(refused.status).toBe(401)
      yield* Scope.close(scope, Exit.void)
      for (const [companyId, action] of [
        [others, "audit.began"],
        [String(user?.company_id), "user.sign_in_refused"]
      ] as const) {
        const [last] = yield* execute(
          url,
          `select action, position::int, encode(hash, 'hex') as hash from audit_events
           where company_id = $1 order by position desc limit 1`,
          [companyId]
        )
        expect(last?.action).toBe(action)
        expect((yield* process.read).places.get(companyId)?.at(-1)).toMatchObject({
          position: last?.position,
          hash: last?.hash
        })
        expect(program.output()).toContain(`${companyId}:${last?.position}:${last?.hash}`)
      }
    })
  )

  it.scopedLive("cover at shutdown what was written, even if another write is still blocked", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const dataDir = yield* temporaryFolder
      const scope = yield* Scope.make()
      const program = yield* startHere(url, { DATA_DIR: dataDir, SEED_DEMO: "true" }).pipe(
        Scope.extend(scope),
        withTimes({ timeouts: { "audit.last_notes": 200, "audit.last_parts": 200 } })
      )
      const { read } = yield* processOn(url, dataDir)
      yield* eventually(
        "the first is there",
        Effect.map(read, ({ places }) => places.size === 1)
      )
      const [user] = yield* execute(url, "select email from users")
      const refused = send(program, "POST", "/api/auth/login", {
        json: { email: user?.email, password: "not the password" }
      })
      const last = execute(
        url,
        "select action, position::int from audit_events order by position desc limit 1"
      )
      yield* refused
      const written = yield* eventually(
        "it is written",
        Effect.map(last, ([event]) => event?.action === "user.sign_in_refused" && event.position)
      )
      const stopping = yield* Effect.scoped(
        Effect.gen(function* () {
          const client = yield* connect(url)
          yield* Effect.promise(() => client.query("begin; lock table audit_heads in access exclusive mode"))
          yield* refused
          const stopping = yield* Effect.forkDaemon(Scope.close(scope, Exit.void))
          yield* eventually(
            "it is anchored",
            Effect.map(read, ({ places }) => [...places.values()][0]?.at(-1)?.position === written)
          )
          yield* Effect.promise(() => client.query("rollback"))
          return stopping
        })
      )
      yield* Fiber.join(stopping)
    })
  )

  it.scopedLive.skipIf(withoutRedis)(
    "have at the end what workers wrote that is gone (needs redis-server)",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const dataDir = yield* temporaryFolder
        const program = yield* runOn(url, {
          DATA_DIR: dataDir,
          SEED_DEMO: "true",
          WORKERS: "2",
          REDIS_URL: (yield* redis).url
        })
        const { faults, read } = yield* processOn(url, dataDir)
        yield* eventually(
          "the first is there",
          Effect.map(read, ({ places }) => places.size === 1)
        )
        yield* vanishing(url)
        const [user] = yield* execute(url, "select email from users")
        yield* send(program, "POST", "/api/auth/login", {
          json: { email: user?.email, password: "not the password" }
        })
        program.signal("SIGTERM")
        yield* program.exited
        const [head] = yield* execute(url, "select position::int from audit_heads")
        expect([...(yield* faults).values()]).toMatchObject([
          { kind: "missing", position: Number(head?.position) + 1 }
        ])
        expect(program.stdout()).toContain("Audit trails lack events that this process has written")
      })
  )
})

describe("trails without a seal", () => {
  const companyId = crypto.randomUUID()
  const start = Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* execute(url, "insert into companies (id, name) values ($1, 'Acme')", [companyId])
    return { url, dataDir: yield* temporaryFolder }
  })

  it.scopedLive("are sealed by the operator alone", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* start
      yield* execute(
        url,
        `insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, details)
         values ($1, gen_random_uuid(), 'operator', 'x', 'audit.began', 'company', $1, '{}')`,
        [companyId]
      )
      const process = yield* processOn(url, dataDir)
      yield* process.act(companyId)
      yield* process.anchor
      expect((yield* process.read).places.get(companyId)).toMatchObject([
        { position: 2, unsealedAt: new Date(process.time.clock.unsafeCurrentTimeMillis()) }
      ])
      expect(yield* process.fault(companyId)).toMatchObject({ kind: "unsealed", position: 1 })
      expect(yield* process.lack).toMatchObject({ unsealed: 1, contradicted: 0 })
      expect(process.warnings()).toEqual([
        "Audit trails end with an event that doorlock has not sealed; run audit verify for details"
      ])
      const { places } = yield* process.read
      const sealed = process.audit.sealUp(companyId, places.get(companyId) ?? [], operator(companyId, "x"))
      expect(yield* sealed).toBe(true)
      expect(yield* process.fault(companyId)).toBeNull()
    })
  )

  it.scopedLive("are not sealed after somebody removes the seals", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* start
      const process = yield* processOn(url, dataDir)
      yield* Effect.replicateEffect(process.act(companyId), 4)
      yield* process.anchor
      yield* tamper(url, companyId, ...forged, "delete from audit_seals")
      const restarted = yield* processOn(url, dataDir, { time: process.time })
      yield* restarted.anchor
      expect(restarted.warnings()).toEqual([
        "Audit trails differ from their anchors; run audit verify for details",
        "Audit trails end with an event that doorlock has not sealed; run audit verify for details"
      ])
      expect(yield* restarted.fault(companyId)).toMatchObject({ kind: "anchored", position: 4 })
      expect(yield* restarted.lack).toMatchObject({ contradicted: 1, unsealed: 1 })
      expect(yield* execute(url, "select position from audit_seals")).toEqual([])
    })
  )

  it.scopedLive("are not anchored where no anchor can be read that is there", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* start
      yield* (yield* processOn(url, yield* temporaryFolder)).act(companyId)
      const process = yield* processOn(url, dataDir)
      const file = join(dataDir, "audit-anchors.jsonl")
      writeFileSync(file, "not an anchor\n")
      yield* process.anchor
      expect(readFileSync(file, "utf8")).toBe("not an anchor\n")
      expect(process.warnings()).toEqual([expect.stringMatching(/^The audit trails could not be anchored/)])
      for (const told of [Effect.asVoid(process.read), Effect.asVoid(process.lack)]) {
        expect((yield* Effect.flip(told)).message).toBe(`None of the anchors in ${file} can be read`)
      }
      writeFileSync(file, "")
      yield* process.anchor
      expect(yield* process.fault(companyId)).toBeNull()
    })
  )
})
