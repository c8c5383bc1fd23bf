import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { enqueueing } from "../../db/enqueue.ts"
import { recordEvents, recordingEvents } from "../../db/outbox.ts"
import { json, onlyRow, orDie, rowCount, rows } from "../../db/sql.ts"
import { fileRemoval } from "../files/model.ts"
import type { Month } from "./months-repo.ts"

const RedactedRow = Schema.Struct({
  id: Schema.String,
  company_id: Schema.String,
  /** False: it had been redacted before, and nothing was changed. */
  now: Schema.Boolean
})

const DueRow = Schema.Struct({ id: Schema.String, company_id: Schema.String })
export type Due = typeof DueRow.Type

type Days = "finishedDays" | "unfinishedDays" | "filesDays"
type Retention = Readonly<Record<Days | "sessionsMonths", number | undefined>>

const DaysOrNone = Schema.NullOr(Schema.Number)

const RulesRow = Schema.Struct({
  version_id: Schema.String,
  /** Sessions that ended before this are due whatever their version says; null: none are. */
  endedBefore: Schema.NullOr(Schema.DateFromSelf),
  finishedDays: DaysOrNone,
  unfinishedDays: DaysOrNone,
  filesDays: DaysOrNone
})

/** Which sessions of a version are due: those that ended so many days ago, and before that time. */
interface Rule {
  readonly version_id: string
  readonly days: number | null
  readonly before: Date | null
}

/** How many sessions whose time is over are looked up at once. */
const dueAtOnce = 100

