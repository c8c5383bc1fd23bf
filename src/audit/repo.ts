import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { onlyRow, orDie, row, rows } from "../db/sql.ts"
import type { Head, Seal, StoredEvent } from "./chain-model.ts"
import type { Action, Actor, ResourceKind } from "./model.ts"
import { interferenceOn } from "./tables-repo.ts"

/** The place of an event in the trail of a company. */
export interface EventPlace extends Head {
  readonly companyId: string
}

interface NewEvent {
  readonly id: string
  readonly by: Actor
  readonly action: Action
  readonly resource: { readonly kind: ResourceKind; readonly id: string; readonly name: string | null }
  /** JSON, of which every character is kept. */
  readonly details: string
}

/** No trail is as long. */
const maxPosition = Number.MAX_SAFE_INTEGER

/** Which of a company's events, newest first; what is undefined does not matter. */
export interface EventFilter {
  readonly companyId: string
  readonly limit: number
  /** Only those before this position. */
  readonly before?: number | undefined
  readonly actions?: ReadonlyArray<Action> | undefined
  readonly actorId?: string | undefined
  readonly resourceId?: string | undefined
  /** The first instant. */
  readonly from?: Date | undefined
  /** The first instant after. */
  readonly to?: Date | undefined
}

const HeadColumns = {
  head_position: Schema.NullOr(Schema.Number),
  head_hash: Schema.NullOr(Schema.String)
}

const SealColumns = {
  seal_position: Schema.NullOr(Schema.Number),
  seal: Schema.NullOr(Schema.Uint8ArrayFromSelf)
}

/** The place of an event that was written, as the database gave it. */
const Placed = Schema.Struct({
  position: Schema.Number,
  at: Schema.String,
  previous_hash: Schema.String,
  hash: Schema.String
})

/** The end of a company's chain, and its seal. */
const EndRow = Schema.Struct({
  company_id: Schema.String,
  position: Schema.Number,
  hash: Schema.String,
  ...SealColumns
})
export type EndRow = typeof EndRow.Type

const EventRow = Schema.Struct({
  company_id: Schema.String,
  position: Schema.Number,
  id: Schema.String,
  at: Schema.String,
  actor_kind: Schema.String,
  actor_id: Schema.NullOr(Schema.String),
  actor_name: Schema.String,
  address: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  action: Schema.String,
  resource_kind: Schema.String,
  resource_id: Schema.String,
  resource_name: Schema.NullOr(Schema.String),
  details: Schema.String,
  previous_hash: Schema.String,
  hash: Schema.String
})

const ListedRow = Schema.Struct({ ...EventRow.fields, ...HeadColumns })

const StretchColumns = { ...HeadColumns, ...SealColumns }
const StoredRow = Schema.Struct({ ...EventRow.fields, ...StretchColumns })

/** An event of the chain, or the one row of a page that has none. */
const StoredOrNone = Schema.Union(StoredRow, Schema.Struct({ ...StretchColumns, position: Schema.Null }))

interface HeadInRow {
  readonly head_position: number | null
  readonly head_hash: string | null
}

/** The end that a row tells of, if it does. */
const headIn = ({ head_hash = null, head_position = null }: Partial<HeadInRow> = {}): Head | undefined =>
  head_hash === null || head_position === null ? undefined : { position: head_position, hash: head_hash }

/** A stretch of a chain, its end by the database's account, and its seal, at one moment. */
interface Stretch {
  readonly events: ReadonlyArray<StoredEvent>
  readonly head: Head | undefined
  readonly seal: Seal | undefined
}

