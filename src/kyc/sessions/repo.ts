import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { lag, nextReached, recordingEvents } from "../../db/outbox.ts"
import { onlyRow, orDie, row, rowCount, uuid } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { sessionEvents } from "./events-repo.ts"
import { keptKeyColumns, keptKeyFields, keptKeyJoin } from "./keys-repo.ts"
import { Session, type SessionKey, SessionState } from "./model.ts"

/** The personal data as it is stored (`sealing-model`). */
export const StoredFields = {
  progress: JsonObject,
  result: Schema.Unknown,
  metadata: Schema.Unknown
} as const

const ReadRow = Schema.typeSchema(
  Schema.Struct({
    ...Session.fields,
    ...StoredFields,
    expired: Schema.Boolean,
    version_id: Schema.String,
    ...keptKeyFields
  })
)

export const FinishedFields = {
  ...Session.pick("id", "status").fields,
  /** Where the end user goes next: the partner's URL byte for byte, or else the instance's, or else null. */
  redirect_url: Schema.NullOr(Schema.String)
} as const

/** Whether the session `s` can be written to, an SQL condition. */
export const isOpen = "s.status in ('created', 'running') and s.expires_at > now()"

/**
 * The `redirect_url` of a finished session `s`, an SQL expression.
 * @param version the name of the row that has the config of its version
 */
export const redirectUrl = (version: string) => `case s.status
  when 'completed' then coalesce(s.success_redirect_url, nullif(${version}.config #>> '{redirect,successUrl}', ''))
  else coalesce(s.failure_redirect_url, nullif(${version}.config #>> '{redirect,failureUrl}', ''))
end`

/** The ids of the steps that progress answers: a step's answers are under the key `s_<id>`. */
export const stepsOf = (progress: JsonObject): ReadonlyArray<string> =>
  Object.keys(progress).flatMap((key) => (key.startsWith("s_") ? [key.slice(2)] : []))

/** The partitions of sessions: for how many locks of each connection Postgres has room, and for which times of ids there are any. */
const PartitionsRow = Schema.Struct({
  count: Schema.Number,
  locks: Schema.Number,
  begin: Schema.DateFromSelf,
  end: Schema.DateFromSelf
})

const VersionRow = Schema.Struct({ config: JsonObject, workflow: JsonObject })

/** How many expired sessions get their event at once. */
export const expiredAtOnce = 1_000

/** Sessions as their browser reads them (`writes-repo` has what it writes), and their expiry. All times come from the database's clock. */
export class SessionRepo extends Effect.Service<SessionRepo>()("SessionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeRead = row(ReadRow)
    const decodeFinished = row(Schema.Struct(FinishedFields))
    const decodeState = row(SessionState)
    const decodeCount = onlyRow(Schema.Struct({ count: Schema.Number }))
    const decodePartitions = onlyRow(PartitionsRow)
    const decodeVersion = onlyRow(VersionRow)

    /** A wrong token finds nothing, just as an unknown session. The id need not be a UUID. */
    const theSession = ({ id, tokenHash }: SessionKey): Statement.Fragment =>
      sql`s.id = ${uuid(id)} and s.token_hash = ${tokenHash}`

    const events = sessionEvents(sql)

    return {
      find: (key: SessionKey) =>
        decodeRead(sql`
          select s.id, s.instance_id, s.company_id, s.mode, s.status, s.external_reference, s.expires_at,
            s.created_at, s.started_at, s.updated_at, s.completed_at, s.redacted_at, s.progress, s.result, s.metadata,
            -- How the company decides, and what it has looked at, is not for end users.
            -- Only whether the page is to keep a mark, because the page does it.
            case when v.config ?| array['review', 'checks'] then v.config - array['review', 'checks'] || (
              case when v.looks_at_photos and v.config @> '{"checks": {"sameBrowser": true}}' then '{"checks": {"sameBrowser": true}}'::jsonb
                else '{}' end
            ) else v.config end as instance_config,
            v.workflow as instance_workflow, s.version_id, s.expires_at <= now() as expired, ${sql.literal(keptKeyColumns)}
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id ${sql.literal(keptKeyJoin)}
          where ${theSession(key)}`),

      /** The version with all steps, for this version of a session. Neither ever changes. */
      wholeVersion: (versionId: string) =>
        decodeVersion(sql`
          select whole.config, whole.workflow
          from kyc_instance_versions v join kyc_instance_versions whole on whole.id = coalesce(v.restricted_from, v.id)
          where v.id = ${versionId}`),

      /**
       * Whether the progress answers steps for which the session does not ask. Their answers were carried over from the session before:
       * reviewers rely on it that nobody has changed them since.
       */
      hasCarried: (key: SessionKey, progress: JsonObject) =>
        Effect.map(
          rowCount(sql`
            select from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
            where ${theSession(key)} and s.previous_session_id is not null and not v.steps @> ${stepsOf(progress)}::text[]`),
          (found) => found > 0
        ),

      /** The outcome of a session that `finish` did not find open. */
      findFinished: (key: SessionKey) =>
        decodeFinished(sql`
          select s.id, s.status, ${sql.literal(redirectUrl("v"))} as redirect_url
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where ${theSession(key)}`),

      /**
       * Records the event of sessions that expired since the last call of any process. Each gets it once: a call that finds another one at
       * work does nothing. Returns how many it looked at; with `expiredAtOnce`, there may be more.
       */
      recordExpired: Effect.map(
        decodeCount(sql`
          with mark as materialized (
            select reached from event_watermarks where name = 'kyc.session.expired' for update skip locked
          ), bound as materialized (
            select max(expires_at) as reached, count(*) as n from (
              select s.expires_at from kyc_sessions s, mark
              where s.completed_at is null and s.expires_at > mark.reached and s.expires_at <= now() - ${sql.literal(lag)}
              order by s.expires_at limit ${expiredAtOnce}
            ) as next
          ), expired as (
            -- The lock waits for a request that finishes the session at the same time.
            select s.id, s.company_id, s.instance_id, 'expired' as status, s.mode, s.external_reference
            from kyc_sessions s, mark, bound
            where s.completed_at is null and s.expires_at > mark.reached and s.expires_at <= bound.reached
            for no key update of s
          ), recorded as (${events.expired}), moved as (
            update event_watermarks w set reached = case
              when n < ${expiredAtOnce} then ${sql.literal(nextReached)} else bound.reached end
            from mark, bound where w.name = 'kyc.session.expired'
          )
          select n::int as count from bound`).pipe(recordingEvents),
        ({ count }) => count
      ),

      /** Creates the partitions of the next months, if they are missing. */
      rollPartitions: Effect.asVoid(orDie(sql`call roll_session_partitions()`)),

      partitions: decodePartitions(sql`
        select count(*)::int as count, current_setting('max_locks_per_transaction')::int as locks,
          min(time_of_id(low)) as begin, max(time_of_id(high)) as end
        from due_session_partitions(0, 'infinity')`),

      findState: (key: SessionKey) =>
        decodeState(
          sql`select s.status, s.expires_at <= now() as expired from kyc_sessions s where ${theSession(key)}`
        )
    }
  })
}) {}
