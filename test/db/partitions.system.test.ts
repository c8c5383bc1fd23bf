/** Sessions are in partitions by the time of their ids. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { migrate } from "../../src/db/migrations.ts"
import { newId } from "../../src/shared/identifier.ts"
import { migrationsBefore } from "../support/database/earlier.ts"
import { databaseOfOwner, emptyDatabase, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { earlierCompany, earlierSessions, writingUntil } from "../support/kyc/earlier-writer.ts"
import { idAt } from "../support/kyc/session-ids.ts"
import { execute } from "../support/postgres.ts"

const writers = 4

const partitions = `
  select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits join pg_class c on c.oid = inhrelid
  where inhparent = 'kyc_sessions'::regclass order by 2`

/** A database that the version before partitions has migrated, with so many sessions. */
const earlierInstallation = (sessions: number) =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* migrate({ url, folder: yield* migrationsBefore("0055") })
    yield* earlierCompany(url)
    yield* earlierSessions(url, sessions)
    return url
  })

const counts = "select count(*)::int as all, count(distinct id)::int as distinct from kyc_sessions"

it.scopedLive(
  "sessions move into partitions while processes of the version before write: nothing fails, nothing is lost",
  () =>
    Effect.gen(function* () {
      const url = yield* earlierInstallation(2_000)
      // One that a review asked for, and the one before it.
      yield* execute(
        url,
        `update kyc_sessions s set previous_session_id = p.id from (select id from kyc_sessions order by id limit 1) p
       where s.id = (select id from kyc_sessions order by id desc limit 1)`
      )
      let isOver = false
      let begun = 0
      const running = yield* Effect.fork(
        Effect.all(
          Array.from({ length: writers }, () =>
            writingUntil(url, () => {
              begun++
              return isOver
            })
          ),
          { concurrency: "unbounded" }
        )
      )
      /** Fails with the first statement of a writer that fails. */
      const goesOn = (what: string) => {
        const least = begun + 2 * writers
        const written = eventually(what, () => begun > least)
        return Effect.raceFirst(written, Effect.zipRight(Fiber.join(running), Effect.dieMessage(what)))
      }
      yield* goesOn("each writer has written")
      yield* migrate({ url })
      yield* goesOn("each writer writes on")
      isOver = true
      const written = (yield* Fiber.join(running)).reduce((sum, { sessions }) => sum + sessions, 0)
      expect(yield* execute(url, counts)).toEqual([{ all: 2_000 + written, distinct: 2_000 + written }])
      expect(yield* execute(url, "select count(*)::int as n from kyc_sessions_first")).toEqual([
        { n: 2_000 + written }
      ])
      expect(
        yield* execute(
          url,
          `select count(*)::int as n from kyc_sessions p join kyc_sessions n on n.id = p.next_session_id
         where n.previous_session_id = p.id`
        )
      ).toEqual([{ n: 1 }])
      // The first partition has what the others have, so no index was built while others waited.
      const [first, other] = yield* execute(
        url,
        `select c.relname, count(*)::int as indexes from pg_index join pg_class c on c.oid = indrelid
       where c.relname in ('kyc_sessions_first', (select max(relname) from pg_class where relname ~ '^kyc_sessions_[0-9]{6}$'))
         and not (indisunique and not indisprimary) group by 1 order by 1 desc`
      )
      expect(first?.indexes).toBe(other?.indexes)
      expect(
        yield* execute(
          url,
          "select count(*)::int as n from pg_constraint where contype = 'f' and confrelid = 'kyc_sessions'::regclass"
        )
      ).toEqual([{ n: 0 }])
    })
)

it.scopedLive("an id from a process whose clock was wrong does not keep sessions from moving", () =>
  Effect.gen(function* () {
    const url = yield* earlierInstallation(10)
    yield* execute(
      url,
      "update kyc_sessions set id = $1 where id = (select id from kyc_sessions order by id limit 1)",
      [Bun.randomUUIDv7("hex", Date.now() + 20 * 365 * 86_400_000)]
    )
    yield* migrate({ url })
    expect(yield* execute(url, "select count(*)::int as n from kyc_sessions_first")).toEqual([{ n: 10 }])
    yield* execute(url, "call roll_session_partitions()")
    expect((yield* execute(url, partitions)).length).toBe(1)
  })
)

