import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"

/** Ends the group in a lane's key: `<group>/<lane>`. */
export const groupEnd = "/"

interface NewJobs {
  /** The key of the lane, an SQL expression of type text over the columns of `from`, as are the next three. */
  readonly lane: Statement.Fragment
  /** Whose lanes share the slots of a process, such as a company; without a slash. By default, a lane shares with no other. */
  readonly group?: Statement.Fragment
  /** Of type jsonb. An operator may see it: ids only, no secret and no personal data. */
  readonly payload: Statement.Fragment
  /** When to run the job at the earliest, of type timestamptz; default: now. */
  readonly due?: Statement.Fragment
  /** A CTE of the statement. Each of its rows is one job. */
  readonly from: Statement.Fragment
}

/**
 * Adds jobs (`work/README.md`), as two CTEs of the statement that makes the change. The jobs are thus committed together with the change or
 * not at all. Call `WorkSignal.wake` after the commit. Until then, nobody else can take these lanes or add to them: keep the transaction
 * short.
 *
 * ```ts
 * sql`with added as (insert into deliveries ... returning id, company_id, endpoint_id), ${enqueueing(sql, "webhook.delivery", {
 *       group: sql`company_id::text`, lane: sql`endpoint_id::text`, payload: sql`jsonb_build_object('id', id)`, from: sql`added`
 *     })}
 *     select id from added`
 * ```
 */
export const enqueueing = (
  sql: SqlClient.SqlClient,
  kind: string | Statement.Fragment,
  { due = sql`now()`, from, group, lane, payload }: NewJobs
): Statement.Fragment => sql`
  jobs_enqueued as (
    insert into work_jobs (kind, lane, payload, due)
    select ${kind}, ${group === undefined ? lane : sql`${group} || ${groupEnd} || ${lane}`}, ${payload}, ${due} from ${from}
    returning kind, lane, due
  ), lanes_due as (
    insert into work_lanes as known (kind, key, due)
    -- In one order, so that two statements wait for each other's rows and not for ever.
    select kind, lane, min(due) from jobs_enqueued group by kind, lane order by kind, lane
    on conflict (kind, key) do update set due = least(known.due, excluded.due), version = known.version + 1
  )`
