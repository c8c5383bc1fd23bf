/** GET /api/audit-events by time, of trails that were written while the database's clock was set ahead and back. */
import { expect, it } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { auditEvents, eventsOf } from "../support/audit/trail.ts"
import { field, type Member, signUp, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServerOn } from "../support/server.ts"

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

const actors = ["01900000-0000-7000-8000-00000000000a", "01900000-0000-7000-8000-00000000000b"]
const resources = ["01900000-0000-7000-8000-00000000000c", "01900000-0000-7000-8000-00000000000d"]
const actions = ["api_key.created", "api_key.revoked", "user.signed_in"]

/** Days from today on at which events are written, one after the other. */
type Days = ReadonlyArray<number>

const histories: ReadonlyArray<readonly [what: string, days: Days]> = [
  ["set ahead for one event, and right again", [-1, 0, 30, 0.01, 0.02, 0.03]],
  ["ahead for a while, and overtaken", [0, 30, 31, 32, 1, 2, 30.5, 31, 33, 34]],
  ["back for long", [-9, -5, -1, -8, -7, -5, -3, 0]],
  ["back, time and again, by little and by much", [0, 5, 4.9, 4.8, 20, 4, 4, 19, -50, 5, -51, 20, 60, 59, 6]]
]

const write = (url: Redacted.Redacted, companyId: string, now: number, days: Days) =>
  Effect.forEach(
    days,
    (day, index) =>
      execute(
        url,
        `update clock.setting set shown = '${new Date(now + day * 86_400_000).toISOString()}';
         insert into audit_events (company_id, id, actor_kind, actor_id, actor_name, action, resource_kind, resource_id, details)
         values ('${companyId}', gen_random_uuid(), 'user', '${actors[index % 2]}', 'x', '${actions[index % 3]}',
           'user', '${resources[(index >> 1) % 2]}', '{}')`
      ),
    { discard: true }
  )

type Query = Readonly<Record<string, string>>

/** The positions on all pages, with as many events on each. */
const positions = (server: RunningServer, owner: Member, query: Query) =>
  Effect.gen(function* () {
    const found: Array<unknown> = []
    let cursor: unknown
    do {
      const more = typeof cursor === "string" ? { cursor } : {}
      const answer = yield* auditEvents(server, owner, { ...query, ...more })
      found.push(...eventsOf(answer).map((event) => field(event, "position")))
      cursor = field(answer.body, "next_cursor")
    } while (cursor !== null)
    return found
  })

const filters: ReadonlyArray<Query> = [
  {},
  { action: "api_key.created" },
  { action: "api_key" },
  { actor: actors[0] ?? "" },
  { actor: actors[1] ?? "", action: "api_key" },
  { resource: resources[1] ?? "" }
]

const fits = (event: unknown, { action, actor, from, resource, to }: Query) => {
  const at = Date.parse(text(event, "at"))
  return (
    (action === undefined || text(event, "action").startsWith(action)) &&
    (actor === undefined || field(event, "actor", "id") === actor) &&
    (resource === undefined || field(event, "resource", "id") === resource) &&
    (from === undefined || at >= Date.parse(from)) &&
    (to === undefined || at < Date.parse(to))
  )
}

/** Periods that begin or end at an event or beside one, each with another filter, or none. */
const expectExact = (server: RunningServer, owner: Member) =>
  Effect.gen(function* () {
    const all = eventsOf(yield* auditEvents(server, owner, { limit: "100" }))
    const times = [...new Set(all.map((event) => Date.parse(text(event, "at"))))].toSorted((a, b) => a - b)
    const ends = times.map((time) => new Date(time).toISOString())
    const beside = times.map((time) => new Date(time + 1).toISOString())
    const pairs = ends.flatMap((from) => beside.filter((to) => from <= to).map((to) => ({ from, to })))
    const periods: ReadonlyArray<Query> = [
      ...ends.flatMap((from) => [{ from }, { from, action: "api_key" }]),
      ...ends.flatMap((to) => [{ to }, { to, actor: actors[0] ?? "" }]),
      ...beside.flatMap((time) => [{ from: time }, { to: time }]),
      ...pairs.filter((_, index) => index % 3 === 0)
    ]
    for (const [index, period] of periods.entries()) {
      const query = { ...filters[index % filters.length], ...period }
      const expected = all.filter((event) => fits(event, query)).map((event) => field(event, "position"))
      const limit = index % 4 === 0 ? "2" : "100"
      expect([query, yield* positions(server, owner, { ...query, limit })]).toEqual([query, expected])
    }
  })

it.scopedLive(
  "by time, each event by its own time, even after the clock was changed",
  () =>
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
    }),
  120_000
)
