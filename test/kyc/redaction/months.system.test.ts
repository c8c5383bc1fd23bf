/** Months of sessions that are dropped whole (docs/privacy.md#months-that-are-dropped). */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { inject } from "vitest"
import { connect } from "../../../src/db/connection.ts"
import { SessionMonths } from "../../../src/kyc/redaction/months-service.ts"
import { Redaction } from "../../../src/kyc/redaction/service.ts"
import { figures } from "../../../src/observability/meters.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { finding } from "../../support/cli.ts"
import { createInstance, field, send, text } from "../../support/client.ts"
import { databaseOfOwner, freshDatabase, servedUrl } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { filesBelow, samples, upload } from "../../support/kyc/files.ts"
import { type Company, companyOf, companyOn } from "../../support/kyc/partner.ts"
import { opened, reviewingCompany, waitingSession } from "../../support/kyc/reviews.ts"
import { idAt, movedAgo, partitionAgo, partitionsOfBefore } from "../../support/kyc/session-ids.ts"
import { databaseUrl, execute, temporaryFolder } from "../../support/postgres.ts"
import {
  type Environment,
  type OwnServer,
  type RunningServer,
  type Services,
  startServer,
  startServerOn
} from "../../support/server.ts"

/** A server with partitions of the last twelve months, which drops a month three months after its end. */
const serverWithMonths = (settings: Environment = {}) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* partitionsOfBefore(url, 12)
    return yield* startServerOn(url, {
      DATA_DIR: yield* temporaryFolder,
      RETENTION_SESSIONS_MONTHS: "3",
      ...settings
    })
  })

/**
 * Sessions of many months are in one partition.
 *
 * @param until an SQL expression
 */
const onlyFirst = (url: Redacted.Redacted, until: string) =>
  execute(
    url,
    `do $$ declare part text; begin
       for part in select inhrelid::regclass::text from pg_inherits where inhparent = 'kyc_sessions'::regclass loop
         execute 'drop table ' || part;
       end loop;
       create table kyc_sessions_first (like kyc_sessions including defaults including constraints);
       execute format('alter table kyc_sessions attach partition kyc_sessions_first for values from (minvalue) to (%L)', first_id_of(${until}));
     end $$`
  )

/** What housekeeping does each hour. */
const hourOf = ({ services }: { readonly services: Services }) =>
  Effect.zipRight(Context.get(services, Redaction).retain, Context.get(services, SessionMonths).drop)

/** As many hours as it takes: in one of them, others may use the table. */
const hoursOf = (server: OwnServer) =>
  eventually(
    "all months that nothing holds are dropped",
    Effect.gen(function* () {
      yield* hourOf(server)
      const left = yield* execute(
        server.databaseUrl,
        "select from due_session_partitions(3, now()) where session_month_hold(low, high) is null"
      )
      return left.length === 0
    })
  )

/** As many hours as it takes until only these months, which Postgres refuses to drop, are left of those that are due. */
const hoursUntil = (server: OwnServer, left: ReadonlyArray<string>) =>
  eventually(
    "all other months are dropped",
    Effect.gen(function* () {
      yield* hourOf(server)
      const due = yield* execute(
        server.databaseUrl,
        "select part::text from due_session_partitions(3, now())"
      )
      return due.map(({ part }) => part).join() === left.join()
    })
  )

const hasPartition = ({ databaseUrl }: RunningServer, months: number) =>
  Effect.map(
    execute(databaseUrl, "select to_regclass($1) is not null as there", [partitionAgo(months)]),
    ([row]) => row?.there
  )

const sessionsIn = ({ databaseUrl }: RunningServer) =>
  Effect.map(execute(databaseUrl, "select id from kyc_sessions order by id"), (rows) =>
    rows.map(({ id }) => String(id))
  )

const dropped = ({ databaseUrl }: RunningServer) =>
  Effect.map(
    execute(
      databaseUrl,
      "select part, cleared_at is not null as cleared from dropped_session_months order by high"
    ),
    (rows) => rows.map(({ cleared, part }) => [part, cleared])
  )

