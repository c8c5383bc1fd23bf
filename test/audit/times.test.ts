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
