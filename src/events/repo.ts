import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { LogFollower } from "../db/outbox.ts"
import { onlyRow, orDie, row, rows } from "../db/sql.ts"
import { JsonObject } from "../shared/schemas.ts"
import type { FeedOrder } from "./model.ts"

const EventRow = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  data: Schema.typeSchema(JsonObject),
  created_at: Schema.DateFromSelf,
  position: Schema.Number
})
export type EventRow = typeof EventRow.Type

/** How many events move from the outbox to the log at once. With 20 endpoints each, that is 5,000 deliveries, well within a statement's time. */
const batch = 250

interface Reading {
  readonly companyId: string
  /** Only events of the type with this name, or of all types that begin so; undefined: all. */
  readonly type: { readonly name: string } | { readonly begin: string } | undefined
  /** Only events whose data has this id; undefined: all. */
  readonly resource: string | undefined
  readonly order: FeedOrder
  /** Only events that follow this position in the order. */
  readonly after: number
  readonly limit: number
}

/** The outbox and the log of events, in Postgres. */
export class EventRepo extends Effect.Service<EventRepo>()("EventRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const follow = yield* LogFollower
    const decodeAll = rows(EventRow)
    const decodeOne = row(EventRow)
    const decodeMoved = onlyRow(Schema.Struct({ moved: Schema.Number, found: Schema.Number }))
    const decodeNow = onlyRow(Schema.Struct({ now: Schema.DateFromSelf, position: Schema.Number }))

    const columns = sql.literal("id, type, data, created_at, position::float8 as position")
    const stored = sql.literal("created_at > now() - interval '30 days'")

    // Nothing is locked if the outbox is empty.
    // The end of the log is locked before an event is taken. Otherwise a later event could get a smaller position, and whoever reads while
    // another process moves an event would not find it. Each `limit 1` says that there is one row: without statistics the planner expects
    // thousands, and Postgres compiles the statement at every look, for half a second (`jit`).
    const move = decodeMoved(sql`
      with log_end as materialized (
        select position from event_log_end where cardinality(oldest_events(1)) > 0 limit 1 for update
      ), oldest as materialized (
        select oldest_events(${batch}) as numbers from log_end
      ), taken as materialized (
        select event.* from oldest, take_events(numbers) as event
      ), counted as materialized (
        select count(*) as n from taken
      ), reached as (
        update event_log_end set position = position + n from counted where n > 0 returning position - n as start
      ), logged as (
        insert into events (position, id, company_id, type, data, created_at)
        select start + row_number() over (order by number), id, company_id, type, data, created_at
        from taken, (select start from reached limit 1) as reached
        returning *
      ) ${follow === undefined ? sql`` : sql`, ${follow(sql, sql`logged`)}`}
      select n::int as moved, coalesce((select cardinality(numbers) from oldest), 0) as found from counted`)

    /** Moves batch after batch as long as `goesOn` holds for the last one. Returns how many events. */
    const moveWhile = (goesOn: (last: { readonly moved: number; readonly found: number }) => boolean) =>
      Effect.iterate(
        { moved: 0, goesOn: true },
        {
          while: ({ goesOn }) => goesOn,
          body: ({ moved }) =>
            Effect.map(move, (last) => ({ moved: moved + last.moved, goesOn: goesOn(last) }))
        }
      ).pipe(Effect.map(({ moved }) => moved))

    return {
      /**
       * Moves the events of the outbox to the log. Positions follow the order of commits, so a reader that has seen a position has seen all
       * smaller ones, even if transactions overlap. Any number of processes may do this at once: one that finds that another has been faster leaves
       * the rest to it. Returns how many this one moved.
       */
      collect: moveWhile(({ moved }) => moved === batch),

      /**
       * The same. Afterwards, all events that were committed before are in the log: what this process has found may have been moved by another
       * one while it waited, and there may be others behind a batch.
       */
      collectAll: moveWhile(({ found }) => found === batch),

      /** Creates the partitions that the next weeks need and drops those that are too old. */
      rollPartitions: orDie(sql`call roll_event_partitions()`),

      list: ({ after, companyId, limit, order, resource, type }: Reading) => {
        const direction = sql.literal(order === "oldest" ? "asc" : "desc")
        const follows = sql`company_id = ${companyId} and ${stored}
          and position ${sql.literal(order === "oldest" ? ">" : "<")} ${after}::bigint`
        if (resource !== undefined) {
          const ofType =
            type === undefined
              ? sql``
              : "name" in type
                ? sql`and type = ${type.name}`
                : sql`and starts_with(type, ${type.begin})`
          return decodeAll(sql`
            select ${columns} from events where ${follows} and data ->> 'id' = ${resource} ${ofType}
            order by events.position ${direction} limit ${limit}`)
        }
        if (type === undefined) {
          return decodeAll(sql`
            select ${columns} from events where ${follows} order by events.position ${direction} limit ${limit}`)
        }
        // Among the types that the company has events of, each found with one read of the index: another process may know more types than this one.
        const wanted =
          "name" in type
            ? sql`with wanted (wanted_type) as (values (${type.name}::text))`
            : sql`
                with recursive present (type) as (
                  (select type from events where company_id = ${companyId} order by type limit 1)
                  union all
                  select (
                    select e.type from events e where e.company_id = ${companyId} and e.type > present.type order by e.type limit 1
                  ) from present where present.type is not null
                ), wanted (wanted_type) as (
                  select type from present where starts_with(type, ${type.begin})
                )`
        return decodeAll(sql`
          ${wanted}
          select ${columns} from wanted cross join lateral (
            select * from events where ${follows} and type = wanted_type
            order by position ${direction} limit ${limit}
          ) as event
          order by event.position ${direction} limit ${limit}`)
      },

      /** The database's time and the position of the newest event in the log. Read it before the events. */
      end: decodeNow(sql`select now() as now, position::float8 as position from event_log_end`),

      find: (companyId: string, id: string) =>
        decodeOne(
          sql`select ${columns} from events where company_id = ${companyId} and id = ${id} and ${stored}`
        )
    }
  })
}) {}
