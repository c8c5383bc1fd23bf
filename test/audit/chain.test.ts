/** Why a trail can be trusted: it is append-only, and its chain and seal expose changes. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, type Redacted, Stream } from "effect"
import { type Head, readHead, sealOf, writeHead } from "../../src/audit/chain-model.ts"
import { operator } from "../../src/audit/model.ts"
import { Audit } from "../../src/audit/service.ts"
import { audited, recorded, tamper as tamperOn } from "../support/audit/audited.ts"
import { databaseOfOwner, databaseOn, freshDatabase } from "../support/database.ts"
import { execute } from "../support/postgres.ts"
import { suite } from "../support/suite.ts"

/** A database with trails, and the service on it. */
class Trails extends Context.Tag("Trails")<
  Trails,
  { readonly url: Redacted.Redacted; readonly audit: Audit }
>() {
  static readonly on = (url: Redacted.Redacted) =>
    Effect.map(
      Layer.build(audited().pipe(Layer.provide(databaseOn({ url, maxConnections: 4 })))),
      (built) => ({ url, audit: Context.get(built, Audit) })
    )
  static readonly layer = Layer.scoped(Trails, Effect.orDie(Effect.flatMap(freshDatabase, Trails.on)))
}

/** A company with this many events, written by the service. */
const trail = (events: number) =>
  Effect.gen(function* () {
    const { audit, url } = yield* Trails
    const companyId = crypto.randomUUID()
    yield* execute(url, "insert into companies (id, name) values ($1, 'Acme')", [companyId])
    for (let event = 0; event < events; event++) {
      yield* recorded(audit, operator(companyId, 'Zoë "the" \\operator\n'), {
        action: "kyc_instance.changed",
        id: crypto.randomUUID(),
        name: null,
        details: { name: { from: "a\u2028b", to: "𝄞" }, __proto__x: [1, 1e21, null, true] }
      })
    }
    return companyId
  })

const tamper = (companyId: string, ...statements: ReadonlyArray<string>) =>
  Effect.flatMap(Trails, ({ url }) => tamperOn(url, companyId, ...statements))

const verify = (companyId: string, noted?: Head) =>
  Effect.flatMap(Trails, ({ audit }) =>
    Effect.map(
      Stream.runCollect(
        audit.verify(
          companyId,
          noted === undefined ? new Map() : new Map([[companyId, [{ ...noted, by: "noted" }]]])
        )
      ),
      (reports) => [...reports][0] ?? expect.fail("There is no report")
    )
  )

const sealed = (position: number) =>
  `update audit_events e set hash = sha256(convert_to(audit_text(e), 'UTF8'))
   where company_id = $company and position = ${position}`

/** The values of an `insert`, at the given position. */
const another = (position: number) =>
  `insert into audit_events
   select company_id, ${position}, gen_random_uuid(), at, actor_kind, actor_id, actor_name, address, user_agent, action,
     resource_kind, resource_id, resource_name, details, hash, hash
   from audit_events where company_id = $company and position = ${position - 1}`

