/** What anchoring detects: changes by an attacker who can write to the database, but has neither SECRET_KEY nor the anchors. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Logger, LogLevel, Redacted, Scope, Stream } from "effect"
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
import { startS3 } from "../support/machine/s3.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
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
      const { interference, lack, read } = Context.get(built, Anchored)
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
        interference,
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

/** A scene whose database the service owns. */
const ownedScene = Effect.gen(function* () {
  const url = yield* databaseOfOwner
  const dataDir = yield* temporaryFolder
  return { url, dataDir, process: yield* processOn(url, dataDir) }
})

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
      const lack = { contradicted: 0, interference: [], unsealed: 0, first: undefined }
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
})

/** A scene whose tables the service owns. What a test changes, it rolls back. */
class OwnedScene extends Context.Tag("OwnedScene")<OwnedScene, Scene>() {
  static readonly layer = Layer.scoped(
    OwnedScene,
    Effect.orDie(Effect.tap(ownedScene, ({ process, url }) => trail(url, process, 5)))
  )
}

suite(OwnedScene.layer)("anything that keeps trails from being read as they are is found:", (it) => {
  const interferences: ReadonlyArray<
    readonly [what: string, statements: string, ...found: ReadonlyArray<string>]
  > = [
    [
      "row level security, also for those alone who do not own the table",
      `alter table audit_events enable row level security, force row level security;
       create policy hidden on audit_events
         using (position <> 3 or current_query() not like '%order by e.position desc%');
       alter table audit_seals enable row level security`,
      "Row level security is on for audit_events.",
      "Row level security is on for audit_seals."
    ],
    [
      "a view in a schema that is searched before",
      `create schema other;
       create view other.audit_events as select * from public.audit_events where position <> 3;
       set local search_path = other, public`,
      "audit_events is not a table."
    ],
    [
      "a schema that is searched before pg_catalog",
      "create schema other; set local search_path = other, pg_catalog, public",
      "The schema other is searched before pg_catalog (search_path)."
    ],
    [
      "a rule, and a table with a part that lies elsewhere",
      `create rule lost as on insert to audit_seals do instead nothing;
       create table more () inherits (audit_heads)`,
      "The table audit_heads inherits, or is inherited from.",
      "There is a rule on audit_seals: lost."
    ],
    [
      "triggers: another one, one that is gone, one that is put off altogether or by a setting, one that never fires",
      `create trigger lie before insert on audit_events for each row execute function suppress_redundant_updates_trigger();
       drop trigger audit_events_kept on audit_events;
       alter table audit_setbacks disable trigger audit_setbacks_kept;
       alter table audit_heads enable trigger audit_heads_kept;
       create or replace trigger audit_heads_moved before insert or update on audit_heads
         for each statement when (false) execute function audit_refuse();
       alter table audit_heads enable always trigger audit_heads_moved`,
      "There is a trigger on audit_events that is not doorlock's: lie.",
      "The trigger audit_events_kept on audit_events is missing.",
      "There is a trigger on audit_heads that is not doorlock's: audit_heads_kept.",
      "There is a trigger on audit_heads that is not doorlock's: audit_heads_moved.",
      "There is a trigger on audit_setbacks that is not doorlock's: audit_setbacks_kept."
    ],
    [
      "triggers of another function, of some rows, and of one column",
      `create or replace trigger audit_events_append before insert on audit_events
         for each row when (new.action <> 'x') execute function suppress_redundant_updates_trigger();
       create or replace trigger audit_events_kept before delete or truncate or update of action on audit_events
         for each statement execute function audit_refuse();
       alter table audit_events enable always trigger audit_events_append, enable always trigger audit_events_kept`,
      "There is a trigger on audit_events that is not doorlock's: audit_events_append.",
      "There is a trigger on audit_events that is not doorlock's: audit_events_kept."
    ],
    [
      "rights of everybody, to a table or to one column, and of another role",
      `grant select, update on audit_heads to public;
       grant update (action) on audit_events to public;
       grant delete on audit_seals to pg_monitor`,
      "PUBLIC has the right UPDATE on audit_events.",
      "PUBLIC has the right UPDATE on audit_heads.",
      "pg_monitor has the right DELETE on audit_seals."
    ],
    [
      "another function in a trigger",
      "create or replace function audit_refuse() returns trigger language plpgsql as $$ begin return null; end $$",
      "The function audit_refuse is not doorlock's."
    ],
    [
      "a function that finds other things",
      "alter function audit_append() set search_path = other, public, pg_catalog",
      "The function audit_append is not doorlock's."
    ],
    [
      "a partition that is gone",
      `do $$ begin execute 'alter table audit_events detach partition ' || (select min(inhrelid::regclass::text)
         from pg_inherits where inhparent = 'audit_events'::regclass and not exists (
           select from audit_heads where satisfies_hash_partition('audit_events'::regclass, 16, right(inhrelid::regclass::text, 2)::int, company_id)
         )); end $$`,
      "A partition of audit_events is missing."
    ],
    [
      "a partition that is divided itself",
      `alter table audit_events detach partition audit_events_00;
       create table audit_events_parts partition of audit_events for values with (modulus 16, remainder 0) partition by hash (company_id)`,
      "audit_events_parts is not a table."
    ],
    [
      "another table in place of the one with partitions",
      `alter table audit_events rename to audit_events_other;
       create table audit_events (like audit_events_other including all) partition by list (company_id);
       create trigger audit_events_append before insert on audit_events for each row execute function audit_append();
       create trigger audit_events_kept before update or delete or truncate on audit_events
         for each statement execute function audit_refuse();
       alter table audit_events enable always trigger audit_events_append, enable always trigger audit_events_kept`,
      "audit_events is not divided by company."
    ],
    [
      "a policy, a rule, a right and a trigger of a partition",
      `alter table audit_events_01 enable row level security;
       create rule lost as on insert to audit_events_01 do instead nothing;
       grant delete on audit_events_02 to pg_monitor;
       create trigger lie before insert on audit_events_03 for each row execute function suppress_redundant_updates_trigger()`,
      "Row level security is on for audit_events_01.",
      "There is a rule on audit_events_01: lost.",
      "pg_monitor has the right DELETE on audit_events_02.",
      "There is a trigger on audit_events_03 that is not doorlock's: lie."
    ],
    [
      "a column of another type",
      "alter table audit_heads alter position type numeric",
      "The columns of audit_heads are not doorlock's."
    ]
  ]
  const bindTo = (path: string) => `alter function audit_append() security definer set search_path = ${path}`

  for (const [what, statements, ...found] of [
    ...interferences,
    [
      "a trigger's function that is bound to more than its schema",
      bindTo("pg_temp, pg_catalog, public"),
      "The function audit_append is not doorlock's."
    ],
    ["nothing: a trigger's function that is bound to its schema", bindTo("pg_catalog, public, pg_temp")]
  ] as const) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const { process } = yield* OwnedScene
        const { interference, sql } = process
        const changed = sql.unsafe(
          `do $change$ begin execute $statements$ ${statements} $statements$; end $change$`
        )
        const rolledBack = Effect.zipRight(changed, Effect.flatMap(interference, Effect.fail)).pipe(
          sql.withTransaction
        )
        expect(yield* Effect.flip(rolledBack)).toEqual(found)
      })
    )
  }
})

describe("trails of versions that had no seals", () => {
  const companyId = crypto.randomUUID()
  const act = (url: Redacted.Redacted) =>
    execute(
      url,
      `insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, details)
       values ($1, gen_random_uuid(), 'operator', 'x', 'audit.began', 'company', $1, '{}')`,
      [companyId]
    )
  const older = Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* execute(url, "insert into companies (id, name) values ($1, 'Acme')", [companyId])
    yield* Effect.replicateEffect(act(url), 4)
    return { url, companyId, act: act(url), dataDir: yield* temporaryFolder }
  })

  it.scopedLive("are not sealed again after somebody removes the seals", () =>
    Effect.gen(function* () {
      const { companyId, dataDir, url } = yield* older
      const process = yield* processOn(url, dataDir)
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
})