/** The receipt of a new session that is completed. */
const receiptIn = ({ complete, newSession, server }: Company) =>
  Effect.gen(function* () {
    const session = yield* newSession()
    yield* complete(session)
    const { body } = yield* send(server, "POST", `${session.path}/receipt`, {
      json: { token: session.token }
    })
    return JSON.parse(Buffer.from(text(body, "receipt").split(".")[1] ?? "", "base64url").toString())
  })

const doctor = ({ databaseUrl }: RunningServer, months = "3", name = "months") =>
  finding(name, {
    env: {
      DATABASE_URL: Redacted.value(databaseUrl),
      SECRET_KEY: "a secret key for tests, 32 bytes at least",
      ...(months === "" ? {} : { RETENTION_SESSIONS_MONTHS: months })
    }
  })

it.scopedLive(
  "a month is dropped when it ended so many months ago, once its sessions are redacted and their files deleted",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const server = yield* serverWithMonths({ DATA_DIR: dataDir })
      // An instance that keeps its data for ever is no exception.
      const company = yield* companyOn(server, { config: { retention: { finishedDays: 36_500 } } })
      const session = (months: number, isFinished: boolean) =>
        Effect.gen(function* () {
          const made = yield* company.newSession({ metadata: { plan: "gold" } })
          expect((yield* upload(server, made, samples.png)).status).toBe(201)
          if (isFinished) yield* company.complete(made)
          return yield* movedAgo(server.databaseUrl, made, months)
        })
      const [finished, expired] = [yield* session(4, true), yield* session(5, false)]
      const kept = yield* session(3, true)
      const present = yield* company.newSession()
      const contents = () => filesBelow(dataDir).filter((path) => path.includes("/files/"))
      const before = contents().length
      yield* eventually(
        "both months are dropped",
        Effect.gen(function* () {
          yield* hourOf(server)
          return (yield* hasPartition(server, 4)) === false && (yield* hasPartition(server, 5)) === false
        })
      )
      expect(yield* sessionsIn(server)).toEqual([kept.id, present.id].sort())
      expect(contents().length).toBe(before / 3)
      expect(yield* hasPartition(server, 3)).toBe(true)
      for (const { id } of [finished, expired]) {
        expect((yield* company.asPartner(`/api/kyc/sessions/${id}`)).status).toBe(404)
        // It was redacted as any other.
        const { body } = yield* company.asPartner(`/api/events?type=kyc.session.redacted&resource=${id}`)
        expect(field(body, "events")).toHaveLength(1)
      }
      expect(
        yield* execute(
          server.databaseUrl,
          "select id from kyc_sessions where redacted_at is null order by id"
        )
      ).toEqual([{ id: kept.id }, { id: present.id }])
      const audit = yield* company.asMember("GET", "/api/audit-events?action=kyc_session.redacted")
      expect([field(audit.body, "events")].flat().map((event) => field(event, "actor", "name"))).toEqual([
        "doorlock",
        "doorlock"
      ])
      // The empty months before went with them, each once.
      const names = (yield* dropped(server)).map(([part]) => part)
      expect(names).toEqual([
        "kyc_sessions_first",
        ...[12, 11, 10, 9, 8, 7, 6, 5, 4].map((months) => partitionAgo(months))
      ])
      expect(yield* doctor(server)).toMatchObject({
        status: "ok",
        message: expect.stringContaining(`The last was ${partitionAgo(4)}, on 20`)
      })
    })
)

it.scopedLive("no month is dropped unless the setting is there", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    yield* hourOf(server)
    expect(yield* dropped(server)).toEqual([])
    expect(yield* doctor(server, "")).toMatchObject({
      status: "ok",
      message: "No month of sessions is dropped, because RETENTION_SESSIONS_MONTHS is not set."
    })
  })
)

