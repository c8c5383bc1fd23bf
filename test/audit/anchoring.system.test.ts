/** What anchoring detects: changes by an attacker who can write to the database, but has neither SECRET_KEY nor the anchors. */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, LogLevel, Redacted, Stream } from "effect"
import * as anchorStore from "../../src/audit/anchor-store.ts"
import { Anchored } from "../../src/audit/anchored-service.ts"
import { Anchoring } from "../../src/audit/anchoring-service.ts"
import { operator } from "../../src/audit/model.ts"
import { Audit } from "../../src/audit/service.ts"
import { Config } from "../../src/config.ts"
import * as Database from "../../src/db/database.ts"
import { audited, recorded, tamper, testKey } from "../support/audit/audited.ts"
import { send } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { startS3 } from "../support/machine/s3.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { runOn } from "../support/program.ts"
import { patient } from "../support/run/timeouts.ts"
import type { Environment } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"

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
      Layer.merge(Anchoring.Default, Anchored.Default).pipe(
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
      const { read } = Context.get(built, Anchored)
      const log: Array<string> = []
      /** Uses the test's clock. */
      const anchor = time.by(Context.get(built, Anchoring).anchor("audit.anchor")).pipe(loggedTo(log))
      /** The warnings since the last call. */
      const warnings = () => log.splice(0).filter((line) => !line.startsWith("Anchored "))
      const act = (companyId: string, name = "x") =>
        quiet(recorded(audit, operator(companyId, name), { action: "audit.began", id: companyId, name }))
      const fault = (companyId: string) =>
        Effect.gen(function* () {
          const { places } = yield* read
          const reports = yield* Stream.runCollect(audit.verify(undefined, places))
          return [...reports].find((report) => report.companyId === companyId)?.fault
        })
      return { anchor, act, fault, read, time, warnings }
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
  it.scopedLive("have an end once, and only those that are sealed", () =>
    Effect.gen(function* () {
      const { dataDir, process, url } = yield* scene()
      const companyId = yield* trail(url, process, 3)
      const ends = Effect.map(process.read, ({ places }) =>
        (places.get(companyId) ?? []).map(({ position }) => position)
      )
      yield* process.anchor
      yield* process.anchor
      expect(readFileSync(join(dataDir, "audit-anchors.jsonl"), "utf8").split(companyId)).toHaveLength(2)
      yield* execute(url, "update audit_seals set seal = sha256('')")
      yield* process.act(companyId)
      process.warnings()
      yield* process.anchor
      expect(process.warnings()).toEqual([
        "Audit trails end with an event that doorlock has not sealed; run audit verify for details"
      ])
      expect(yield* ends).toEqual([3])
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
      expect(process.warnings()).toEqual([expect.stringMatching(/^The audit trails could not be anchored/)])
      expect((yield* Effect.flip(process.read)).message).toMatch(/^The anchors in \S+ cannot be read/)
    })
  )

  it.scopedLive("are written at start, and cover at shutdown also the last event: a refused sign-in", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const dataDir = yield* temporaryFolder
      const process = yield* processOn(url, dataDir)
      const program = yield* runOn(url, { DATA_DIR: dataDir, SEED_DEMO: "true", LOG_LEVEL: "info" })
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
      program.signal("SIGTERM")
      expect(yield* program.exited).toBe(0)
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
})

it.scopedLive("trails are not sealed after somebody removes the seals", () =>
  Effect.gen(function* () {
    const { dataDir, process, url } = yield* scene()
    const companyId = yield* trail(url, process, 4)
    yield* process.anchor
    yield* tamper(url, companyId, ...forged, "delete from audit_seals")
    const restarted = yield* processOn(url, dataDir, { time: process.time })
    yield* restarted.anchor
    expect(restarted.warnings()).toEqual([
      "Audit trails end with an event that doorlock has not sealed; run audit verify for details"
    ])
    expect(yield* restarted.fault(companyId)).toMatchObject({ kind: "anchored", position: 4 })
    expect(yield* execute(url, "select position from audit_seals")).toEqual([])
  })
)
