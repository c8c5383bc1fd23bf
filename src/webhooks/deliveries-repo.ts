import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { onlyRow, orDie, row, rows } from "../db/sql.ts"
import { JsonObject } from "../shared/schemas.ts"
import { attemptJobs, deliveryId, enqueueAttempts, rollPartitions, shownEventId } from "./fan-out-repo.ts"
import { type DeliveryStatus, WebhookAttempt, WebhookDelivery } from "./model.ts"

const DeliveryRow = Schema.typeSchema(WebhookDelivery)

const DetailsRow = Schema.typeSchema(
  Schema.Struct({ ...WebhookDelivery.fields, endpoint_id: Schema.String, data: JsonObject })
)

const AttemptRow = Schema.typeSchema(WebhookAttempt)

interface ListQuery {
  readonly endpointId: string
  readonly statuses: ReadonlyArray<DeliveryStatus>
  /** Only deliveries with smaller numbers. */
  readonly before: number | undefined
  readonly limit: number
}

/** How many deliveries one statement recovers. */
export const recoveredAtOnce = 500

/** Seconds between two recovered deliveries of an endpoint, so that it is not flooded. */
const recoveryPace = 0.05

/** How many attempts of a delivery are shown. */
const mostShown = 100

/** Deliveries and their attempts as companies see and repeat them, in Postgres. */
export class DeliveryRepo extends Effect.Service<DeliveryRepo>()("DeliveryRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAll = rows(DeliveryRow)
    const decodeOne = row(DeliveryRow)
    const decodeDetails = row(DetailsRow)
    const decodeAttempts = rows(AttemptRow)
    const decodeRecovered = onlyRow(
      Schema.Struct({
        sent: Schema.Number,
        /** How many were found: those that another recovery has taken meanwhile are not sent. */
        found: Schema.Number,
        last: Schema.NullOr(Schema.DateFromSelf)
      })
    )

    // As companies see it.
    const columns = sql.literal(`
      d.id, ${shownEventId}, d.event_type, d.sequence::float8 as sequence, d.status, d.attempts, d.next_attempt_at, d.created_at`)
    const stored = sql.literal("d.created_at > now() - interval '30 days'")

    return {
      /** Newest first. */
      list: ({ before, endpointId, limit, statuses }: ListQuery) =>
        decodeAll(sql`
          select ${columns} from unnest(${statuses}::text[]) as wanted (wanted_status) cross join lateral (
            select * from webhook_deliveries d
            where d.endpoint_id = ${endpointId} and d.status = wanted_status and ${stored}
              ${before === undefined ? sql`` : sql`and d.sequence < ${before}::bigint`}
            order by d.sequence desc limit ${limit}
          ) as d
          order by d.sequence desc limit ${limit}`),

      /** The delivery of a new event. */
      findByEvent: (endpointId: string, eventId: string) =>
        decodeOne(sql`
          select ${columns} from webhook_deliveries d
          where d.id = ${deliveryId(sql, sql`${eventId}::uuid`, sql`${endpointId}::uuid`)} and d.created_at > now() - interval '1 day'`),

      /** None for a removed endpoint, and for another company's. */
      find: (companyId: string, id: string) =>
        decodeDetails(sql`
          select ${columns}, d.endpoint_id, e.data
          from webhook_deliveries d
          join webhook_endpoints p on p.id = d.endpoint_id and p.company_id = ${companyId} and p.removed_at is null
          join events e on e.id = d.event_id and e.created_at = d.created_at
          where d.id = ${id} and ${stored}`),

      /** The last attempts, oldest first. */
      attempts: (id: string, since: Date) =>
        decodeAttempts(sql`
          select * from (
            select a.at, a.milliseconds, a.status, a.reason, a.answer from webhook_attempts a
            where a.delivery_id = ${id} and a.at >= ${since} order by a.at desc limit ${mostShown}
          ) as last order by at`),

      /** Begins another round. The job of the earlier round finds that it has ended. */
      sendAgain: (id: string, at: Date) =>
        orDie(sql`
          with again as (
            update webhook_deliveries d set status = 'pending', round = d.round + 1, tries = 0, next_attempt_at = now()
            where d.id = ${id} and d.created_at = ${at}
            returning *
          ), ${enqueueAttempts(sql, sql`again`)}
          select from again`),

      /**
       * Begins another round of the oldest deliveries since then that failed or were held. Returns how many, and the time of the last that was found.
       * @param before how many deliveries of this recovery are sent before these
       */
      recover: (endpointId: string, since: Date, before: number) =>
        decodeRecovered(sql`
          with chosen as (
            select found.*, row_number() over (order by found.sequence) as place from (
              select d.id, d.created_at, d.sequence from webhook_deliveries d
              where d.endpoint_id = ${endpointId} and d.status in ('failed', 'held') and d.created_at >= ${since} and ${stored}
              order by d.created_at limit ${recoveredAtOnce}
            ) as found
          ), again as (
            update webhook_deliveries d set status = 'pending', round = d.round + 1, tries = 0,
              next_attempt_at = now() + (${before}::int + chosen.place) * ${recoveryPace}::float8 * interval '1 second'
            from chosen
            where d.id = chosen.id and d.created_at = chosen.created_at and d.id = any (array(select id from chosen))
              and d.status in ('failed', 'held')
            returning d.*
          ), ${enqueueAttempts(sql, sql`again`, attemptJobs.recovery)}
          select (select count(*)::int from again) as sent, count(*)::int as found, max(created_at) as last from chosen`),

      rollPartitions: orDie(rollPartitions(sql))
    }
  })
}) {}