it.scopedLive("what has not ended, not been redacted, or has a file holds its month, and no other", () =>
  Effect.gen(function* () {
    const server = yield* serverWithMonths()
    const company = yield* companyOn(server)
    const made = yield* company.newSession()
    const { id } = yield* movedAgo(server.databaseUrl, made, 6)
    const ask = (statement: string) => execute(server.databaseUrl, statement)
    const lane = `'${company.member.companyId}/${id}'`
    const failures = () =>
      figures().find(({ name }) => name === "doorlock_retention_failures_total")?.series[
        'what="month"'
      ]?.[0] ?? 0
    const files = "the content of a file is still to be deleted"
    const states: ReadonlyArray<readonly [string, reason: string, make: string, end: string]> = [
      [
        "a session that has not ended",
        "one of its sessions has not ended",
        `update kyc_sessions set expires_at = now() + interval '1 hour' where id = '${id}'`,
        `update kyc_sessions set expires_at = now() - interval '1 second' where id = '${id}'`
      ],
      [
        "a session that cannot be redacted",
        "one of its sessions could not be redacted yet",
        `update kyc_sessions set redacted_at = null where id = '${id}';
         create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
         create trigger refuse before update on kyc_sessions for each row when (old.id = '${id}') execute function refuse()`,
        "drop trigger refuse on kyc_sessions"
      ],
      [
        "an upload under way",
        files,
        `insert into kyc_file_uploads (id, session_id, alive_until) values (gen_random_uuid(), '${id}', now() + interval '1 hour')`,
        "delete from kyc_file_uploads"
      ],
      [
        "a content that waits for the store",
        files,
        `insert into work_jobs (kind, lane, due, payload) values ('kyc.file.removal', ${lane}, now() + interval '1 hour', '{}')`,
        "delete from work_jobs"
      ]
    ]
    for (const [what, reason, make, end] of states) {
      yield* ask(make)
      const before = failures()
      yield* hoursOf(server)
      expect(yield* doctor(server), what).toMatchObject({
        status: "warning",
        message: expect.stringContaining(`${partitionAgo(6)} (${reason})`)
      })
      expect([what, yield* sessionsIn(server)]).toEqual([what, [id]])
      expect(failures()).toBeGreaterThan(before)
      expect([yield* hasPartition(server, 7), yield* hasPartition(server, 5)]).toEqual([false, false])
      yield* ask(end)
    }
    // Files of other sessions hold nothing.
    yield* ask(
      `insert into work_jobs (kind, lane, due, payload) values ('kyc.file.removal', '${company.member.companyId}/' || ${idAt("now()")}, now() + interval '1 hour', '{}')`
    )
    yield* hoursOf(server)
    expect(yield* sessionsIn(server)).toEqual([])
  })
)

it.scopedLive("nobody waits for long: while others use the table, the month stays for another hour", () =>
  Effect.gen(function* () {
    const server = yield* serverWithMonths()
    const company = yield* companyOn(server)
    const session = yield* company.newSession()
    const hour = hourOf(server)
    // As a backup does.
    const backup = yield* connect(server.databaseUrl)
    const run = (statement: string) => Effect.promise(() => backup.query(statement))
    yield* run("begin")
    yield* run("select count(*) from kyc_sessions")
    yield* hour
    expect(yield* dropped(server)).toEqual([])
    expect(yield* doctor(server)).toMatchObject({
      status: "warning",
      message: expect.stringContaining(
        ": kyc_sessions_first (statements or a backup use sessions for long); "
      )
    })
    expect((yield* company.asPartner(`/api/kyc/sessions/${session.id}`)).status).toBe(200)
    yield* run("commit")
    yield* hoursOf(server)
    expect((yield* dropped(server)).length).toBe(10)
  })
)

