import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { batcher } from "../db/batcher.ts"
import { recordEvents, recordingEvents } from "../db/outbox.ts"
import { json, orDie, rows } from "../db/sql.ts"
import { JsonObject } from "../shared/schemas.ts"
import type { Attempted, Round } from "./attempt-model.ts"
import { enqueueAttempts, shownEventId } from "./fan-out-repo.ts"
import { fromGoodSecrets, mostSecrets } from "./repo.ts"

/** What one attempt needs to know. */
const DueRow = Schema.Struct({
  sequence: Schema.Number,
  /** In this round. */
  tries: Schema.Number,
  event_id: Schema.String,
  /** Any text: during an upgrade, a newer process may have recorded a type that this one does not know. */
  event_type: Schema.String,
  created_at: Schema.DateFromSelf,
  data: Schema.typeSchema(JsonObject),
  endpoint_id: Schema.String,
  company_id: Schema.String,
  url: Schema.String,
  enabled: Schema.Boolean,
  /** In base64, newest first. */
  secrets: Schema.Array(Schema.String),
  /** The database's time, in milliseconds since 1970. */
  now: Schema.Number
})
export type DueDelivery = typeof DueRow.Type

const DisabledRow = Schema.Struct({
  id: Schema.String,
  company_id: Schema.String,
  url: Schema.String,
  disabled_reason: Schema.String
})

/** How long an endpoint may fail, and how often it must have failed, before it is disabled. */
const disableAfter = { days: 5, failures: 10 }

