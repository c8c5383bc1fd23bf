/** GET /api/audit-events: who may read it, pages and filters. */
import { createHash } from "node:crypto"
import { describe, expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { askAs, auditEvents, eventsOf } from "../support/audit/trail.ts"
import { type Answer, createKey, field, join, type Member, signUp, text } from "../support/client.ts"
import { withoutTable } from "../support/database/outage.ts"
import { databaseOfOwner } from "../support/database.ts"
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

  it.effect("a page that holds exactly the rest is the last", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* busyCompany
      const answer = yield* auditEvents(server, owner, { limit: "9" })
      expect(actionsOf(answer)).toStrictEqual(all)
      expect(field(answer.body, "next_cursor")).toBe(null)
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

    it.effect("by time: from one instant, before another", () =>
      Effect.gen(function* () {
        const { owner, server } = yield* busyCompany
        const times = eventsOf(yield* auditEvents(server, owner)).map((event) => text(event, "at"))
        const middle = times[4] ?? ""
        const from = yield* auditEvents(server, owner, { from: middle })
        expect(actionsOf(from)).toStrictEqual(all.slice(0, times.lastIndexOf(middle) + 1))
        const to = yield* auditEvents(server, owner, { to: middle })
        expect(actionsOf(to)).toStrictEqual(all.slice(times.lastIndexOf(middle) + 1))
        expect(actionsOf(yield* auditEvents(server, owner, { from: middle, to: middle }))).toStrictEqual([])
        expect(actionsOf(yield* auditEvents(server, owner, { to: "2020-01-01" }))).toStrictEqual([])
        expect(actionsOf(yield* auditEvents(server, owner, { from: "2020-01-01" }))).toStrictEqual(all)
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

  it.effect("400 for a limit, a cursor, an action or a time that is none", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const actions = "action must be an action such as api_key.created, or the part before its dot"
      for (const [query, error] of [
        [{ limit: "101" }, "limit must be a whole number from 1 to 100"],
        [{ cursor: "0" }, "cursor must be the next_cursor of another page"],
        [{ cursor: "1e3" }, "cursor must be the next_cursor of another page"],
        [{ cursor: "9".repeat(16) }, "cursor must be the next_cursor of another page"],
        [{ action: "key.created" }, actions],
        [{ action: "" }, actions],
        [{ action: "api_key." }, actions],
        [{ from: "2026-02-30" }, "from must be an ISO date string"],
        [{ to: "" }, "to must be an ISO date string"],
        [{ from: "2026-11-21", to: "2026-11-20" }, "from must not be after to"]
      ] as const) {
        const answer = yield* auditEvents(server, owner, query)
        expect({ query, ...statusAndBody(answer) }).toStrictEqual({ query, ...refusal(400, error) })
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
  const good: Record<string, string> = { limit: "2", cursor: "3" }
  const cases: ReadonlyArray<readonly [what: string, statements: string, query: Record<string, string>]> = [
    ["an event in between is hidden", hiding("position = 3"), {}],
    ["the last events are hidden", hiding("position > 3"), {}],
    ["the first event is hidden", hiding("position = 1"), {}],
    ["all are hidden", hiding("true"), {}],
    ["the last event of a page is hidden", hiding("position = 4"), { limit: "2" }],
    ["the first event of a page is hidden", hiding("position = 4"), { cursor: "5" }],
    ["an event is changed", changed("actor_name = 'x'", 4), {}],
    [
      "an event is changed that is asked for by its action",
      changed("address = '192.0.2.9'", 4),
      { action: "api_key" }
    ],
    ["another in its place has a good hash", rehashed(4), {}],
    ["the last event is replaced by one of a good hash", rehashed(5), {}]
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
        if (!what.includes("first event is hidden") && !what.includes("all")) {
          expect((yield* auditEvents(server, owner, good)).status).toBe(200)
        }
        yield* execute(server.databaseUrl, shown)
      })
    )
  }

  it.effect("fails", () =>
    Effect.gen(function* () {
      const server = yield* OwnedServer
      const owner = yield* signUp(server)
      const answer = yield* withoutTable(server, "audit_events", auditEvents(server, owner))
      expect(statusAndBody(answer)).toStrictEqual(refusal(500, "Failed to list audit events"))
      expect((yield* auditEvents(server, owner)).status).toBe(200)
    })
  )
})