it.scopedLive(
  "what Postgres refuses to drop, or somebody has locked, keeps its own month alone, and is named",
  () =>
    Effect.gen(function* () {
      const url = yield* databaseOfOwner
      yield* partitionsOfBefore(url, 9)
      const admin = databaseUrl(
        Redacted.make(inject("postgres").adminUrl),
        new URL(Redacted.value(url)).pathname.slice(1)
      )
      const other = `other_${newId().replaceAll("-", "")}`
      yield* Effect.acquireRelease(execute(admin, `create role ${other}`), () =>
        Effect.orDie(execute(admin, `drop owned by ${other}; drop role ${other}`))
      )
      yield* execute(
        admin,
        `alter table ${partitionAgo(8)} owner to ${other};
       create function our_count(${partitionAgo(7)}) returns int language sql as 'select 1';
       create view our_month as select * from ${partitionAgo(6)}`
      )
      // As a vacuum does.
      const vacuum = yield* connect(url)
      const run = (statement: string) => Effect.promise(() => vacuum.query(statement))
      yield* run(`begin; lock table ${partitionAgo(9)} in share update exclusive mode`)
      const server = yield* startServerOn(url, { RETENTION_SESSIONS_MONTHS: "3" })
      yield* hoursUntil(
        server,
        [9, 8, 7, 6].map((months) => partitionAgo(months))
      )
      const reasons = [
        `${partitionAgo(9)} (statements or a backup use sessions for long)`,
        `${partitionAgo(8)} (its partition belongs to ${other})`,
        `${partitionAgo(7)} (its partition is used by function our_count(${partitionAgo(7)}))`,
        `${partitionAgo(6)} (its partition is used by view our_month)`
      ]
      expect(yield* doctor(server)).toMatchObject({
        status: "warning",
        message: expect.stringContaining(`: ${reasons.join("; ")}.`)
      })
      yield* run("commit")
      yield* execute(admin, `drop view our_month; drop function our_count; drop table ${partitionAgo(8)}`)
      yield* hoursOf(server)
      expect(yield* hasPartition(server, 6)).toBe(false)
      expect(yield* hasPartition(server, 9)).toBe(false)
    })
)

