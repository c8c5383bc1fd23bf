import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Context, Effect } from "effect"
import { Listeners } from "../shared/listeners.ts"
import { afterCommit } from "./sql.ts"

interface NewEvents {
  /** The company that the event is for, an SQL expression of type uuid over the columns of `from`. */
  readonly companyId: Statement.Fragment
  /** The event's data, an SQL expression of type jsonb over the columns of `from`. It contains no secret and no personal data. */
  readonly data: Statement.Fragment
  /** When it happened, an SQL expression of type timestamptz over the columns of `from`. Default: the begin of the transaction. */
  readonly at?: Statement.Fragment | undefined
  /** A CTE of the statement that returns what changed. Each of its rows is one event. */
  readonly from: Statement.Fragment
}

/**
 * Records events of one type (`events/model`), as a CTE of the statement that makes the change. An event is thus committed together with
 * the change or not at all, at no extra round trip. Pipe the write through {@link recordingEvents}.
 *
 * ```ts
 * decode(sql`
 *     with revoked as (update api_keys set revoked_at = now() where id = ${id} returning id, company_id),
 *       recorded as (${recordEvents(sql, "api_key.revoked", {
 *         companyId: sql`company_id`, data: sql`jsonb_build_object('id', id)`, from: sql`revoked`
 *       })})
 *     select id from revoked`).pipe(recordingEvents)
 * ```
 */
export const recordEvents = (
  sql: SqlClient.SqlClient,
  type: string | Statement.Fragment,
  { at, companyId, data, from }: NewEvents
): Statement.Fragment => sql`
  insert into event_outbox (company_id, type, data, created_at)
  select ${companyId}, ${type}, jsonb_strip_nulls(${data}), ${at ?? sql`now()`} from ${from}`

const listeners = new Listeners()

const notifyListeners = afterCommit(() => listeners.tell())

/** Calls the listeners of {@link onRecorded} once the write has committed, also if it found nothing to change. */
export const recordingEvents = <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.zipLeft(write, notifyListeners)

/** Calls the listener, until the scope ends, after each commit of this process that may have recorded events. */
export const onRecorded = (listener: () => void) => listeners.add(listener)

/**
 * What else happens to events in the statement that moves them to the log: CTEs over the rows of `from`, which has the columns of
 * `events`. It is thus committed together with the log.
 */
export type FollowLog = (sql: SqlClient.SqlClient, from: Statement.Fragment) => Statement.Fragment

export class LogFollower extends Context.Reference<LogFollower>()("doorlock/db/LogFollower", {
  defaultValue: (): FollowLog | undefined => undefined
}) {}

// Events that only time causes are recorded up to a stored time (`event_watermarks`), each once. Parts of the statements that do so:

/** A row is written with the time of its statement's start. Within this time, the statement has been committed. */
export const lag = "interval '30 seconds'"

/**
 * The next stored time; the CTE `mark` has the present one. After a failover, the clock may be a little behind, and what has its event must not
 * get another one. If it is further behind than the lag, the stored time goes back, too, or what is due until then would get no event.
 */
export const nextReached = `case when mark.reached > now() then now() - ${lag} else greatest(mark.reached, now() - ${lag}) end`
