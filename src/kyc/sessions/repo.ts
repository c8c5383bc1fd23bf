import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { enqueueing } from "../../db/enqueue.ts"
import { json, onlyRow, row, rowCount } from "../../db/sql.ts"
import { turns } from "../../db/turns.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { checkWork } from "../checks/model.ts"
import { sessionEvents } from "./events-repo.ts"
import { flagsOfCompleted } from "./flags-repo.ts"
import { keptKeyColumns, keptKeyFields, keptKeyJoin } from "./keys-repo.ts"
import { Session, type SessionKey, SessionState, type Status } from "./model.ts"
import type { Sealed } from "./sealing-model.ts"

/** The maximum size of progress before it is sealed, in bytes as Postgres prints jsonb. */
const maxProgressBytes = 65_536

/** The personal data as it is stored (`sealing-model`). */
export const StoredFields = {
  progress: JsonObject,
  result: Schema.Unknown,
  metadata: Schema.Unknown
} as const

const ReadRow = Schema.typeSchema(
  Schema.Struct({ ...Session.fields, ...StoredFields, expired: Schema.Boolean, ...keptKeyFields })
)

const ProgressRow = Schema.typeSchema(Session.pick("id", "status", "started_at", "updated_at"))

const FinishRow = Schema.Struct({
  ...Session.pick("id", "status").fields,
  /** Where the end user goes next: the partner's URL byte for byte, or else the instance's, or else null. */
  redirect_url: Schema.NullOr(Schema.String)
})

/** How many expired sessions get their event at once. */
export const expiredAtOnce = 1_000

const jsonOrNull = (value: Sealed) => json(value ?? undefined)