it.scopedLive(
  "what refers to a dropped session answers without it, also before what hangs on it is deleted",
  () =>
    Effect.gen(function* () {
      const server = yield* serverWithMonths()
      const company = yield* reviewingCompany(server)
      const { databaseUrl } = server
      const shared = newKeyHash()
      const own = newKeyHash()

      // A session that a review asked to be repeated, and the one that repeats it.
      const firstMade = yield* company.newSession({ externalReference: "customer-1" })
      yield* check(company, firstMade, shared)
      yield* check(company, firstMade, own)
      yield* upload(server, firstMade, samples.png)
      yield* company.progress(firstMade, {
        status: "running",
        progress: { s_person: { name: "Ada" }, s_document: { type: "id_card" } }
      })
      yield* company.complete(firstMade)
      const asked = yield* company.asMember("POST", `/api/kyc/sessions/${firstMade.id}/review`, {
        decision: "resubmission",
        steps: ["person"],
        note: "Blurred"
      })
      expect(asked.status).toBe(200)
      const next = opened(asked)
      // Another one with the same key, and one whose review was decided.
      const other = yield* company.newSession()
      yield* check(company, other, shared)
      const decidedMade = yield* waitingSession(company)
      yield* company.asMember("POST", `/api/kyc/sessions/${decidedMade.id}/review`, { decision: "approved" })
      const keptDecided = yield* waitingSession(company)
      yield* company.asMember("POST", `/api/kyc/sessions/${keptDecided.id}/review`, { decision: "approved" })
      const first = yield* movedAgo(databaseUrl, firstMade, 5)
      const decided = yield* movedAgo(databaseUrl, decidedMade, 4)

      const readers = Effect.gen(function* () {
        const status = (path: string) => Effect.map(company.asMember("GET", path), (answer) => answer.status)
        const body = (path: string) => Effect.map(company.asMember("GET", path), (answer) => answer.body)
        for (const id of [first.id, decided.id]) {
          for (const rest of ["", "/notes", "/review", "/matches", "/export"]) {
            expect([rest, yield* status(`/api/kyc/sessions/${id}${rest}`)]).toEqual([rest, 404])
          }
        }
        expect((yield* check(company, first, shared)).status).toBe(404)
        // The lists, by each index, and page by page.
        const ids = (answer: unknown) => [field(answer, "sessions")].flat().map((one) => field(one, "id"))
        const all = [next.id, other.id, keptDecided.id].sort().reverse()
        expect(ids(yield* body("/api/kyc/sessions"))).toEqual(all)
        expect(ids(yield* body("/api/kyc/sessions?review=approved"))).toEqual([keptDecided.id])
        const queue = yield* body("/api/kyc/reviews?status=decided&limit=1")
        expect([field(queue, "reviews")].flat().map((one) => field(one, "session_id"))).toEqual([
          keptDecided.id
        ])
        expect(field(queue, "next_cursor")).toBeNull()
        // A chain begins with what is left of it.
        const read = yield* body(`/api/kyc/sessions/${next.id}`)
        expect(field(read, "session", "previous_session_id")).toBe(first.id)
        expect(yield* status(`/api/kyc/sessions/${next.id}/timeline`)).toBe(200)
        expect(yield* status(`/api/kyc/sessions/${next.id}/export`)).toBe(200)
        expect(field(yield* body(`/api/kyc/sessions/${next.id}/files`), "files")).toEqual([])
        expect((yield* send(server, "GET", `${next.path}?token=${next.token}`)).status).toBe(200)
        // Those who had the same document, without the one that is gone.
        const matches = yield* body(`/api/kyc/sessions/${other.id}/matches`)
        expect([field(matches, "matches")].flat().map((one) => field(one, "id"))).toEqual([next.id])
        // The feed still says what happened.
        const events = yield* company.asPartner(`/api/events?resource=${firstMade.id}`)
        expect([field(events.body, "events")].flat().length).toBeGreaterThan(1)
      })

      yield* Context.get(server.services, Redaction).retain
      yield* eventually(
        "the months are dropped, and nothing of what hangs on their sessions is deleted yet",
        Effect.map(
          execute(databaseUrl, "select part, hold from drop_session_month(3)"),
          (tried) => tried.length === 0
        )
      )
      const hanging = `select (select count(*)::int from kyc_reviews where session_id = any ($1)) as reviews,
      (select count(*)::int from kyc_dedup_sightings where session_id = any ($1)) as sightings,
      (select count(*)::int from kyc_dedup_records) as records`
      const ids = [[first.id, decided.id]]
      expect(yield* execute(databaseUrl, hanging, ids)).toEqual([{ reviews: 2, sightings: 2, records: 2 }])
      yield* readers
      // As if a statement of a feature had left more.
      yield* execute(
        databaseUrl,
        `insert into kyc_session_keys (session_id, sealed_key, sealed_with) values ('${first.id}', '', 'x');
       insert into kyc_browser_marks (session_id, mark) values ('${first.id}', sha256('x'))`
      )
      yield* Context.get(server.services, SessionMonths).drop
      // Both hashes are those of the session that repeats the first one, too.
      expect(yield* execute(databaseUrl, hanging, ids)).toEqual([{ reviews: 0, sightings: 0, records: 2 }])
      expect(
        yield* execute(
          databaseUrl,
          `select (select count(*)::int from kyc_session_keys where session_id = any ($1)) as keys,
          (select count(*)::int from kyc_browser_marks where session_id = any ($1)) as marks`,
          ids
        )
      ).toEqual([{ keys: 0, marks: 0 }])
      expect((yield* dropped(server)).every(([, cleared]) => cleared)).toBe(true)
      yield* readers
      const again = yield* company.newSession()
      expect((yield* check(company, again, shared)).body).toMatchObject({
        matchFound: true,
        seenCount: 3,
        firstSessionId: first.id
      })
    })
)

it.scopedLive(
  "a key hash that no kept session has is forgotten, also while somebody comes back with it",
  () =>
    Effect.gen(function* () {
      const server = yield* serverWithMonths()
      const company = yield* companyOn(server)
      const hashes = Array.from({ length: 20 }, newKeyHash)
      for (const hash of hashes) {
        const made = yield* company.newSession()
        yield* check(company, made, hash)
        yield* company.complete(made)
        yield* movedAgo(server.databaseUrl, made, 4)
      }
      const comingBack = Effect.forEach(hashes, (hash) =>
        Effect.flatMap(company.newSession(), (session) => check(company, session, hash))
      )
      const [answers] = yield* Effect.all([comingBack, hoursOf(server)], { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status)).toEqual(hashes.map(() => 200))
      // Each is known by the session that came back, and counted by no other, or by the dropped one, too.
      expect(
        yield* execute(
          server.databaseUrl,
          `select count(*)::int as records, count(*) filter (where seen_count between 1 and 2)::int as counted,
          (select count(*)::int from kyc_dedup_sightings) as sightings from kyc_dedup_records`
        )
      ).toEqual([{ records: 20, counted: 20, sightings: 20 }])
    })
)

