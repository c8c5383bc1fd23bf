/** GET /api/audit-events: who may read it, pages, filters, and times that the clock set ahead and back. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, type Redacted } from "effect"
import { askAs, auditEvents, eventsOf } from "../support/audit/trail.ts"
import { type Answer, createKey, field, join, type Member, signUp, text } from "../support/client.ts"
import { databaseOfOwner, freshDatabase } from "../support/database.ts"
import { refusal, statusAndBody, unknownId } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServerOn, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

/** A company whose second member created three keys and revoked the last, and whose owner disabled an instance. */
const busyCompany = Effect.gen(function* () {
  const server = yield* TestServer
  const owner = yield* signUp(server)
  const member = yield* join(server, owner, "member")
  const keys = yield* Effect.replicateEffect(createKey(server, member), 3)
  const ask = askAs(server, member)
  yield* ask("POST", `/api/api-keys/${keys[2]?.id}/revoke`)
  const { body } = yield* ask("POST", "/api/kyc/instances", { name: "flow" })
  const instanceId = text(body, "instance", "id")
  yield* askAs(server, owner)("PATCH", `/api/kyc/instances/${instanceId}`, { disabled: true })
  return { server, owner, member, keys, instanceId }
})

/** The actions of the company above, newest first. */
const all = [
  "kyc_instance.disabled",
  "kyc_instance.created",
  "api_key.revoked",
  "api_key.created",
  "api_key.created",
  "api_key.created",
  "invitation.accepted",
  "invitation.created",
  "company.created"
]

const actionsOf = (answer: Answer) => eventsOf(answer).map((event) => text(event, "action"))

const pages = (
  server: RunningServer,
  owner: Member,
  query: Record<string, string>
): Effect.Effect<ReadonlyArray<Answer>> =>
  Effect.gen(function* () {
    const found: Array<Answer> = []
    let cursor: unknown
    do {
      const more = typeof cursor === "string" ? { cursor } : {}
      const answer = yield* auditEvents(server, owner, { ...query, ...more })
      found.push(answer)
      cursor = field(answer.body, "next_cursor")
    } while (cursor !== null)
    return found
  })

