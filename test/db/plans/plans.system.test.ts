/**
 * No statement of the service reads more of a table as the table grows, however much a company stores and whatever it asks
 * for. The test checks the plans of all statements that the routes, the housekeeping and the command line execute on a full
 * database.
 *
 * `SESSIONS=1000000 bun run test db/plans` runs it at full size.
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, type Redacted, Stream } from "effect"
import { AdministrationRepo } from "../../../src/accounts/administration-repo.ts"
import { AccountRepo } from "../../../src/accounts/repo.ts"
import { AuditRepo } from "../../../src/audit/repo.ts"
import { Audit } from "../../../src/audit/service.ts"
import { PhotoBandRepo } from "../../../src/kyc/checks/duplicates-repo.ts"
import { ReadingRepo } from "../../../src/kyc/checks/readings-repo.ts"
import { SessionMonthRepo } from "../../../src/kyc/redaction/months-repo.ts"
import { RedactionRepo } from "../../../src/kyc/redaction/repo.ts"
import { tidy } from "../../../src/process/housekeeping.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { WorkRepo } from "../../../src/work/repo.ts"
import { StoredWorkRepo } from "../../../src/work/stored-repo.ts"
import { fill } from "../../fill/fill.ts"
import { createInstance, createKey, signUp } from "../../support/client.ts"
import { databaseOn, freshDatabase } from "../../support/database.ts"
import { publishApi, subscribed, subscriberOf } from "../../support/marketplace/subscriptions.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { startServerOn } from "../../support/server.ts"
import { explaining } from "./explained.ts"
import { type Exception, fault, partitionsRead } from "./judge.ts"
import { type Host, walk } from "./walk.ts"

const sessions = Number(process.env.SESSIONS ?? 10_000)
const sizes = {
  sessions,
  keys: Math.max(5_000, sessions / 10),
  companies: Math.max(2_500, sessions / 100)
}

/**
 * Tables that do not grow: usage of the last second, the processes of the last week,
 * the times when the clock was set back, events that are not in the log yet, migrations.
 */
const small = [
  "api_usage_batches",
  "api_usage_recorders",
  "api_usage_unsent",
  "audit_setbacks",
  // One for each month.
  "dropped_session_months",
  "event_log_end",
  "event_outbox",
  "event_watermarks",
  // One for each rotation.
  "receipt_keys",
  "schema_migrations"
]

/** Whether the tables have their full size. The planner reads small tables whole where it would use an index on large ones. */
const isFull = sessions >= 500_000

const exceptions: ReadonlyArray<Exception> = [
  {
    text: "from apis where status = 'published') as total",
    reason:
      "the catalog says how many APIs there are, and pages of it are named by their offset (contract.md#published-apis)"
  },
  {
    text: "where u.subscription_id in (select id from subscriptions where api_id =",
    reason: "a publisher's usage is that of all subscribers, of a year at most"
  },
  {
    text: "select count(*)::int as total from subscriptions s",
    reason: "a publisher is told how many subscribers there were in the period"
  },
  {
    text: "group by grouping sets ((u.day, k.mode, u.outcome), (k.id, k.mode, u.outcome))",
    reason: "a subscription's usage is that of all its keys, of a year at most"
  },
  {
    text: "cross join lateral jsonb_each_text(n.step_seconds)",
    reason: "a funnel is of the newest 5,000 sessions of an instance at most"
  },
  {
    text: "with recursive of_work_lanes as",
    reason: "the jobs of each kind are counted up to 100,000, for /metrics and the operator"
  },
  {
    text: "from pg_inherits join pg_class c on c.oid = inhrelid",
    reason:
      "the housekeeping looks through the partitions of all tables, of which there are some for each month",
    most: 20_000
  },
  {
    text: "select id, name from companies",
    reason: "the operator's command line names companies, and may not say which"
  }
]

/** A statement about one session, which it names by its id. Statements about several have a range of ids, which may extend over two months. */
const namesSession = /kyc_sessions.*(?<!known\.)\bid = \$\d/

/** Statements that follow a session to those before it, which may be in other partitions. */
const followsChain = /with recursive (?:before|chain|session) /