it.scopedLive("an installation that has no session yet creates its first ones between the migrations", () =>
  Effect.gen(function* () {
    const url = yield* earlierInstallation(0)
    const some = () => {
      let begun = 0
      return Effect.asVoid(writingUntil(url, () => begun++ === 2))
    }
    for (const next of ["0058", "0059", "0060"]) {
      yield* migrate({ url, folder: yield* migrationsBefore(next) })
      if (next !== "0060") yield* some()
    }
    yield* migrate({ url })
    yield* some()
    expect(yield* execute(url, counts)).toEqual([{ all: 6, distinct: 6 }])
    expect(yield* execute(url, "select count(*)::int as n from kyc_sessions_first")).toEqual([{ n: 6 }])
  })
)

it.scopedLive(
  "indexes of the operator's own stay, on all partitions; one that is not valid is in nobody's way",
  () =>
    Effect.gen(function* () {
      const url = yield* earlierInstallation(10)
      yield* execute(
        url,
        "create index our_report on kyc_sessions (mode, created_at) where status = 'failed'"
      )
      yield* execute(url, "create index our_kyc_sessions_broken on kyc_sessions (mode)")
      yield* execute(
        url,
        "update pg_index set indisvalid = false where indexrelid = 'our_kyc_sessions_broken'::regclass"
      )
      yield* migrate({ url })
      const all = yield* execute(url, partitions)
      expect(
        yield* execute(
          url,
          `select count(*)::int as n from pg_inherits join pg_index on indexrelid = inhrelid
         where inhparent = 'our_report'::regclass and indisvalid`
        )
      ).toEqual([{ n: all.length }])
    })
)

it.scopedLive(
  "partitions of the next three months are there, without a gap, also after the service was down for long",
  () =>
    Effect.gen(function* () {
      const url = yield* databaseOfOwner
      const roll = execute(url, "call roll_session_partitions()")
      const known = yield* execute(url, partitions)
      expect(known.length).toBeGreaterThanOrEqual(5)
      yield* roll
      expect(yield* execute(url, partitions)).toEqual(known)
      // As if nobody had created any for months.
      for (const { name } of known.slice(1, -1)) yield* execute(url, `drop table ${String(name)}`)
      yield* Effect.all([roll, roll, roll], { concurrency: "unbounded" })
      expect(yield* execute(url, partitions)).toEqual(known)
      // Three months may have fewer days than their longest month three times.
      const days = yield* execute(
        url,
        `select ${idAt("day")} as id from generate_series(now(), now() + interval '3 months', interval '1 day') as day`
      )
      const ids = [newId(), Bun.randomUUIDv7("hex", 0), ...days.map(({ id }) => String(id))]
      const into = `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, token_hash, expires_at)
      select id, id, id, id, 'prod', '', now() from unnest($1::uuid[]) as given (id)`
      yield* execute(url, into, [ids])
      expect(yield* execute(url, counts)).toEqual([{ all: ids.length, distinct: ids.length }])
    })
)

it.scopedLive("a session has one next session, also if two processes insert it at once", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const insert = (previous: string | null) => {
      const id = newId()
      return Effect.as(
        execute(
          url,
          `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, token_hash, expires_at, previous_session_id)
           values ($1, $1, $1, $1, 'prod', '', now(), $2)`,
          [id, previous]
        ),
        id
      )
    }
    const first = yield* insert(null)
    const tried = yield* Effect.all(
      Array.from({ length: 8 }, () => Effect.option(insert(first))),
      { concurrency: "unbounded" }
    )
    const made = tried.flatMap((one) => (one._tag === "Some" ? [one.value] : []))
    expect(made).toHaveLength(1)
    expect(yield* execute(url, "select next_session_id from kyc_sessions where id = $1", [first])).toEqual([
      { next_session_id: made[0] }
    ])
    expect((yield* Effect.flip(insert(newId()))).cause).toMatchObject({
      code: "23505",
      constraint: "kyc_sessions_next"
    })
  })
)