suite(Trails.layer)("verify", (it) => {
  it.effect("reports the number of events and the last one of an unchanged trail", () =>
    Effect.gen(function* () {
      const { url } = yield* Trails
      const companyId = yield* trail(7)
      const [last] = yield* execute(
        url,
        "select encode(hash, 'hex') as hash from audit_heads where company_id = $1",
        [companyId]
      )
      expect(yield* verify(companyId)).toStrictEqual({
        companyId,
        events: 7,
        head: { position: 7, hash: last?.hash },
        fault: null
      })
    })
  )

  it.effect("verifies trails longer than one batch", () =>
    Effect.gen(function* () {
      const { url } = yield* Trails
      const companyId = yield* trail(1)
      yield* execute(
        url,
        `insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, details)
         select '${companyId}', gen_random_uuid(), 'operator', 'x', 'audit.began', 'company', '${companyId}',
           json_build_object('n', n) from generate_series(2, 1500) n`
      )
      // An attacker with write access can append an event, but cannot seal it.
      expect(yield* verify(companyId)).toMatchObject({
        events: 1500,
        fault: { position: 2, kind: "unsealed" }
      })
      const { audit } = yield* Trails
      expect(yield* audit.sealUp(companyId, [], operator(companyId, "x"))).toBe(true)
      expect(yield* verify(companyId)).toMatchObject({ events: 1501, fault: null })
      yield* tamper(
        companyId,
        "update audit_events set actor_name = 'y' where company_id = $company and position = 1203"
      )
      expect(yield* verify(companyId)).toMatchObject({
        events: 1202,
        head: { position: 1202 },
        fault: { position: 1203, kind: "changed" }
      })
    })
  )

  const columns: Readonly<Record<string, string>> = {
    id: "gen_random_uuid()",
    at: "at + interval '1 millisecond'",
    // The table lets no user be without an id.
    actor_kind: "'user', actor_id = gen_random_uuid()",
    actor_name: "actor_name || ' '",
    address: "'10.0.0.1'",
    user_agent: "''",
    action: "'api_key.created'",
    resource_kind: "'api'",
    resource_id: "gen_random_uuid()",
    resource_name: "''",
    details: "(details::text || ' ')::json",
    previous_hash: "sha256('')",
    hash: "sha256('')"
  }
  it.effect("finds a change of any column", () =>
    Effect.gen(function* () {
      for (const [column, value] of Object.entries(columns)) {
        const companyId = yield* trail(5)
        yield* tamper(
          companyId,
          `update audit_events set ${column} = ${value} where company_id = $company and position = 4`
        )
        const { events, fault } = yield* verify(companyId)
        expect([column, events, fault]).toStrictEqual([column, 3, { position: 4, kind: "changed" }])
      }
    })
  )

  for (const [what, kind, position, ...statements] of [
    [
      "an event that was removed",
      "missing",
      3,
      "delete from audit_events where company_id = $company and position = 3"
    ],
    [
      "a tail that was cut off",
      "missing",
      5,
      "delete from audit_events where company_id = $company and position > 4"
    ],
    [
      "an event that was replaced by one of a good hash",
      "replaced",
      5,
      "update audit_events set actor_name = 'nobody' where company_id = $company and position = 4",
      sealed(4)
    ],
    ["an event added past the end, also with a good hash", "added", 7, another(7), sealed(7)],
    ["another end", "head", 6, "update audit_heads set hash = sha256('') where company_id = $company"],
    ["an end that is gone", "head", 6, "delete from audit_heads where company_id = $company"]
  ] as const) {
    it.effect(`finds ${what}`, () =>
      Effect.gen(function* () {
        const companyId = yield* trail(6)
        yield* tamper(companyId, ...statements)
        expect((yield* verify(companyId)).fault).toStrictEqual({ position, kind })
      })
    )
  }

  it.effect("finds a recomputed chain by a noted head", () =>
    Effect.gen(function* () {
      const companyId = yield* trail(6)
      const { head } = yield* verify(companyId)
      if (head === null) throw new Error("There is no head")
      expect((yield* verify(companyId, head)).fault).toBe(null)
      expect(readHead(writeHead(head))).toStrictEqual(head)

      yield* tamper(
        companyId,
        "delete from audit_events where company_id = $company and position > 4",
        `update audit_heads set position = 4, hash = e.hash from audit_events e
         where audit_heads.company_id = $company and e.company_id = $company and e.position = 4`
      )
      expect((yield* verify(companyId, head)).fault).toStrictEqual({ position: 5, kind: "missing" })
      // Writes as many other events in its place.
      const { audit } = yield* Trails
      for (const name of ["a", "b", "c"]) {
        yield* recorded(audit, operator(companyId, name), { action: "audit.began", id: companyId, name })
      }
      expect((yield* verify(companyId)).fault).toStrictEqual({ position: 6, kind: "resealed" })
      expect(yield* verify(companyId, head)).toMatchObject({
        events: 5,
        fault: { position: 6, kind: "noted" }
      })
    })
  )

  it.effect("reports on every company, even one that has lost its trail", () =>
    Effect.gen(function* () {
      const { audit } = yield* Trails
      const good = yield* trail(2)
      const changed = yield* trail(2)
      const lost = yield* trail(0)
      yield* tamper(
        changed,
        "update audit_events set address = '::1' where company_id = $company",
        "delete from companies where id = $company"
      )
      // Only noted anchors know of a company that was deleted with all its data.
      const gone = crypto.randomUUID()
      const noted = new Map([[gone, [{ position: 3, hash: "0".repeat(64), by: "noted" }]]] as const)
      const reports = new Map(
        [...(yield* Stream.runCollect(audit.verify(undefined, noted)))].map(({ companyId, fault }) => [
          companyId,
          fault
        ])
      )
      expect([good, changed, lost, gone].map((id) => reports.get(id))).toStrictEqual([
        null,
        { position: 1, kind: "changed" },
        { position: 1, kind: "missing" },
        { position: 1, kind: "missing" }
      ])
    })
  )

  it.effect("finds no fault while events are being written", () =>
    Effect.gen(function* () {
      const { audit } = yield* Trails
      const companyId = yield* trail(3)
      const write = recorded(audit, operator(companyId, "x"), {
        action: "audit.began",
        id: companyId,
        name: null
      })
      const [, reports] = yield* Effect.all(
        [Effect.replicateEffect(write, 100), Effect.replicateEffect(verify(companyId), 50)],
        { concurrency: "unbounded" }
      )
      expect(reports.map(({ fault }) => fault)).toStrictEqual(reports.map(() => null))
      expect(yield* verify(companyId)).toMatchObject({ events: 103, fault: null })
    })
  )
})