it.scopedLive(
  "the service's role drops no month that has data, and a role that may not change sessions none",
  () =>
    Effect.gen(function* () {
      const server = yield* serverWithMonths()
      const company = yield* companyOn(server)
      const session = yield* movedAgo(server.databaseUrl, yield* company.newSession(), 4)
      const served = servedUrl(server.databaseUrl)
      for (const months of [3, 0, -100]) {
        yield* eventually(
          "only what has data is left",
          Effect.map(execute(served, "select hold from drop_session_month($1)", [months]), (tried) =>
            tried.every(({ hold }) => hold !== null)
          )
        )
      }
      expect(yield* sessionsIn(server)).toEqual([session.id])
      // The month that runs is nobody's to drop.
      expect(yield* hasPartition(server, 0)).toBe(true)
      const reader = `reader_${newId().replaceAll("-", "")}`
      yield* Effect.acquireRelease(
        execute(server.databaseUrl, `create role ${reader} login; grant select on kyc_sessions to ${reader}`),
        () => Effect.orDie(execute(server.databaseUrl, `drop owned by ${reader}; drop role ${reader}`))
      )
      const asReader = `set session authorization ${reader}; select from drop_session_month(0)`
      expect((yield* Effect.flip(execute(server.databaseUrl, asReader))).cause).toMatchObject({
        code: "42501"
      })
    })
)

it.scopedLive(
  "sessions in the first partition are redacted by the months in which they ended, before that is dropped",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* onlyFirst(url, "now() + interval '1 year'")
      const server = yield* startServerOn(url, { RETENTION_SESSIONS_MONTHS: "3" })
      const company = yield* companyOn(server, {
        config: { review: { mode: "manual" }, retention: { finishedDays: 36_500 } }
      })
      const session = (months: number, isFinished: boolean) =>
        Effect.gen(function* () {
          const made = yield* company.newSession()
          if (isFinished) yield* company.complete(made)
          return (yield* movedAgo(url, made, months)).id
        })
      const due = [yield* session(30, true), yield* session(4, true), yield* session(5, false)]
      const recent = yield* session(2, true)
      expect(yield* doctor(server, "3", "reviews")).toMatchObject({
        status: "warning",
        message: "2 sessions wait for a review and are redacted within 7 days, when the retention ends."
      })
      const kept = [recent, yield* session(3, true), yield* session(3, false)]
      yield* hourOf(server)
      const redacted = (is: string) =>
        Effect.map(
          execute(url, `select id from kyc_sessions where redacted_at is ${is} order by id`),
          (rows) => rows.map(({ id }) => id)
        )
      expect(yield* redacted("not null")).toEqual(due.sort())
      expect(yield* redacted("null")).toEqual(kept.sort())
      expect(yield* dropped(server)).toEqual([])
      // A receipt says when its own month is redacted.
      const receipt: unknown = yield* receiptIn(company)
      const ended = new Date(text(receipt, "session", "completed_at"))
      const end = new Date(Date.UTC(ended.getUTCFullYear(), ended.getUTCMonth() + 4)).toISOString()
      expect(field(receipt, "kept_until")).toEqual({ data: end, files: end })
    })
)

it.scopedLive("a receipt says when the month ends, at the latest", () =>
  Effect.gen(function* () {
    const server = yield* serverWithMonths()
    const { key, member } = yield* companyOn(server)
    for (const [retention, data, files] of [
      [{ finishedDays: 3650, filesDays: 1 }, undefined, 1],
      [{ finishedDays: 2 }, 2, 2]
    ] as const) {
      const instance = yield* createInstance(server, member, { config: { retention } })
      const receipt: unknown = yield* receiptIn(companyOf(server, member, key, instance))
      const created = new Date(text(receipt, "session", "created_at"))
      const end = Date.parse(text(receipt, "session", "completed_at"))
      const after = (days: number | undefined) =>
        days === undefined
          ? new Date(Date.UTC(created.getUTCFullYear(), created.getUTCMonth() + 4))
          : new Date(end + days * 86_400_000)
      expect(field(receipt, "kept_until")).toEqual({
        data: after(data).toISOString(),
        files: after(files).toISOString()
      })
    }
  })
)
