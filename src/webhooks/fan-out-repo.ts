import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { enqueueing } from "../db/enqueue.ts"
import type { FollowLog } from "../db/outbox.ts"

/** The kinds of the jobs that attempt deliveries: usual ones, and those of a recovery, which must not delay the others. A lane is an endpoint, and its group the company. */
export const attemptJobs = { delivery: "webhook.delivery", recovery: "webhook.recovery" } as const

type AttemptJob = (typeof attemptJobs)[keyof typeof attemptJobs]

/** CTEs that enqueue an attempt of each delivery in `from`, a CTE with the changed rows of `webhook_deliveries`. */
export const enqueueAttempts = (
  sql: SqlClient.SqlClient,
  from: Fragment,
  kind: AttemptJob = attemptJobs.delivery
): Fragment =>
  enqueueing(sql, kind, {
    group: sql`(select company_id::text from webhook_endpoints where id = endpoint_id)`,
    lane: sql`endpoint_id::text`,
    payload: sql`jsonb_build_object('id', id, 'at', created_at, 'round', round)`,
    due: sql`next_attempt_at`,
    from
  })

/** Creates the partitions of deliveries and attempts that are needed now and in the next days, and drops those that are too old. */
export const rollPartitions = (sql: SqlClient.SqlClient) => sql`call roll_webhook_partitions()`

/** The column `event_id` of a delivery `d`, as companies see it. */
export const shownEventId = "'evt_' || replace(d.event_id::text, '-', '') as event_id"

/** The id of an event's delivery to an endpoint. */
export const deliveryId = (sql: SqlClient.SqlClient, eventId: Fragment, endpointId: Fragment): Fragment =>
  sql`encode(substr(sha256(uuid_send(${eventId}) || uuid_send(${endpointId})), 1, 16), 'hex')::uuid`

/**
 * Gives each new event to the endpoints that want it. Each endpoint numbers its deliveries in the order of the log, without gaps. A disabled
 * endpoint's deliveries are held. The offset and the array make the planner look up each endpoint: it cannot know how few there are.
 */
export const fanOut: FollowLog = (sql, from) => sql`
  webhook_wanted as materialized (
    select p.id as endpoint_id, p.disabled_at is null as enabled, e.id as event_id, e.type, e.created_at,
      row_number() over (partition by p.id order by e.position) as place
    from ${from} e cross join lateral (
      select * from webhook_endpoints where company_id = e.company_id and removed_at is null offset 0
    ) as p
    where case e.type when 'webhook.test' then e.data ->> 'id' = p.id::text
      else p.event_types is null or e.type = any (p.event_types) end
  ), webhook_numbered as (
    update webhook_sequences s set last = s.last + w.n
    from (select endpoint_id, count(*) as n from webhook_wanted group by endpoint_id) w
    where s.endpoint_id = w.endpoint_id and s.endpoint_id = any (array(select endpoint_id from webhook_wanted))
    returning s.endpoint_id, s.last - w.n as start
  ), webhook_recorded as (
    insert into webhook_deliveries (id, endpoint_id, sequence, event_id, event_type, status, next_attempt_at, created_at)
    select ${deliveryId(sql, sql`event_id`, sql`endpoint_id`)}, endpoint_id, start + place, event_id, type,
      case when enabled then 'pending' else 'held' end, case when enabled then now() end, created_at
    from webhook_wanted join webhook_numbered using (endpoint_id)
    returning *
  ), webhook_due as (
    select * from webhook_recorded where status = 'pending'
  ), ${enqueueAttempts(sql, sql`webhook_due`)}`
