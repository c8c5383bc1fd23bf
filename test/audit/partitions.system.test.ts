/** Audit events are in partitions by company, and are what they were before. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, type Redacted, Stream } from "effect"
import { operator } from "../../src/audit/model.ts"
import { AuditRepo } from "../../src/audit/repo.ts"
import { Audit } from "../../src/audit/service.ts"
import { migrate } from "../../src/db/migrations.ts"
import { newId } from "../../src/shared/identifier.ts"
import { audited, recorded } from "../support/audit/audited.ts"
import { migrationsBefore } from "../support/database/earlier.ts"
import { databaseOn, emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"

const by = 'Zoë "x"'

/** An installation of the version before, with companies that have so many events together, each at most 300. */
const earlierInstallation = (events: number) =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* migrate({ url, folder: yield* migrationsBefore("0065") })
    for (let left = events; left > 0; left -= 300) {
      yield* execute(
        url,
        `insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, resource_name, details)
         select company, gen_random_uuid(), 'operator', '${by}', 'audit.began', 'company', company, null, json_build_object('n', n, 'text', e'a\\u2028b \\t')
         from generate_series(1, ${Math.min(left, 300)}) n, (select '${newId()}'::uuid) as given (company)`
      )
    }
    return url
  })

/** The statements of the version before are those of this one. */
const trailsOn = (url: Redacted.Redacted) =>
  Effect.map(Layer.build(audited().pipe(Layer.provide(databaseOn({ url, maxConnections: 4 })))), (built) => ({
    audit: Context.get(built, Audit),
    repo: Context.get(built, AuditRepo)
  }))

/** All columns of the events that the installation had. */
const contents = (url: Redacted.Redacted) =>
  execute(
    url,
    "select count(*)::int as events, md5(string_agg(e::text, '|' order by company_id, position)) as content from audit_events e where actor_name = $1",
    [by]
  )

const wrongHashes =
  "select count(*)::int as wrong from audit_events e where hash <> sha256(convert_to(audit_text(e), 'UTF8'))"

const partitions = (url: Redacted.Redacted) =>
  execute(
    url,
    `select relname as name, pg_get_expr(relpartbound, oid) as bound from pg_inherits join pg_class on oid = inhrelid
     where inhparent = 'audit_events'::regclass order by 1`
  )

const divided = Array.from({ length: 16 }, (_, n) => ({
  name: `audit_events_${String(n).padStart(2, "0")}`,
  bound: `FOR VALUES WITH (modulus 16, remainder ${n})`
}))
const whole = [{ name: "audit_events_whole", bound: "FOR VALUES WITH (modulus 1, remainder 0)" }]

/** Runs statements of docs/operations.md, as an operator does. */
const runFromDocs = (url: Redacted.Redacted, pattern: RegExp) =>
  Effect.gen(function* () {
    const page = yield* Effect.promise(() =>
      readFile(join(import.meta.dirname, "../../docs/operations.md"), "utf8")
    )
    yield* execute(url, pattern.exec(page)?.[1] ?? expect.fail("operations.md has no such statement"))
  })

const divide = (url: Redacted.Redacted) =>
  runFromDocs(url, /psql "\$DATABASE_URL" -c '(call audit_divide\(\))'/)

it.scopedLive(
  "a large trail stays in one place until the operator divides it, while processes of the version before write: no event is lost or changed, and no chain breaks",
  () =>
    Effect.gen(function* () {
      const url = yield* earlierInstallation(21_000)
      const before = yield* contents(url)
      const [file] = yield* execute(url, "select pg_relation_filenode('audit_events') as file")
      // Each has a company of its own, and all share one.
      const shared = newId()
      const writers = Array.from({ length: 4 }, () => ({ company: newId(), events: 0 }))
      let isOver = false
      const running = yield* Effect.fork(
        Effect.forEach(
          writers,
          (writer) =>
            Effect.gen(function* () {
              const { audit } = yield* trailsOn(url)
              for (; !isOver; writer.events++) {
                for (const id of [writer.company, shared]) {
                  yield* recorded(audit, operator(id, "x"), { action: "audit.began", id, name: null })
                }
              }
            }),
          { concurrency: "unbounded" }
        )
      )
      const goesOn = (what: string) => {
        const least = writers.map((writer) => writer.events + 2)
        const more = eventually(what, () =>
          writers.every((writer, place) => writer.events > (least[place] ?? 0))
        )
        return Effect.raceFirst(more, Effect.zipRight(Fiber.join(running), Effect.dieMessage(what)))
      }
      yield* goesOn("each has written")
      yield* migrate({ url })
      yield* goesOn("each writes on")
      isOver = true
      yield* Fiber.join(running)

      const { audit, repo } = yield* trailsOn(url)
      const isWhole = Effect.gen(function* () {
        expect(yield* repo.interference).toEqual([])
        expect(yield* contents(url)).toEqual(before)
        expect(yield* execute(url, wrongHashes)).toEqual([{ wrong: 0 }])
        const trails = [
          ...writers.map((writer) => [writer.company, writer.events] as const),
          [shared, writers.reduce((sum, writer) => sum + writer.events, 0)] as const
        ]
        for (const [id, written] of trails) {
          expect([...(yield* Stream.runCollect(audit.verify(id)))]).toMatchObject([
            { events: written, fault: null }
          ])
        }
      })
      yield* isWhole
      expect(yield* partitions(url)).toEqual(whole)
      expect(yield* execute(url, "select pg_relation_filenode('audit_events_whole') as file")).toEqual([file])

      yield* divide(url)
      expect(yield* partitions(url)).toEqual(divided)
      yield* isWhole
      expect((yield* Effect.flip(execute(url, "call audit_divide()"))).cause).toMatchObject({
        message: "the audit events are divided already"
      })
      for (const { company: id } of writers) {
        yield* recorded(audit, operator(id, "x"), { action: "audit.began", id, name: null })
      }
      for (const writer of writers) writer.events++
      expect([...(yield* Stream.runCollect(audit.verify(writers[0]?.company)))]).toMatchObject([
        { events: writers[0]?.events, fault: null }
      ])
    })
)

it.scopedLive(
  "the operator's own indexes, grants and views stay; with a view, the trail is not divided",
  () =>
    Effect.gen(function* () {
      for (const hasView of [false, true]) {
        const url = yield* earlierInstallation(5)
        yield* execute(
          url,
          `create index our_report on audit_events (company_id, address) where address is not null;
         grant select on audit_events to pg_monitor;
         ${hasView ? "create view our_view as select * from audit_events" : ""}`
        )
        yield* migrate({ url })
        expect(yield* partitions(url)).toEqual(hasView ? whole : divided)
        for (const index of ["our_report", "audit_events_pkey", "audit_events_company_id"]) {
          expect(
            yield* execute(
              url,
              "select count(*)::int as n from pg_inherits join pg_index on indexrelid = inhrelid where inhparent = $1::regclass and indisvalid",
              [index]
            )
          ).toEqual([{ n: hasView ? 1 : 16 }])
        }
        expect(
          yield* execute(
            url,
            "select privilege_type as right from pg_class, aclexplode(relacl) where oid = 'audit_events'::regclass and grantee = 'pg_monitor'::regrole"
          )
        ).toEqual([{ right: "SELECT" }])
        if (hasView) {
          expect(yield* execute(url, "select count(*)::int as n from our_view")).toEqual([{ n: 5 }])
        }
        expect(yield* (yield* trailsOn(url)).repo.interference).toEqual([])
      }
    })
)
