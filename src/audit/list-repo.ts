import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { rows } from "../db/sql.ts"
import { type Head, StoredEvent } from "./chain-model.ts"
import type { Action } from "./model.ts"

/** The end of a chain according to the database. */
export const HeadColumns = {
  head_position: Schema.NullOr(Schema.Number),
  head_hash: Schema.NullOr(Schema.String)
}

export const headIn = ({
  head_hash = null,
  head_position = null
}: Partial<Schema.Struct.Type<typeof HeadColumns>> = {}): Head | undefined =>
  head_hash === null || head_position === null ? undefined : { position: head_position, hash: head_hash }

export const timeText = `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const eventColumns = `e.company_id, e.position::float8 as position, e.id, ${timeText} as at,
  e.actor_kind, e.actor_id, e.actor_name, e.address, e.user_agent, e.action,
  e.resource_kind, e.resource_id, e.resource_name, e.details::text as details,
  encode(e.previous_hash, 'hex') as previous_hash, encode(e.hash, 'hex') as hash`

const maxPosition = Number.MAX_SAFE_INTEGER

/** An undefined field does not filter. */
export interface EventFilter {
  readonly companyId: string
  readonly limit: number
  /** Only events before this position. */
  readonly before?: number | undefined
  readonly actions?: ReadonlyArray<Action> | undefined
  /** An id, like `resource`. */
  readonly actor?: string | undefined
  readonly resource?: string | undefined
  /** Inclusive. */
  readonly from?: Date | undefined
  /** Exclusive. */
  readonly to?: Date | undefined
}

/** Events newest first, with the chain's end according to the database; undefined if no event matches. */
export const listOn = (sql: SqlClient.SqlClient) => {
  const decodeListed = rows(Schema.Struct({ ...StoredEvent.fields, ...HeadColumns }))
  const columns = sql.literal(eventColumns)

  /**
   * A position up to which all events are earlier than `time`. A trail is in order of time except where the
   * clock was set back, so only events before the first setback across `time` count.
   */
  const lastBefore = (companyId: string, time: Date) => sql`coalesce((
    select position from audit_events
    where company_id = ${companyId} and at < ${time}
      and (position < (
        select coalesce(min(position), ${maxPosition}::bigint) from audit_setbacks
        where company_id = ${companyId} and at < ${time} and previous_at >= ${time}
      )) is true
    order by at desc limit 1), 0)`
  /** A position from which no event is earlier than `time`: only events after the last setback count. */
  const firstAfter = (companyId: string, time: Date) => sql`coalesce((
    select position from audit_events
    where company_id = ${companyId} and at >= ${time}
      and (position >= (
        select coalesce(max(position), 0) from audit_setbacks
        where company_id = ${companyId} and at < ${time} and previous_at >= ${time}
      )) is true
    order by at limit 1), ${maxPosition}::bigint)`

  /** Finds each action by one step in the index. */
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

  return ({ actions, actor, before, companyId, from, limit, resource, to }: EventFilter) => {
    const conditions: Array<Statement.Fragment> = [sql`e.company_id = ${companyId}`]
    if (before !== undefined) conditions.push(sql`e.position < ${before}`)
    if (actor !== undefined) conditions.push(sql`e.actor_id = ${actor}`)
    if (resource !== undefined) conditions.push(sql`e.resource_id = ${resource}`)
    // `is true` avoids the index on time, since a period can cover most of a trail.
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
    // For several actions, take the newest events of each: no index holds them all in the order of the list.
    const wanted =
      actions !== undefined
        ? sql`select action from unnest(${actions}::text[]) as given (action)`
        : actor !== undefined
          ? actionsOf(companyId, actor)
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
    // Unprepared, because the best plan depends on the company and on the filters.
    return Effect.map(decodeListed(page.unprepared), (events) => ({ events, head: headIn(events[0]) }))
  }
}