/** The condition of each single statement decides every race. All times come from the database's clock. */
export class SessionRepo extends Effect.Service<SessionRepo>()("SessionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const inTurn = turns()
    const decodeRead = row(ReadRow)
    const decodeProgress = row(ProgressRow)
    const decodeFinish = row(FinishRow)
    const decodeState = row(SessionState)
    const decodeCount = onlyRow(Schema.Struct({ count: Schema.Number }))

    /** A wrong token and an unknown session cost the same failed lookup, and the id need not be a UUID. */
    const theSession = ({ id, tokenHash }: SessionKey): Statement.Fragment =>
      sql`s.token_hash = ${tokenHash} and s.id::text = ${id}`

    const open = sql.literal(`s.status in ('created', 'running') and s.expires_at > now()`)

    const finishColumns = sql.literal(`
      s.id, s.status,
      case s.status
        when 'completed' then coalesce(s.success_redirect_url, nullif(v.config #>> '{redirect,successUrl}', ''))
        else coalesce(s.failure_redirect_url, nullif(v.config #>> '{redirect,failureUrl}', ''))
      end as redirect_url`)

    const secondsSinceCreation = sql.literal("extract(epoch from now() - s.created_at)::int")

    const events = sessionEvents(sql)
    const completedFlags = flagsOfCompleted(sql)

    /** The CTE `v`: the version of the session in `s`, looked up once for all that follows from it. */
    const itsVersion = sql.literal(`v as materialized (
      select v.* from s join kyc_instance_versions v on v.id = s.version_id
    )`)

    /** A completed session waits for a decision if its version says so. */
    const awaitingReview = sql.literal(`, reviewed as (
      insert into kyc_reviews (session_id, company_id, instance_id, session_created_at)
      select s.id, s.company_id, s.instance_id, s.created_at from s, v where v.is_reviewed
    )`)
    /** The photos of a completed session are looked at if its version says so. */
    const checking = sql`, to_check as (
      select s.id, s.company_id from s, v
      where s.files_begun > 0 and v.config #>> '{checks,photos}' = 'true'
    ), ${enqueueing(sql, checkWork, {
      group: sql`company_id::text`,
      lane: sql`id::text`,
      payload: sql`jsonb_build_object('id', id, 'company_id', company_id)`,
      from: sql`to_check`
    })}`
    const nothing = sql.literal("")

    /** A session is created with the time of its statement's start. Within this time, the statement has been committed. */
    const lag = sql.literal("interval '30 seconds'")

    /** A step's answers are under the key `s_<id>` of the progress. */
    const stepsOf = (progress: JsonObject): ReadonlyArray<string> =>
      Object.keys(progress).flatMap((key) => (key.startsWith("s_") ? [key.slice(2)] : []))

    /** When each step was first saved. The hosted page saves one at a time. */
    const secondsOf = (progress: JsonObject): Statement.Fragment => {
      const steps = stepsOf(progress)
      const [step] = steps
      if (step === undefined) return sql`s.step_seconds`
      return steps.length === 1
        ? sql`jsonb_build_object(${step}::text, ${secondsSinceCreation}) || s.step_seconds`
        : sql`(
            select jsonb_object_agg(step, ${secondsSinceCreation}) from unnest(${steps}::text[]) as step
          ) || s.step_seconds`
    }

    return {
      find: (key: SessionKey) =>
        decodeRead(sql`
          select s.id, s.instance_id, s.company_id, s.mode, s.status, s.external_reference, s.expires_at,
            s.created_at, s.started_at, s.updated_at, s.completed_at, s.redacted_at, s.progress, s.result, s.metadata,
            -- How the company decides, and what it has looked at, is not for end users.
            case when v.config ?| array['review', 'checks'] then v.config - array['review', 'checks'] else v.config end as instance_config,
            v.workflow as instance_workflow, s.expires_at <= now() as expired, ${sql.literal(keptKeyColumns)}
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id ${sql.literal(keptKeyJoin)}
          where ${theSession(key)}`),

      /**
       * None: there is no such session, it is finished or expired, the progress has carried answers (`hasCarried`), or would be too large.
       * @param progress sealed. Sealed values are longer than others, so few sessions need the exact size.
       */
      updateProgress: (key: SessionKey, progress: JsonObject, status: Status | undefined) => {
        const steps = stepsOf(progress)
        const isAsked =
          steps.length === 0
            ? nothing
            : sql`and (s.previous_session_id is null or exists (
                select from kyc_instance_versions v where v.id = s.version_id and v.steps @> ${steps}::text[]
              ))`
        const update = (before: Statement.Fragment, isBefore: Statement.Fragment) => sql`
          update kyc_sessions s set
            progress = s.progress || given.progress,
            step_seconds = ${secondsOf(progress)},
            status = coalesce(${status ?? null}, s.status),
            started_at = case when ${status === "running"} then coalesce(s.started_at, now()) else s.started_at end,
            completed_at = case when ${status === "failed" || status === "cancelled"} then now() end,
            updated_at = now()
          from (select ${json(progress)} as progress) as given ${before}
          where ${theSession(key)} and ${open} ${isBefore} ${isAsked}
            and (octet_length((s.progress || given.progress)::text) <= ${maxProgressBytes}
              or kyc_progress_bytes(s.progress || given.progress) <= ${maxProgressBytes})`
        const columns = sql.literal("s.id, s.status, s.started_at, s.updated_at")
        if (status === undefined || status === "created") {
          return inTurn(key.id, decodeProgress(sql`${update(sql``, sql``)} returning ${columns}`))
        }
        // Only the first start is an event. The lock makes concurrent starts take turns, also those of other processes.
        const started = decodeProgress(sql`
          with before as materialized (
            select s.id, s.started_at from kyc_sessions s where ${theSession(key)} and ${open} for no key update
          ), s as (
            ${update(sql`, before`, sql`and s.id = before.id`)}
            returning s.*, ${status} <> 'running' or before.started_at is null as is_event
          ), changed as (
            select * from s where is_event
          ), recorded as (${events.changed})
          select ${columns} from s`)
        return inTurn(key.id, started)
      },

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

      /** None: there is no such session, or it is finished or expired. Of two requests at once, exactly one finds it open. */
      finish: (key: SessionKey, status: Status, result: Sealed) => {
        const finished = decodeFinish(sql`
          with s as (
            update kyc_sessions s set status = ${status}, completed_at = now(), updated_at = now(),
              result = ${jsonOrNull(result)}, flags = ${status === "completed" ? completedFlags : sql`s.flags`}
            where ${theSession(key)} and ${open}
            returning *
          ), ${itsVersion}, recorded as (${events.finished})${status === "completed" ? awaitingReview : nothing}${status === "completed" ? checking : nothing}
          select ${finishColumns} from s, v`)
        return inTurn(key.id, finished)
      },

      /** The outcome of a session that `finish` did not find open. */
      findFinished: (key: SessionKey) =>
        decodeFinish(sql`
          select ${finishColumns} from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where ${theSession(key)}`),

      /**
       * Records the event of every session that expired since the last call of any process, and returns how many. Each
       * session gets its event once: a call that finds another one at work does nothing.
       */
      recordExpired: Effect.map(
        decodeCount(sql`
          with mark as materialized (
            select reached from event_watermarks where name = 'kyc.session.expired' for update skip locked
          ), bound as materialized (
            select max(expires_at) as reached, count(*) as n from (
              select s.expires_at from kyc_sessions s, mark
              where s.completed_at is null and s.expires_at > mark.reached and s.expires_at <= now() - ${lag}
              order by s.expires_at limit ${expiredAtOnce}
            ) as next
          ), expired as (
            -- The lock waits for a request that finishes the session at the same time.
            select s.id, s.company_id, s.instance_id, 'expired' as status, s.mode, s.external_reference
            from kyc_sessions s, mark, bound
            where s.completed_at is null and s.expires_at > mark.reached and s.expires_at <= bound.reached
            for no key update of s
          ), recorded as (${events.expired}), moved as (
            update event_watermarks w set reached = case when n < ${expiredAtOnce} then now() - ${lag} else bound.reached end
            from mark, bound where w.name = 'kyc.session.expired'
          )
          select count(*)::int as count from expired`),
        ({ count }) => count
      ),

      findState: (key: SessionKey) =>
        decodeState(
          sql`select s.status, s.expires_at <= now() as expired from kyc_sessions s where ${theSession(key)}`
        )
    }
  })
}) {}