/** A company with one of everything that the walk needs, created through the API. */
const hostOn = (server: Parameters<typeof signUp>[0]) =>
  Effect.gen(function* () {
    const owner = yield* signUp(server)
    const api = yield* publishApi(server, owner)
    const subscription = subscribed(
      yield* subscriberOf(server, owner).subscribe({ id: api.id, planId: api.unlimitedPlanId })
    )
    return {
      owner,
      key: (yield* createKey(server, owner)).token,
      instance: yield* createInstance(server, owner),
      publisherSlug: api.publisherSlug,
      api: { id: api.id, slug: api.slug, planId: api.unlimitedPlanId },
      subscription
    } satisfies Host
  })

/** What a dispatcher and the operator's commands ask of the work that waits. */
const dispatched = Effect.gen(function* () {
  const repo = yield* WorkRepo
  const stored = yield* StoredWorkRepo
  const holder = newId()
  const lanes = [
    ...(yield* repo.claim(holder, ["test.number"], 32)),
    ...(yield* repo.claim(holder, ["test.number"], 32, ["lane 8"]))
  ]
  const found = yield* repo.fetch(holder, lanes, 64, [])
  const jobs = found.flatMap(({ job }) => (job === null ? [] : [job]))
  const [first, second, ...others] = jobs.map(({ attempt, id }) => ({ attempt, id }))
  if (first === undefined || second === undefined) return yield* Effect.dieMessage("There is no work")
  yield* repo.settle([
    { ...first, outcome: { kind: "again", after: 60_000 } },
    { ...second, outcome: { kind: "poison", reason: "Made up" } },
    ...others.map((job) => ({ ...job, outcome: { kind: "done" } as const }))
  ])
  yield* repo.renew(holder, lanes)
  const [last, ...released] = lanes
  yield* repo.release(
    holder,
    released.map((lane) => ({ ...lane, version: 1 }))
  )
  if (last !== undefined) yield* repo.giveBack(holder, [{ ...last, hadPage: true }])
  yield* stored.figures(["test.number"])
  const poison = yield* stored.poison("test.number", 1_000)
  yield* stored.poison(undefined, 1_000)
  const [newest, next] = poison
  yield* stored.retry({ id: newest?.id ?? "0" })
  yield* stored.drop({ id: next?.id ?? "0" })
})

/** What a photo is compared with; some of its bands are those of many others. */
const compared = ({ owner }: Host) =>
  Effect.gen(function* () {
    const repo = yield* PhotoBandRepo
    const [session, file] = [newId(), newId()]
    const bands = Array.from({ length: 32 }, (_, band) => ({ file_id: file, band, mac: String(band) }))
    yield* repo.store(owner.companyId, bands)
    yield* repo.find(owner.companyId, session, bands)
  })

/** What is asked of a photo that is read. */
const read = Effect.gen(function* () {
  const repo = yield* ReadingRepo
  const [session, file] = [newId(), newId()]
  yield* repo.isAwaited(session, file)
  yield* repo.store([{ fileId: file, content: null }])
})

/**
 * What retention asks of the month of the oldest sessions, and what it deletes of some of them as if they were dropped. Nothing is dropped
 * itself: the walk reads all sessions.
 */
const monthsEnd = Effect.gen(function* () {
  const months = yield* SessionMonthRepo
  const sessions = yield* RedactionRepo
  const [oldest] = yield* months.due(0)
  if (oldest === undefined) return yield* Effect.dieMessage("There is no partition of an earlier month")
  yield* months.hold(oldest)
  yield* sessions.finishedIn(oldest, [])
  yield* sessions.expiredIn(oldest, [])
  const high = Bun.randomUUIDv7("hex", Date.now() - 350 * 86_400_000)
  const part = { part: "kyc_sessions_first", low: oldest.low, high }
  yield* Effect.forEach(months.deletions, (some) => some(part, part.low))
  yield* months.markCleared(part)
})