suite(TestServer.layer)("GET /api/audit-events", (it) => {
  it.effect("200: the company's events, newest first, each chained to the one before", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* busyCompany
      const answer = yield* auditEvents(server, owner)
      expect(answer.status).toBe(200)
      expect(field(answer.body, "next_cursor")).toBe(null)
      expect(actionsOf(answer)).toStrictEqual(all)
      const events = eventsOf(answer)
      expect(events.map((event) => field(event, "position"))).toStrictEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
      expect(events.map((event) => field(event, "previous_hash"))).toStrictEqual([
        ...events.slice(1).map((event) => field(event, "hash")),
        "0".repeat(64)
      ])
    })
  )

  it.effect("a reader can compute the hashes as the docs describe", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* busyCompany
      for (const event of eventsOf(yield* auditEvents(server, owner))) {
        const fields = [
          "doorlock audit 1",
          owner.companyId,
          field(event, "position"),
          field(event, "id"),
          field(event, "at"),
          field(event, "actor", "kind"),
          field(event, "actor", "id"),
          field(event, "actor", "name"),
          field(event, "address"),
          field(event, "user_agent"),
          field(event, "action"),
          field(event, "resource", "kind"),
          field(event, "resource", "id"),
          field(event, "resource", "name"),
          JSON.stringify(field(event, "details")),
          field(event, "previous_hash")
        ]
        const written = `[${fields.map((value) => JSON.stringify(value)).join(", ")}]`
        expect(createHash("sha256").update(written).digest("hex")).toBe(field(event, "hash"))
      }
    })
  )

  it.effect("pages stay consistent while events are added", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* busyCompany
      const first = yield* auditEvents(server, owner, { limit: "4" })
      yield* createKey(server, owner)
      const rest = yield* pages(server, owner, { limit: "4", cursor: text(first.body, "next_cursor") })
      expect([first, ...rest].map(actionsOf)).toStrictEqual([all.slice(0, 4), all.slice(4, 8), all.slice(8)])
    })
  )

  describe("filters", () => {
    it.effect("by action or the part before its dot, also across pages", () =>
      Effect.gen(function* () {
        const { owner, server } = yield* busyCompany
        for (const [action, expected] of [
          ["api_key.created", all.filter((name) => name === "api_key.created")],
          ["api_key", all.filter((name) => name.startsWith("api_key."))],
          ["api", []],
          ["subscription", []]
        ] as const) {
          for (const limit of ["1", "2", "100"]) {
            const found = yield* pages(server, owner, { action, limit })
            expect(found.flatMap(actionsOf)).toStrictEqual(expected)
          }
        }
      })
    )

    it.effect("by actor and by resource", () =>
      Effect.gen(function* () {
        const { instanceId, keys, member, owner, server } = yield* busyCompany
        const ask = (query: Record<string, string>) =>
          Effect.map(auditEvents(server, owner, query), actionsOf)
        expect(yield* ask({ actor: owner.userId })).toStrictEqual([
          "kyc_instance.disabled",
          "invitation.created",
          "company.created"
        ])
        expect(yield* ask({ actor: member.userId, action: "api_key.revoked" })).toStrictEqual([
          "api_key.revoked"
        ])
        expect(yield* ask({ resource: keys[2]?.id.toUpperCase() ?? "" })).toStrictEqual([
          "api_key.revoked",
          "api_key.created"
        ])
        expect(yield* ask({ resource: instanceId, actor: owner.userId })).toStrictEqual([
          "kyc_instance.disabled"
        ])
        for (const nobody of [unknownId, "x", ""]) {
          expect(yield* ask({ actor: nobody })).toStrictEqual([])
          expect(yield* ask({ resource: nobody })).toStrictEqual([])
        }
      })
    )
  })

  it.effect("another company's events are in no response", () =>
    Effect.gen(function* () {
      const { keys, member, server } = yield* busyCompany
      const stranger = yield* signUp(server)
      expect(actionsOf(yield* auditEvents(server, stranger))).toStrictEqual(["company.created"])
      for (const query of [
        { actor: member.userId },
        { resource: keys[0]?.id ?? "" },
        { action: "api_key" },
        { cursor: "1" }
      ]) {
        expect(actionsOf(yield* auditEvents(server, stranger, query))).toStrictEqual([])
      }
    })
  )
})

/** A server whose tables its role owns. */
class OwnedServer extends Context.Tag("OwnedServer")<OwnedServer, RunningServer>() {
  static readonly layer = Layer.scoped(
    OwnedServer,
    Effect.orDie(Effect.flatMap(databaseOfOwner, (url) => startServerOn(url)))
  )
}

suite(OwnedServer.layer)("500 Failed to list audit events, if the database", (it) => {
  const hiding = (rows: string) =>
    `alter table audit_events enable row level security, force row level security;
     drop policy if exists hidden on audit_events;
     create policy hidden on audit_events using (not (${rows}) or current_query() not like '%order by e.position desc%')`
  const shown = "alter table audit_events disable row level security, no force row level security"
  const changed = (change: string, position: number) =>
    `alter table audit_events disable trigger audit_events_kept;
     grant update on audit_events to current_user;
     update audit_events set ${change} where position = ${position} and company_id = $company`
  const rehashed = (position: number) =>
    `${changed("actor_name = 'x'", position)};
     update audit_events e set hash = sha256(convert_to(audit_text(e), 'UTF8'))
     where position = ${position} and company_id = $company`
  const cases: ReadonlyArray<readonly [what: string, statements: string, query: Record<string, string>]> = [
    ["an event in between is hidden", hiding("position = 3"), {}],
    ["all are hidden", hiding("true"), {}],
    ["the first event of a page is hidden", hiding("position = 4"), { cursor: "5" }],
    ["the last event of a page is hidden", hiding("position = 4"), { limit: "2" }],
    ["an event is changed", changed("actor_name = 'x'", 4), {}],
    ["another in its place has a good hash", rehashed(4), {}]
  ]
  for (const [what, statements, query] of cases) {
    it.effect(`does not show the trail as written: ${what}`, () =>
      Effect.gen(function* () {
        const server = yield* OwnedServer
        const owner = yield* signUp(server)
        yield* Effect.replicateEffect(createKey(server, owner), 4)
        expect((yield* auditEvents(server, owner, query)).status).toBe(200)
        yield* execute(server.databaseUrl, statements.replaceAll("$company", `'${owner.companyId}'`))
        expect(statusAndBody(yield* auditEvents(server, owner, query))).toStrictEqual(
          refusal(500, "Failed to list audit events")
        )
        yield* execute(server.databaseUrl, shown)
      })
    )
  }
})

