import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { json, onlyRow, row } from "../../db/sql.ts"
import type { JsonObject } from "../../shared/schemas.ts"
import { sessionEvents } from "./events-repo.ts"
import {
  type Mode,
  Session,
  type SessionKey,
  type SessionRequest,
  SessionState,
  type Status
} from "./model.ts"

/** The maximum size of stored progress, in bytes. */
const maxProgressBytes = 65_536

const CreatedRow = Schema.Struct({
  instance_id: Schema.String,
  /** False: the instance belongs to another company, and nothing was created. */
  own: Schema.Boolean,
  created_at: Schema.NullOr(Schema.DateFromSelf),
  expires_at: Schema.NullOr(Schema.DateFromSelf)
})

const ReadRow = Schema.typeSchema(Schema.Struct({ ...Session.fields, expired: Schema.Boolean }))

const ProgressRow = Schema.typeSchema(Session.pick("id", "status", "started_at", "updated_at"))

const FinishRow = Schema.Struct({
  ...Session.pick("id", "status").fields,
  /** Where the end user goes next: the partner's URL byte for byte, or else the instance's, or else null. */
  redirect_url: Schema.NullOr(Schema.String)
})

/** How many expired sessions get their event at once. */
export const expiredAtOnce = 1_000

/** What is stored of a session under its Idempotency-Key: the facts that a retry cannot know. Never the token. */
const KeptSession = Schema.Struct({
  session_id: Schema.String,
  instance_id: Schema.String,
  created_at: Schema.Date,
  expires_at: Schema.Date,
  /** SHA-256 in hex, to verify the token when it is derived again. */
  token_hash: Schema.String
})

const OnceRow = Schema.Struct({
  /** Whether the instance belongs to the company; null if there is no such instance. */
  own: Schema.NullOr(Schema.Boolean),
  /** The fingerprint of the request that created the session; null, like `kept`, if there is no session. */
  fingerprint: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  kept: Schema.NullOr(KeptSession)
})

const jsonOrNull = (value: unknown) => json(value ?? undefined)

const creationRoute = "POST /api/kyc/public/sessions"

export interface NewSession extends SessionRequest {
  readonly id: string
  readonly companyId: string
  readonly mode: Mode
  readonly expiresInSeconds: number
  readonly tokenHash: Uint8Array
}