/** All statements from the start of the service until it has stopped. */
const explainedWalk = (
  databaseUrl: Redacted.Redacted<string>,
  host: Host,
  settings: Readonly<Record<string, string>>
) =>
  Effect.gen(function* () {
    const { statements, url } = yield* explaining(databaseUrl, settings)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const { services, ...server } = yield* startServerOn(url, {
          DATA_DIR: dataDir,
          GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
          RETENTION_SESSIONS_MONTHS: "1200"
        })
        expect(yield* walk(server, host), "call these routes in test/db/plans/walk.ts").toEqual([])
        yield* Effect.gen(function* () {
          yield* tidy
          yield* (yield* AccountRepo).anyCompany
          yield* Stream.runDrain((yield* Audit).verify(host.owner.companyId))
          const { ends, lock, old, putSeal, replaceSeal } = yield* AuditRepo
          const seal = { position: 1, seal: new Uint8Array(32) }
          yield* ends
          yield* old([{ companyId: host.owner.companyId, position: 1 }])
          yield* lock(host.owner.companyId)
          yield* replaceSeal(host.owner.companyId, seal, seal.seal)
          yield* putSeal(host.owner.companyId, seal)
        }).pipe(Effect.provide(services))
        yield* Effect.provide(
          compared(host).pipe(Effect.zipRight(read), Effect.zipRight(monthsEnd)),
          Layer.mergeAll(
            PhotoBandRepo.Default,
            ReadingRepo.Default,
            SessionMonthRepo.Default,
            RedactionRepo.Default
          ).pipe(Layer.provide(databaseOn({ url, maxConnections: 1 })))
        )
        yield* Effect.provide(
          dispatched,
          Layer.merge(WorkRepo.Default, StoredWorkRepo.Default).pipe(
            Layer.provide(databaseOn({ url, maxConnections: 1 }))
          )
        )
        yield* Effect.gen(function* () {
          const administration = yield* AdministrationRepo
          yield* administration.findCompanies({ id: host.owner.companyId }, 2)
          yield* administration.findCompanies({ name: "Company 7" }, 2)
          yield* administration.findCompanies({}, 2)
        }).pipe(
          Effect.provide(
            AdministrationRepo.Default.pipe(Layer.provide(databaseOn({ url, maxConnections: 1 })))
          )
        )
      })
    )
    return statements
  })

it.scopedLive(
  "no statement reads more rows as the tables grow",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const host = yield* Effect.scoped(Effect.flatMap(startServerOn(databaseUrl), hostOn))
      yield* fill(databaseUrl, host.owner.companyId, sizes)

      const tables = yield* execute(
        databaseUrl,
        "select relname as name, reltuples as rows from pg_class where relkind = 'r' and not relispartition and relnamespace = 'public'::regnamespace order by relname"
      )
      expect(
        tables.filter(({ rows }) => Number(rows) < 500).map(({ name }) => name),
        "tables with fewer than 500 rows; fill a new one in test/fill"
      ).toEqual(small)

      const statements = yield* Effect.scoped(
        explainedWalk(databaseUrl, host, isFull ? {} : { enable_seqscan: "off" })
      )

      const used = new Set<Exception>()
      const indexes = yield* execute(
        databaseUrl,
        "select indexname as index, tablename as table from pg_indexes"
      )
      const tableOfIndex = new Map(indexes.map(({ index, table }) => [String(index), String(table)]))
      const tableOf = (index: string) => tableOfIndex.get(index) ?? index
      const faults = statements.flatMap((statement) => {
        const found = fault(statement, tableOf, small)
        if (found === undefined) return []
        const excused = exceptions.find(({ text }) => statement.text.includes(text))
        if (excused !== undefined) used.add(excused)
        if (excused?.most === undefined) return excused === undefined ? [found] : []
        return fault(statement, tableOf, small, excused.most) ?? []
      })
      expect([...new Set(faults)]).toEqual([])
      expect(exceptions.filter((exception) => !used.has(exception))).toEqual([])

      const ofSession = statements.filter(
        ({ text }) => namesSession.test(text.replaceAll(/\s+/g, " ")) && !followsChain.test(text)
      )
      expect(ofSession.length).toBeGreaterThan(50)
      const several = ofSession.flatMap(({ plan, text }) => {
        const read = partitionsRead(plan, tableOf)
        return read.length > 1 ? [`${read.join(", ")}: ${text.replaceAll(/\s+/g, " ").trim()}`] : []
      })
      expect([...new Set(several)], "statements about one session that read several partitions").toEqual([])
    }),
  600_000
)