/** What attempts of deliveries read and write, in Postgres. */
export class AttemptRepo extends Effect.Service<AttemptRepo>()("AttemptRepo", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeDue = rows(Schema.Struct({ ...DueRow.fields, place: Schema.Number }))
    const decodeDisabled = rows(DisabledRow)

    /**
     * The deliveries of these rounds that have not ended, with the places of their rounds. `offset 0` makes the planner look up each by its id:
     * it cannot know how many deliveries are pending.
     */
    const pending = (rounds: ReadonlyArray<Round>) => sql`
      select given.place, found.* from jsonb_to_recordset(${json(rounds.map((one, place) => ({ ...one, place })))})
        as given (place int, id uuid, at timestamptz, round int)
      cross join lateral (
        select d.id, d.created_at, d.round, d.endpoint_id, d.sequence::float8 as sequence, d.tries, d.event_id, d.event_type
        from webhook_deliveries d
        where d.id = given.id and d.created_at = given.at and d.round = given.round and d.status = 'pending' offset 0
      ) as found`

    const dueOf = (rounds: ReadonlyArray<Round>) =>
      Effect.map(
        // The planner cannot know how few deliveries there are. Each `offset 0` and `materialized` leaves it one way: by the id of the delivery,
        // of the endpoint and of the event.
        decodeDue(sql`
          with due as materialized (
            ${pending(rounds)}
          ), endpoints as materialized (
            select p.id, p.company_id, p.url, p.disabled_at is null as enabled,
              array(
                select encode(s.sealed, 'base64') ${fromGoodSecrets(sql, sql`p.id`)}
                order by s.created_at desc, s.id desc limit ${mostSecrets}
              ) as secrets
            from webhook_endpoints p where p.id = any (array(select endpoint_id from due)) and p.removed_at is null
          )
          select d.place, d.sequence, d.tries, ${sql.literal(shownEventId)}, d.event_type, d.created_at, e.data, d.endpoint_id,
            p.company_id, p.url, p.enabled, p.secrets, (extract(epoch from now()) * 1000)::float8 as now
          from due d join endpoints p on p.id = d.endpoint_id
          cross join lateral (
            select data from events where id = d.event_id and created_at = d.created_at offset 0
          ) as e`),
        (found) => new Map(found.map(({ place, ...delivery }) => [place, delivery] as const))
      )
    const due = yield* batcher(dueOf)

    return {
      /** None if this round of the delivery, or its endpoint, has ended. */
      due,

      /** The same of several rounds, in their order. */
      dueOf: (rounds: ReadonlyArray<Round>) =>
        Effect.map(dueOf(rounds), (found) => rounds.map((_, place) => Option.fromNullable(found.get(place)))),

      /**
       * Logs attempts and moves their deliveries on. Disables an endpoint that is gone, and one that has failed for too long, and records the
       * event of that. Returns the endpoints that it has disabled.
       */
      settle: (attempted: ReadonlyArray<Attempted>) =>
        decodeDisabled(sql`
          -- The arrays of ids make the planner look up each id. It cannot know how few there are.
          with done as (
            select *, reason is null as good from jsonb_to_recordset(${json(attempted)}) as given (
              id uuid, at timestamptz, round int, "endpointId" uuid, url text, milliseconds int, status int, reason text, answer text,
              "nextAfter" float8, gone boolean)
          ), logged as (
            insert into webhook_attempts (delivery_id, at, milliseconds, status, reason, answer)
            select id, now() - milliseconds * interval '1 millisecond', milliseconds, status, reason, answer from done
          ), latest as (
            -- Two rounds of a delivery may end at once. An update would take either of them; only the later one can be the present round.
            select distinct on (id, at) *, count(*) over (partition by id, at)::int as made from done order by id, at, round desc
          ), moved as (
            update webhook_deliveries d set attempts = d.attempts + done.made,
              tries = case when d.round = done.round then d.tries + 1 else d.tries end,
              status = case when d.round <> done.round then d.status when good then 'succeeded'
                when done."nextAfter" is null then 'failed' else 'pending' end,
              next_attempt_at = case when d.round <> done.round then d.next_attempt_at
                else now() + done."nextAfter" * interval '1 millisecond' end
            from latest done where d.id = done.id and d.created_at = done.at and d.id = any (array(select id from done))
          ), health as (
            select "endpointId" as id, bool_or(good) as good, array_agg(url) filter (where gone) as gone,
              count(*) filter (where not good)::int as failed
            from done group by 1
          ), judged as (
            select p.id, h.good, h.failed, case
              -- The answer of an earlier URL says nothing about this one.
              when p.url = any (h.gone) then 'gone'
              when not h.good and p.failing_since <= now() - ${disableAfter.days}::int * interval '1 day'
                and p.failures + h.failed >= ${disableAfter.failures} then 'failing' end as verdict
            from health h join webhook_endpoints p on p.id = h.id and p.id = any (array(select id from health))
            where p.disabled_at is null and p.removed_at is null and (h.failed > 0 or p.failures > 0)
            -- The lock makes concurrent statements take turns, in one order, so that each judges by what the earlier ones wrote.
            order by p.id for no key update of p
          ), changed as (
            update webhook_endpoints p set
              failures = case when j.good then 0 else p.failures + j.failed end,
              failing_since = case when j.good then null else coalesce(p.failing_since, now()) end,
              disabled_at = case when j.verdict is not null then now() end,
              disabled_reason = j.verdict
            from judged j
            where p.id = j.id and p.id = any (array(select id from judged)) and p.disabled_at is null
            returning p.id, p.company_id, p.url, p.disabled_reason
          ), disabled as (
            select * from changed where disabled_reason is not null
          ), told as (${recordEvents(sql, "webhook.endpoint.disabled", {
            companyId: sql`company_id`,
            data: sql`jsonb_build_object('id', id, 'status', 'disabled', 'reason', disabled_reason, 'url', '/api/webhook-endpoints')`,
            from: sql`disabled`
          })})
          select id, company_id, url, disabled_reason from disabled order by company_id, id`).pipe(
          recordingEvents
        ),

      /**
       * These deliveries wait until their endpoint is enabled, and are recovered. Those whose endpoint has been enabled since it was read are
       * attempted.
       */
      hold: (held: ReadonlyArray<Round>) =>
        orDie(sql`
          with waiting as materialized (
            ${pending(held)}
          ), endpoints as materialized (
            select p.id, p.disabled_at is null as enabled from webhook_endpoints p
            where p.id = any (array(select endpoint_id from waiting)) and p.removed_at is null
            -- Who enables it waits, so that a recovery after that finds what is held here.
            order by p.id for share of p
          ), stopped as (
            update webhook_deliveries d set status = 'held', next_attempt_at = null
            from waiting w join endpoints p on p.id = w.endpoint_id and not p.enabled
            where d.id = w.id and d.created_at = w.created_at and d.round = w.round and d.status = 'pending'
              and d.id = any (array(select id from waiting))
          ), again as (
            select w.*, now() as next_attempt_at from waiting w join endpoints p on p.id = w.endpoint_id and p.enabled
          ), ${enqueueAttempts(sql, sql`again`)}
          select from again`),

      /** These deliveries end without another attempt, and can be sent again as others that failed. */
      fail: (dropped: ReadonlyArray<Round>) =>
        orDie(sql`
          with waiting as materialized (
            ${pending(dropped)}
          )
          update webhook_deliveries d set status = 'failed', next_attempt_at = null
          from waiting w
          where d.id = w.id and d.created_at = w.created_at and d.round = w.round and d.status = 'pending'
            and d.id = any (array(select id from waiting))`)
    }
  })
}) {}