/** The condition of each single statement decides every race. All times come from the database's clock. */
export class SessionRepo extends Effect.Service<SessionRepo>()("SessionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeCreated = row(CreatedRow)
    const decodeOnce = onlyRow(OnceRow)
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

    const events = sessionEvents(sql)

    /** A completed session waits for a decision if its version says so. */
    const awaitingReview = sql.literal(`, reviewed as (
      insert into kyc_reviews (session_id, company_id, instance_id)
      select s.id, s.company_id, s.instance_id from s join kyc_instance_versions v on v.id = s.version_id
      where v.is_reviewed
    )`)
    const nothing = sql.literal("")

    /** A session is created with the time of its statement's start. Within this time, the statement has been committed. */
    const lag = sql.literal("interval '30 seconds'")

    const ofInstance = ({ instanceId, instanceKey }: SessionRequest): Statement.Fragment => {
      if (instanceId === undefined) return sql`public_key = ${instanceKey ?? null}`
      return instanceKey === undefined
        ? sql`id = ${instanceId}`
        : sql`id = ${instanceId} and public_key = ${instanceKey}`
    }

    const enabledInstance = (request: SessionRequest): Statement.Fragment => sql`
      select id, company_id, version_id from kyc_instances where ${ofInstance(request)} and disabled_at is null`

    /** Inserts the session for each row of `instance`, and of what follows in the `from` clause. */
    const inserted = (added: NewSession): Statement.Fragment => sql`
      insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference,
        success_redirect_url, failure_redirect_url, metadata, token_hash, expires_at)
      select ${added.id}, instance.id, instance.company_id, version_id, ${added.mode},
        ${added.externalReference ?? null}, ${added.successRedirectUrl ?? null},
        ${added.failureRedirectUrl ?? null}, ${jsonOrNull(added.metadata)}, ${added.tokenHash},
        now() + make_interval(secs => ${added.expiresInSeconds})
      from instance`

    return {
      /** None: there is no such instance, or it is disabled. */
      insert: (added: NewSession) =>
        decodeCreated(sql`
          with instance as (${enabledInstance(added)}), created as (
            ${inserted(added)} where company_id = ${added.companyId} returning *
          ), recorded as (${events.created})
          select instance.id as instance_id, instance.company_id = ${added.companyId} as own,
            created.created_at, created.expires_at
          from instance left join created on true`),

      /**
       * The session created under the same Idempotency-Key in the last 24 hours wins. Of several requests at
       * once, one creates it; the others wait for the lock on the key's row.
       */
      insertOnce: (added: NewSession, keyHash: Uint8Array, fingerprint: Uint8Array) => {
        const once = decodeOnce(sql`
          with instance as (${enabledInstance(added)}), kept as (
            select fingerprint, answer from idempotent_answers
            where company_id = ${added.companyId} and route = ${creationRoute} and key_hash = ${keyHash}
              and created_at > now() - interval '24 hours'
          ), claimed as (
            insert into idempotent_answers as known (company_id, route, key_hash, fingerprint, answer)
            select company_id, ${creationRoute}, ${keyHash}, ${fingerprint}, jsonb_build_object(
              'session_id', ${added.id}::text, 'instance_id', id, 'created_at', now()::timestamptz(3),
              'expires_at', (now() + make_interval(secs => ${added.expiresInSeconds}))::timestamptz(3),
              'token_hash', encode(${added.tokenHash}, 'hex'))
            from instance where company_id = ${added.companyId} and not exists (select from kept)
            on conflict (company_id, route, key_hash) do update set
              fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at
              where known.created_at <= now() - interval '24 hours'
            returning fingerprint, answer
          ), created as (${inserted(added)}, claimed returning *), recorded as (${events.created})
          select (select company_id = ${added.companyId} from instance) as own,
            given.fingerprint, given.answer as kept
          from (select) as one left join (select * from kept union all select * from claimed) as given on true`)
        // Another request created the session while this one waited; only a second run's snapshot has it.
        return Effect.flatMap(once, (made) =>
          made.own === true && made.kept === null ? once : Effect.succeed(made)
        )
      },

      find: (key: SessionKey) =>
        decodeRead(sql`
          select s.id, s.instance_id, s.company_id, s.mode, s.status, s.external_reference, s.expires_at,
            s.created_at, s.started_at, s.updated_at, s.completed_at, s.progress, s.result, s.metadata,
            v.config as instance_config, v.workflow as instance_workflow, s.expires_at <= now() as expired
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where ${theSession(key)}`),

      /** None: there is no such session, it is finished or expired, or its progress would be too large. */
      updateProgress: (key: SessionKey, progress: JsonObject, status: Status | undefined) => {
        const update = (before: Statement.Fragment, isBefore: Statement.Fragment) => sql`
          update kyc_sessions s set
            progress = s.progress || given.progress,
            status = coalesce(${status ?? null}, s.status),
            started_at = case when ${status === "running"} then coalesce(s.started_at, now()) else s.started_at end,
            completed_at = case when ${status === "failed" || status === "cancelled"} then now() end,
            updated_at = now()
          from (select ${json(progress)} as progress) as given ${before}
          where ${theSession(key)} and ${open} ${isBefore}
            and octet_length((s.progress || given.progress)::text) <= ${maxProgressBytes}`
        const columns = sql.literal("s.id, s.status, s.started_at, s.updated_at")
        if (status === undefined || status === "created") {
          return decodeProgress(sql`${update(sql``, sql``)} returning ${columns}`)
        }
        // Only the first start is an event. The lock makes concurrent starts take turns.
        return decodeProgress(sql`
          with before as materialized (
            select s.id, s.started_at from kyc_sessions s where ${theSession(key)} and ${open} for no key update
          ), s as (
            ${update(sql`, before`, sql`and s.id = before.id`)}
            returning s.*, ${status} <> 'running' or before.started_at is null as is_event
          ), changed as (
            select * from s where is_event
          ), recorded as (${events.changed})
          select ${columns} from s`)
      },

      /** None: there is no such session, or it is finished or expired. Of two requests at once, exactly one finds it open. */
      finish: (key: SessionKey, status: Status, result: unknown) =>
        decodeFinish(sql`
          with s as (
            update kyc_sessions s set status = ${status}, completed_at = now(), updated_at = now(),
              result = ${jsonOrNull(result)}
            where ${theSession(key)} and ${open}
            returning *
          ), recorded as (${events.finished})${status === "completed" ? awaitingReview : nothing}
          select ${finishColumns} from s join kyc_instance_versions v on v.id = s.version_id`),

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