/** Destroys the personal data of sessions. */
export class RedactionRepo extends Effect.Service<RedactionRepo>()("RedactionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decode = rows(RedactedRow)
    const decodeDue = rows(DueRow)
    const decodeRules = rows(RulesRow)
    const decodeCount = onlyRow(Schema.Struct({ sessions: Schema.Number }))

    const recorded = recordEvents(sql, sql.literal("type"), {
      companyId: sql`company_id`,
      data: sql.literal(`jsonb_build_object('id', id, 'instance_id', instance_id, 'status', status,
        'mode', mode, 'external_reference', external_reference, 'url', '/api/kyc/sessions/' || id)`),
      from: sql`happened`
    })

    const removed = enqueueing(sql, fileRemoval, {
      group: sql`company_id::text`,
      lane: sql`session_id::text`,
      payload: sql`jsonb_build_object('id', id)`,
      from: sql`file`
    })

    /**
     * In one statement: destroys the key of the session, empties the columns and deletes the rows with personal data, records the events,
     * and enqueues the removal of the files' contents. A session that is open ends as cancelled. Rows are found by the id, and not by that of
     * `s`: a plan for all values would compare that with whole tables.
     */
    const redactAll = (id: string, which: Statement.Fragment) =>
      decode(sql`
        with found as materialized (
          select s.id, s.company_id, s.redacted_at,
            s.status in ('created', 'running') and s.expires_at > now() as is_open, now() as at
          from kyc_sessions s where ${which} for update
        ), s as (
          update kyc_sessions s set redacted_at = now(), updated_at = now(),
            progress = '{}', step_seconds = '{}', step_results = '{}', missing_steps = null, failed_rules = '{}', result = null, metadata = null, success_redirect_url = null, failure_redirect_url = null,
            status = case when is_open then 'cancelled' else s.status end,
            completed_at = case when is_open then found.at else s.completed_at end,
            files_begun = (select count(*) from kyc_file_uploads u where u.session_id = s.id)
          from found where s.id = ${id} and found.redacted_at is null
          returning s.*, is_open
        ), key as (
          delete from kyc_session_keys k using s where k.session_id = ${id}
        ), handoff as (
          delete from kyc_handoffs h using s where h.session_id = ${id}
        ), note as (
          delete from kyc_session_notes n using s where n.session_id = ${id}
        ), seen as (
          delete from kyc_checks c using s where c.session_id = ${id}
        ), reading as (
          delete from kyc_readings r using s where r.session_id = ${id}
        ), marked as (
          delete from kyc_browser_marks m using s where m.session_id = ${id}
        ), undecided as (
          -- There is nothing left to decide on.
          delete from kyc_reviews r using s where r.session_id = ${id} and r.status <> 'decided'
        ), file as (
          delete from kyc_files f using s where f.session_id = ${id} returning f.id, f.session_id, s.company_id
        ), ${removed}, happened as (
          select s.*, type from s, lateral (
            values (1, 'kyc.session.cancelled'), (2, 'kyc.session.redacted')
          ) as events (place, type)
          where is_open or place = 2 order by s.id, place
        ), recorded as (${recorded})
        select id, company_id, redacted_at is null as now from found`).pipe(recordingEvents)

    /** Days in `retention` of a config, or else the service's own setting. A config from before retention may have anything there. */
    const daysIn = (config: string, name: string, own: number | undefined) =>
      sql.literal(`coalesce(
      case jsonb_typeof(${config} #> '{retention,${name}}') when 'number'
        then least(greatest((${config} #> '{retention,${name}}')::numeric, 0), 36500)::int end,
      ${own ?? "null"}::int)`)

    /** When the month began that many days from now is the service's own number of months ago; null without it. */
    const monthAgo = ({ sessionsMonths }: Retention, days = 0) =>
      sql`(date_trunc('month', (now() + make_interval(days => ${days})) at time zone 'UTC')
        - make_interval(months => ${sessionsMonths ?? null})) at time zone 'UTC'`

    const setting = (name: Days, own: Retention) =>
      sql`least(${daysIn("v.config", name, own[name])}, ${daysIn("present.config", name, own[name])})`

    /** The oldest sessions of these versions that match and whose time is over. */
    const due =
      (since: string, condition: string) => (rules: ReadonlyArray<Rule>, except: ReadonlyArray<string>) =>
        decodeDue(sql`
        select s.id, s.company_id from jsonb_to_recordset(${json(rules)}) as rule (version_id uuid, days int, before timestamptz)
        cross join lateral (
          select s.id, s.company_id from kyc_sessions s
          where s.version_id = rule.version_id and ${sql.literal(condition)} and s.id <> all (${except}::uuid[])
            and ${sql.literal(since)} < greatest(now() - make_interval(days => rule.days), rule.before)
          order by ${sql.literal(since)} limit ${dueAtOnce} offset 0
        ) as s
        limit ${dueAtOnce}`)

    /** Sessions of a month that match. A plan for all months would not know that the ids are all of a partition, and would look through them. */
    const dueIn = (since: string, condition: string) => (month: Month, except: ReadonlyArray<string>) =>
      decodeDue(
        sql`
          select s.id, s.company_id from kyc_sessions s
          where s.id >= ${month.low}::uuid and s.id < ${month.high}::uuid and ${sql.literal(condition)} and s.id <> all (${except}::uuid[])
          order by s.version_id, ${sql.literal(since)} limit ${dueAtOnce}`.unprepared
      )

    const finished = "s.redacted_at is null and s.completed_at is not null"
    const expired = "s.redacted_at is null and s.completed_at is null and s.expires_at <= now()"

    return {
      /** For each version of an instance, after how many days what is destroyed; null: never. @param own the service's own settings */
      rules: (own: Retention) =>
        decodeRules(sql`
          select v.id as version_id, ${monthAgo(own)} as "endedBefore", ${setting("finishedDays", own)} as "finishedDays",
            ${setting("unfinishedDays", own)} as "unfinishedDays", ${setting("filesDays", own)} as "filesDays"
          from kyc_instance_versions v join kyc_instances i on i.id = v.instance_id
            join kyc_instance_versions present on present.id = i.version_id`),

      /** How many sessions that wait for a review are redacted within so many days. */
      waitingDue: (own: Retention, days: number) =>
        Effect.map(
          decodeCount(sql`
            select count(*)::int as sessions
            from kyc_reviews r join kyc_sessions s on s.id = r.session_id join kyc_instance_versions v on v.id = s.version_id
              join kyc_instances i on i.id = v.instance_id join kyc_instance_versions present on present.id = i.version_id
            where r.status <> 'decided' and s.redacted_at is null and (
              s.completed_at < now() + make_interval(days => ${days} - ${setting("finishedDays", own)})
              or s.completed_at < ${monthAgo(own, days)}
              or s.id < (
                select high from due_session_partitions(${own.sessionsMonths ?? null}, now() + make_interval(days => ${days}))
                order by high desc limit 1
              )
            )`),
          ({ sessions }) => sessions
        ),

      /** Some sessions whose time by these rules is over, by what is destroyed; not those in `except`. */
      due: {
        /** Finished ones. */
        finishedDays: due("s.completed_at", finished),

        /** Expired ones. */
        unfinishedDays: due("s.expires_at", expired),

        /** Those with files. */
        filesDays: due(
          "coalesce(s.completed_at, s.expires_at)",
          "s.files_begun > 0 and exists (select from kyc_files f where f.session_id = s.id)"
        )
      },

      /** Some finished sessions of a month whose data is not destroyed; not those in `except`. */
      finishedIn: dueIn("s.completed_at", finished),

      /** Some expired ones. */
      expiredIn: dueIn("s.expires_at", expired),

      /** Deletes the files of a session, and enqueues the removal of their contents. Uploads that are under way stay. */
      deleteFiles: (id: string) =>
        rowCount(sql`
          with s as (
            update kyc_sessions s set
              files_begun = (select count(*) from kyc_file_uploads u where u.session_id = s.id)
            where s.id = ${id} and coalesce(s.completed_at, s.expires_at) <= now() returning s.id, s.company_id
          ), file as (
            delete from kyc_files f using s where f.session_id = s.id returning f.id, f.session_id, s.company_id
          ), ${removed}
          select id from file`),

      /**
       * For a transaction. Empty: the company has no such session.
       * @param ended only if it has ended: it may have been resumed since it was found
       */
      redact: (companyId: string, id: string, ended = false) => {
        const which = ended
          ? sql`s.company_id = ${companyId} and s.id = ${id} and (s.completed_at is not null or s.expires_at <= now())`
          : sql`s.company_id = ${companyId} and s.id = ${id}`
        // A statement of its own, so that the next one sees what was stored while the lock was awaited.
        return Effect.zipRight(
          orDie(sql`select from kyc_sessions s where ${which} for update`),
          redactAll(id, which)
        )
      }
    }
  })
}) {}