/** Gives the trigger that writes events a clock that can be set: what stands before `pg_catalog` is found first. */
const settable = (url: Redacted.Redacted) =>
  execute(
    url,
    `create schema clock;
     create table clock.setting (shown timestamptz not null);
     insert into clock.setting values (now());
     create function clock.clock_timestamp() returns timestamptz volatile language sql as 'select shown from clock.setting';
     alter function public.audit_append() set search_path = clock, public, pg_catalog`
  )

/** Days from today on at which events are written, one after the other. */
const histories: ReadonlyArray<readonly [what: string, days: ReadonlyArray<number>]> = [
  ["set ahead for one event, and right again", [-1, 0, 30, 0.01, 0.02, 0.03]],
  ["set back for one event, and right again", [-1, 0, -30, 0.01, 0.02, 0.03]],
  ["ahead for a while, and overtaken", [0, 30, 31, 32, 1, 2, 30.5, 31, 33, 34]],
  ["back for long", [-9, -5, -1, -8, -7, -5, -3, 0]],
  ["back, time and again, by little and by much", [0, 5, 4.9, 4.8, 20, 4, 4, 19, -50, 5, -51, 20, 60, 59, 6]]
]

const write = (url: Redacted.Redacted, companyId: string, now: number, days: ReadonlyArray<number>) =>
  Effect.forEach(
    days,
    (day) =>
      execute(
        url,
        `update clock.setting set shown = '${new Date(now + day * 86_400_000).toISOString()}';
         insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, details)
         values ('${companyId}', gen_random_uuid(), 'operator', 'x', 'audit.began', 'company', '${companyId}', '{}')`
      ),
    { discard: true }
  )

/** Looks for the events of periods that begin or end at an event or beside one. */
const expectExact = (server: RunningServer, owner: Member) =>
  Effect.gen(function* () {
    const all = eventsOf(yield* auditEvents(server, owner, { limit: "100" }))
    const times = [...new Set(all.map((event) => Date.parse(text(event, "at"))))]
    for (const time of times) {
      for (const from of [time, time + 1]) {
        for (const to of [from + 3 * 86_400_000, from + 300 * 86_400_000]) {
          const ofPeriod = all.filter((event) => {
            const at = Date.parse(text(event, "at"))
            return at >= from && at < to
          })
          const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
          const found = eventsOf(yield* auditEvents(server, owner, { ...period, limit: "100" }))
          expect([period, found]).toEqual([period, ofPeriod])
        }
      }
    }
  })

it.scopedLive("by time, each event by its own time, even after the clock was changed", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* settable(url)
    const server = yield* startServerOn(url)
    const now = Date.now()
    for (const [what, days] of histories) {
      const owner = yield* signUp(server)
      yield* write(url, owner.companyId, now, days)
      const { body } = yield* auditEvents(server, owner, { limit: "100" })
      expect([what, field(body, "events", "length")]).toEqual([what, days.length + 1])
      yield* expectExact(server, owner)
    }
  })
)