/** Statements that would change existing events or insert forged ones, on a trail with events in `$partition`. */
const forbidden = [
  "update audit_events set actor_name = 'nobody'",
  "update audit_events set actor_name = 'nobody' where false",
  "delete from audit_events",
  "truncate audit_events",
  "truncate audit_heads, audit_events",
  "update $partition set actor_name = 'nobody'",
  "update $partition set actor_name = 'nobody' where false",
  "delete from $partition",
  "truncate $partition",
  "insert into $partition select * from $partition",
  "delete from audit_events_07",
  "delete from audit_heads",
  "update audit_heads set position = 0",
  "insert into audit_heads values (gen_random_uuid(), 1, sha256(''))",
  "update audit_setbacks set at = now()",
  "delete from audit_setbacks",
  "truncate audit_setbacks",
  "insert into audit_setbacks values (gen_random_uuid(), 1, now(), now() + interval '1 day')",
  "insert into audit_events select * from audit_events",
  `insert into audit_events (company_id, id, position, actor_kind, actor_name, action, resource_kind, resource_id, details)
   select company_id, gen_random_uuid(), 9, 'operator', 'x', 'audit.began', 'company', company_id, '{}' from audit_heads`,
  `insert into audit_events (company_id, id, at, actor_kind, actor_name, action, resource_kind, resource_id, details)
   select company_id, gen_random_uuid(), '2020-01-01', 'operator', 'x', 'audit.began', 'company', company_id, '{}'
   from audit_heads`,
  `insert into audit_events (company_id, id, hash, actor_kind, actor_name, action, resource_kind, resource_id, details)
   select company_id, gen_random_uuid(), hash, 'operator', 'x', 'audit.began', 'company', company_id, '{}' from audit_heads`,
  `insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, details)
   select company_id, id, 'operator', 'x', 'audit.began', 'company', company_id, '{}' from audit_events limit 1
   on conflict (company_id, id) do update set actor_name = 'nobody'`
]

const expectRefused = (url: Redacted.Redacted, prefix = "") =>
  Effect.gen(function* () {
    const all =
      "select (select json_agg(e) from audit_events e) as events, (select json_agg(h) from audit_heads h) as heads, (select json_agg(s) from audit_setbacks s) as setbacks"
    const before = yield* execute(url, all)
    const [place] = yield* execute(url, "select min(tableoid::regclass::text) as partition from audit_events")
    for (const text of forbidden) {
      const statement = text.replaceAll("$partition", String(place?.partition))
      const error = yield* Effect.flip(execute(url, prefix + statement))
      expect([statement, error.cause]).toMatchObject([statement, { code: "42501" }])
    }
    expect(yield* execute(url, all)).toStrictEqual(before)
  })

const someEvents = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const { audit } = yield* Trails.on(url)
  const companyId = crypto.randomUUID()
  const write = recorded(audit, operator(companyId, "x"), {
    action: "audit.began",
    id: companyId,
    name: null
  })
  yield* Effect.replicateEffect(write, 3)
  return { audit, companyId }
})

describe("the triggers refuse every change of an event", () => {
  it.scopedLive("to a superuser, whom privileges do not bind, and where triggers are put off", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* someEvents(url)
      yield* expectRefused(url)
      yield* expectRefused(url, "set session_replication_role = replica; ")
    })
  )

  it.scopedLive("to the role that owns the tables, which has no privilege to do else", () =>
    Effect.gen(function* () {
      const url = yield* databaseOfOwner
      const { audit, companyId } = yield* someEvents(url)
      expect([...(yield* Stream.runCollect(audit.verify(companyId)))]).toMatchObject([
        { events: 3, fault: null }
      ])
      yield* expectRefused(url)
      const rights = yield* execute(
        url,
        `select p as right from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) p
         where has_table_privilege('audit_events', p)`
      )
      expect(rights.map(({ right }) => right)).toStrictEqual(["SELECT", "INSERT"])
    })
  )
})

it("a seal holds for one company and position alone", () => {
  const seals = ["a", "b"].flatMap((company) =>
    [1, 2].map((position) => String(sealOf(new Uint8Array(32), company, { position, hash: "0" })))
  )
  expect(new Set(seals).size).toBe(4)
})