const timeText = `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Each value of an event as the text that is hashed. */
const eventColumns = `e.company_id, e.position::float8 as position, e.id, ${timeText} as at,
  e.actor_kind, e.actor_id, e.actor_name, e.address, e.user_agent, e.action,
  e.resource_kind, e.resource_id, e.resource_name, e.details::text as details,
  encode(e.previous_hash, 'hex') as previous_hash, encode(e.hash, 'hex') as hash`

/** The audit trails of companies in Postgres, whose place, time and hash the database gives them (migration 0008). */
export class AuditRepo extends Effect.Service<AuditRepo>()("AuditRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeListed = rows(ListedRow)
    const decodeStored = rows(StoredOrNone)
    const decodePlaced = onlyRow(Placed)
    const decodeSealed = onlyRow(Schema.Struct({ sealed: Schema.Boolean, known: Schema.Boolean }))
    const decodeEnds = rows(EndRow)
    const decodeNumbers = rows(Schema.Struct({ n: Schema.Number }))
    const decodeLocked = row(Schema.Struct({ company_id: Schema.String }))
    const decodeIds = rows(Schema.Struct({ company_id: Schema.String }))

    const columns = sql.literal(eventColumns)

    /**
     * A place in a trail up to which no event is of the time or later; as close to the first that is as can be told from the
     * index by time. A trail is in the order of time but where the clock was set back (migration 0011): before the first time that
     * it was set back across `time`, all that is earlier than `time` comes before all that is not.
     */
    const lastBefore = (companyId: string, time: Date) => sql`coalesce((
      select position from audit_events
      where company_id = ${companyId} and at < ${time}
        and (position < (
          select coalesce(min(position), ${maxPosition}::bigint) from audit_setbacks
          where company_id = ${companyId} and at < ${time} and previous_at >= ${time}
        )) is true
      order by at desc limit 1), 0)`
    /** A place from which on none is earlier, in the same way: of what came after the last time that the clock was set back across it. */
    const firstAfter = (companyId: string, time: Date) => sql`coalesce((
      select position from audit_events
      where company_id = ${companyId} and at >= ${time}
        and (position >= (
          select coalesce(max(position), 0) from audit_setbacks
          where company_id = ${companyId} and at < ${time} and previous_at >= ${time}
        )) is true
      order by at limit 1), ${maxPosition}::bigint)`

    /** The actions that somebody has done, each once: from one to the next by the index. */
    const actionsOf = (companyId: string, actorId: string) => sql`
      with recursive done (action) as (
        (
          select action from audit_events where company_id = ${companyId} and actor_id = ${actorId}
          order by action limit 1
        )
        union all
        select (
          select e.action from audit_events e
          where e.company_id = ${companyId} and e.actor_id = ${actorId} and e.action > done.action
          order by e.action limit 1
        ) from done where done.action is not null
      )
      select action from done where action is not null`

    return {
      /** Adds an event, and says where. It holds the company's trail for the rest of the transaction. */
      append: ({ action, by, details, id, resource }: NewEvent) =>
        decodePlaced(sql`
          insert into audit_events (company_id, id, actor_kind, actor_id, actor_name, address, user_agent,
            action, resource_kind, resource_id, resource_name, details)
          values (${by.companyId}, ${id}, ${by.kind}, ${by.id}, ${by.name}, ${by.address}, ${by.userAgent},
            ${action}, ${resource.kind}, ${resource.id}, ${resource.name}, ${details}::text::json)
          returning position::float8 as position, ${sql.literal(timeText)} as at,
            encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash`),

      /**
       * Moves the company's seal on to the event at `position`, if it is on the one before, with one of the seals `previous`: a
       * first event has none before it. Says whether it did, and whether there is a seal at all.
       */
      seal: (companyId: string, { position, seal }: Seal, previous: ReadonlyArray<Uint8Array>) =>
        decodeSealed(
          position === 1
            ? sql`
                with sealed as (
                  insert into audit_seals (company_id, position, seal) values (${companyId}, 1, ${seal})
                  on conflict do nothing returning 1
                )
                select exists (select from sealed) as sealed, true as known`
            : sql`
                with sealed as (
                  update audit_seals set position = ${position}, seal = ${seal}
                  where company_id = ${companyId} and position = ${position - 1} and seal = any (${previous})
                  returning 1
                )
                select exists (select from sealed) as sealed,
                  exists (select from audit_seals where company_id = ${companyId}) as known`
        ),

      /** Holds the company's trail for the rest of the transaction. None when it has no end. */
      lock: (companyId: string) =>
        decodeLocked(sql`select company_id from audit_heads where company_id = ${companyId} for update`),

      /** Puts the company's seal there, wherever it was. Only for whoever has verified the trail up to it, and holds it. */
      putSeal: (companyId: string, { position, seal }: Seal) =>
        orDie(sql`
          insert into audit_seals (company_id, position, seal) values (${companyId}, ${position}, ${seal})
          on conflict (company_id) do update set position = excluded.position, seal = excluded.seal`),

      /** Replaces a seal by another of the same place, unless it has moved on. */
      replaceSeal: (companyId: string, old: Seal, seal: Uint8Array) =>
        orDie(sql`
          update audit_seals set seal = ${seal}
          where company_id = ${companyId} and position = ${old.position} and seal = ${old.seal}`),

      /** What in the database is in the way of reading the trails as they are (`tables-repo.ts`). */
      interference: interferenceOn(sql),

      /** The end of every chain, with its seal. What is none by its values is given too: it must not hide the others. */
      ends: decodeEnds(sql`
        select h.company_id, coalesce(h.position, 0)::float8 as position, coalesce(encode(h.hash, 'hex'), '') as hash,
          s.position::float8 as seal_position, s.seal
        from audit_heads h left join audit_seals s on s.company_id = h.company_id
        where h.company_id is not null
        order by h.company_id`),

      /** Of these places, those whose events were written more than two hours ago. */
      old: <A extends Omit<EventPlace, "hash">>(places: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<A>> =>
        Effect.map(
          decodeNumbers(sql`
            select n::float8 as n
            from unnest(${places.map(({ companyId }) => companyId)}::uuid[],
                ${places.map(({ position }) => position)}::bigint[]) with ordinality as given (company_id, position, n)
              join audit_events e on e.company_id = given.company_id and e.position = given.position
            where e.at < now() - interval '2 hours'
            order by n`),
          (found) => found.flatMap(({ n }) => places[n - 1] ?? [])
        ),

      /** Of events that were, those that are not there any more, or are others. */
      lost: <A extends EventPlace>(places: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<A>> =>
        Effect.map(
          decodeNumbers(sql`
            select n::float8 as n
            from unnest(${places.map(({ companyId }) => companyId)}::uuid[],
                ${places.map(({ position }) => position)}::bigint[], ${places.map(({ hash }) => hash)}::text[])
                with ordinality as given (company_id, position, hash, n)
              left join lateral (
                select e.hash
                from audit_heads h join audit_events e on e.company_id = h.company_id
                where h.company_id = given.company_id and h.position >= given.position and e.position = given.position
                limit 1
              ) kept on true
            where encode(kept.hash, 'hex') is distinct from given.hash
            order by n`),
          (found) => found.flatMap(({ n }) => places[n - 1] ?? [])
        ),

      /** Newest first, with the end of the chain by the database's account, which is undefined too when there are no events. */
      list: ({ actions, actorId, before, companyId, from, limit, resourceId, to }: EventFilter) => {
        const conditions: Array<Statement.Fragment> = [sql`e.company_id = ${companyId}`]
        if (before !== undefined) conditions.push(sql`e.position < ${before}`)
        if (actorId !== undefined) conditions.push(sql`e.actor_id = ${actorId}`)
        if (resourceId !== undefined) conditions.push(sql`e.resource_id = ${resourceId}`)
        // `is true`, so that no index is taken for it: a period can be most of a trail, and is narrowed down by position.
        if (from !== undefined) {
          conditions.push(sql`e.position > ${lastBefore(companyId, from)} and (e.at >= ${from}) is true`)
        }
        if (to !== undefined) {
          conditions.push(sql`e.position < ${firstAfter(companyId, to)} and (e.at < ${to}) is true`)
        }
        const where = sql.and(conditions)
        const head = sql`
          (select position from audit_heads where company_id = ${companyId})::float8 as head_position,
          (select encode(hash, 'hex') from audit_heads where company_id = ${companyId}) as head_hash`
        // Of several actions the newest of each: no index has them all in the order of the list.
        const wanted =
          actions !== undefined
            ? sql`select action from unnest(${actions}::text[]) as given (action)`
            : actorId !== undefined
              ? actionsOf(companyId, actorId)
              : undefined
        const page =
          wanted === undefined
            ? sql`
                select ${columns}, ${head} from audit_events e where ${where}
                order by e.position desc limit ${limit}`
            : sql`
                select ${columns}, ${head} from (${wanted}) as wanted (action) cross join lateral (
                  select * from audit_events e where ${where} and e.action = wanted.action
                  order by e.position desc limit ${limit}
                ) e
                order by e.position desc limit ${limit}`
        // How it is best found depends on whose trail it is, and on what is asked for.
        return Effect.map(decodeListed(page.unprepared), (events) => ({ events, head: headIn(events[0]) }))
      },

      /** Every company that there is, or of which there is a trail. */
      companies: Effect.map(
        decodeIds(sql`
          with recursive trails as (
            (select company_id from audit_events order by company_id limit 1)
            union all
            select (
              select e.company_id from audit_events e where e.company_id > t.company_id
              order by e.company_id limit 1
            ) from trails t where t.company_id is not null
          )
          select company_id from trails where company_id is not null
          union select company_id from audit_heads
          union select company_id from audit_seals
          union select id from companies
          order by company_id`),
        (found) => found.map(({ company_id }) => company_id)
      ),

      /** The events after `position`, the oldest `limit` of them, together with the head and the seal. */
      stretch: (companyId: string, position: number, limit: number): Effect.Effect<Stretch> =>
        Effect.map(
          decodeStored(sql`
            select h.position::float8 as head_position, encode(h.hash, 'hex') as head_hash,
              s.position::float8 as seal_position, s.seal, ${columns}
            from (select ${companyId}::uuid as company_id) asked
              left join audit_heads h on h.company_id = asked.company_id
              left join audit_seals s on s.company_id = asked.company_id
              left join lateral (
                select * from audit_events where company_id = asked.company_id and position > ${position}
                order by position limit ${limit}
              ) e on true
            order by e.position`),
          (found) => {
            const { seal = null, seal_position = null } = found[0] ?? {}
            return {
              events: found.filter((row): row is typeof StoredRow.Type => row.position !== null),
              head: headIn(found[0]),
              seal: seal === null || seal_position === null ? undefined : { position: seal_position, seal }
            }
          }
        )
    }
  })
}) {}
