import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Option, Schema } from "effect"
import { amongIds } from "../../db/among.ts"
import { batcher } from "../../db/batcher.ts"
import { enqueueing } from "../../db/enqueue.ts"
import { recordingEvents } from "../../db/outbox.ts"
import { json, rows, uuidOrNull } from "../../db/sql.ts"
import type { JsonObject } from "../../shared/schemas.ts"
import { checkWork } from "../checks/model.ts"
import { sessionEvents } from "./events-repo.ts"
import { flagsOfCompleted } from "./flags-repo.ts"
import { Session, type SessionKey, type Status } from "./model.ts"
import { FinishedFields, isOpen, redirectUrl, stepsOf } from "./repo.ts"
import { maxProgressBytes, type Sealed } from "./sealing-model.ts"
import type { StepResults } from "./step-results-model.ts"
import { type Finish, merge, type ProgressWrite, type Sent, sizeOf } from "./writes-model.ts"

/** The place of the question among those that the statement answers. */
const place = { place: Schema.Number }

const ProgressFields = Session.pick("id", "status", "started_at", "updated_at").fields

const ProgressRow = Schema.typeSchema(Schema.Struct({ ...place, ...ProgressFields }))
const FinishedRow = Schema.Struct({ ...place, ...FinishedFields })

/** The fields that both statements need of a question. */
const given = ({ id, tokenHash }: SessionKey, place: number) => ({
  place,
  id: uuidOrNull(id),
  tokenHash: tokenHash.toHex()
})

interface Written {
  readonly progress: Omit<typeof ProgressRow.Type, "place">
  readonly finished: Omit<typeof FinishedRow.Type, "place">
}

/**
 * What a session's browser writes. Writes of different sessions at the same time share a statement. Those of one session with one token run one
 * after another, in their order, and progress that waits is merged, so that nobody can occupy the connections by writing to one session. The
 * conditions of the statement decide every race. All times come from the database's clock.
 */
export class SessionWriteRepo extends Effect.Service<SessionWriteRepo>()("SessionWriteRepo", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeProgress = rows(ProgressRow)
    const decodeFinished = rows(FinishedRow)
    const events = sessionEvents(sql)

    /**
     * Locks the open session of each question, `asked`. A wrong token finds nothing, just as an unknown session. The id need not be a
     * UUID. A statement for several sessions waits for none: it leaves out those that somebody else has locked or just changed. Each of them is
     * asked for alone.
     */
    const lockOpen = (
      asked: ReadonlyArray<ProgressWrite | Finish>,
      columns: string,
      inRange: Statement.Fragment
    ) => sql`
      cross join lateral (
        select s.id as session_id, ${sql.literal(columns)} from kyc_sessions s
        where s.id = asked.id and ${inRange} and s.token_hash = decode(asked."tokenHash", 'hex') and ${sql.literal(isOpen)}
        for no key update ${sql.literal(asked.length === 1 ? "" : "skip locked")}
      ) as locked`

    /** The columns that events and answers need. */
    const written = sql.literal(`
      given.place, s.id, s.company_id, s.instance_id, s.status, s.mode, s.external_reference, s.started_at, s.updated_at`)

    const secondsSinceCreation = "round(extract(epoch from given.at - s.created_at), 3)"

    /**
     * Only the first start is an event. When each step was first answered in full or skipped is kept, of consents when they were last answered. Answers to steps for which the session does not ask are refused:
     * they were carried over from the session before. The size counts what a merged write has replaced, so each of its parts would have been
     * accepted alone. Sealed values are longer than others, so few sessions need the exact size.
     */
    const writeAll = (asked: ReadonlyArray<ProgressWrite>) => {
      const inRange = amongIds(
        sql,
        asked.map(({ key }) => key.id)
      )
      const mayBeEvents = asked.some(({ status }) => status !== null && status !== "created")
      const recorded = mayBeEvents
        ? sql`, changed as (select * from s where is_event), recorded as (${events.changed})`
        : sql``
      const writing = decodeProgress(sql`
          with given as materialized (
            select * from jsonb_to_recordset(${json(
              asked.map(({ key, progress, replaced, results, status }, place) => ({
                ...given(key, place),
                progress,
                replaced,
                results,
                status,
                steps: stepsOf(progress)
              }))
            )}) as asked (place int, id uuid, "tokenHash" text, progress jsonb, replaced int, results jsonb, status text, steps text[])
            ${lockOpen(asked, "s.started_at as started_before, s.version_id, s.step_results as results_before, now() as at", inRange)}
            cross join lateral (
              select case when asked.status in ('failed', 'cancelled')
                then kyc_missing_steps(locked.session_id, locked.version_id, locked.results_before || asked.results) end as missing
            ) as ended
          ), s as (
            update kyc_sessions s set
              progress = s.progress || given.progress,
              missing_steps = given.missing,
              -- At the end, nobody needs them any more, and they are not sealed.
              step_results = case when given.status in ('failed', 'cancelled') then '{}' else s.step_results || given.results end,
              step_seconds = case when given.results = '{}' then s.step_seconds else (
                select s.step_seconds - coalesce(array_agg(step) filter (where result ? 'latest'), '{}') || coalesce(
                  jsonb_object_agg(step, ${sql.literal(secondsSinceCreation)})
                    filter (where result -> 'done' = 'true' and (result ? 'latest' or not s.step_seconds ? step)),
                  '{}')
                from jsonb_each(given.results) as results (step, result)
              ) end,
              status = coalesce(given.status, s.status),
              started_at = case when given.status = 'running' then coalesce(s.started_at, given.at) else s.started_at end,
              completed_at = case when given.status in ('failed', 'cancelled') then given.at end,
              updated_at = now()
            from given
            where s.id = given.session_id and ${inRange}
              and (given.steps = '{}' or s.previous_session_id is null or exists (
                select from kyc_instance_versions v where v.id = s.version_id and v.steps @> given.steps
              ))
              and (octet_length((s.progress || given.progress)::text) + given.replaced <= ${maxProgressBytes}
                or kyc_progress_bytes(s.progress || given.progress) + given.replaced <= ${maxProgressBytes})
            returning ${written},
              given.status in ('failed', 'cancelled') or given.status = 'running' and given.started_before is null as is_event
          ) ${recorded}
          select place, id, status, started_at, updated_at from s`)
      return Effect.map(
        mayBeEvents ? recordingEvents(writing) : writing,
        (found) => new Map(found.map(({ place, ...progress }) => [place, { progress }]))
      )
    }

    /**
     * A completed session waits for a decision, and its photos are looked at, if its version says so: also those of the sessions whose answers it
     * carries.
     */
    const finishAll = (asked: ReadonlyArray<Finish>) => {
      const inRange = amongIds(
        sql,
        asked.map(({ key }) => key.id)
      )
      return Effect.map(
        decodeFinished(sql`
          with given as materialized (
            select asked.place, asked.status, asked.result, asked.mark, locked.*, v.*, (judged).missing, (judged).failed as failed_rules,
              -- After the lock, so that whatever held it before was earlier.
              clock_timestamp() as at from jsonb_to_recordset(${json(
                asked.map(({ key, ...rest }, place) => ({ ...given(key, place), ...rest }))
              )}) as asked (place int, id uuid, "tokenHash" text, status text, result jsonb, mark text, sent jsonb)
            ${lockOpen(asked, "s.version_id, s.mode, s.step_results, s.flags, s.captcha_verified_at", inRange)}
            cross join lateral (
              select needs_captcha, is_reviewed, looks_at_photos, config,
                -- A session that asks for some steps again is judged by all of them.
                case when restricted_from is null then completion_rules else (
                  select whole.completion_rules from kyc_instance_versions whole where whole.id = v.restricted_from
                ) end as completion_rules
              from kyc_instance_versions v where id = locked.version_id offset 0
            ) as v
            cross join lateral (
              select kyc_completion(v.completion_rules, locked.step_results, locked.session_id, asked.sent,
                v.config #>> '{dedup,onMatch}' = 'block', locked.mode, locked.flags) as judged offset 0
            ) as completion
          ), s as (
            update kyc_sessions s set status = given.status, completed_at = given.at, updated_at = given.at, result = given.result,
              flags = case when given.status = 'completed' then ${sql.literal(flagsOfCompleted)} else s.flags end,
              missing_steps = given.missing,
              -- Nobody needs them any more, and they are not sealed.
              step_results = '{}',
              failed_rules = case when given.status = 'completed' then given.failed_rules else '{}' end
            from given where s.id = given.session_id and ${inRange}
            returning ${written}, s.failed_rules, s.created_at, s.completed_at, s.files_begun,
              given.status = 'completed' and given.is_reviewed as is_reviewed,
              given.status = 'completed' and given.looks_at_photos and (s.files_begun > 0 or s.previous_session_id is not null
                and exists (select from kyc_files f where f.session_id = any (kyc_session_chain(s.id)))) as has_checks,
              given.status = 'completed' and given.looks_at_photos and given.mark is not null and given.config #>> '{checks,sameBrowser}' = 'true' as is_marked, given.mark,
              ${sql.literal(redirectUrl("given"))} as redirect_url
          ), recorded as (${events.finished}), reviewed as (
            insert into kyc_reviews (session_id, company_id, instance_id, session_created_at, waiting_since)
            select id, company_id, instance_id, created_at, updated_at from s where is_reviewed
          ), marked as (
            -- The HMAC is hashed with the instance, so that the same mark in another one is another hash.
            insert into kyc_browser_marks (session_id, mark)
            select id, sha256(decode(mark, 'hex') || convert_to(instance_id || ' ' || mode, 'UTF8')) from s
            where is_marked
          ), to_check as (
            select id, company_id from s where has_checks
          ), ${enqueueing(sql, checkWork, {
            group: sql`company_id::text`,
            lane: sql`id::text`,
            payload: sql`jsonb_build_object('id', id, 'company_id', company_id)`,
            from: sql`to_check`
          })}
          select place, id, status, redirect_url from s`).pipe(recordingEvents),
        (found) => new Map(found.map(({ place, ...finished }) => [place, { finished }]))
      )
    }

    const isProgress = (write: ProgressWrite | Finish) => write.kind === "progress"
    const isFinish = (write: ProgressWrite | Finish) => write.kind === "finish"

    /** All are of one kind. */
    const write = (
      asked: ReadonlyArray<ProgressWrite | Finish>
    ): Effect.Effect<ReadonlyMap<number, Partial<Written>>> =>
      asked.every(isProgress) ? writeAll(asked) : finishAll(asked.filter(isFinish))

    const submit = yield* batcher<ProgressWrite | Finish, Partial<Written>>(write, {
      // With the token: who holds an old link must not write, or delay, what a newer one does.
      keyOf: ({ key }) => `${key.id} ${key.tokenHash.toHex()}`,
      kindOf: ({ kind }) => kind,
      merge,
      sizeOf: (asked) => (asked.kind === "progress" ? asked.size : (asked.result?.length ?? 0)),
      mayLeaveOut: true
    })

    return {
      /**
       * None: there is no such session, it is finished or expired, the progress has carried answers (`hasCarried`), or would be too large.
       * @param progress sealed
       * @param results of its answers
       */
      updateProgress: (
        key: SessionKey,
        progress: JsonObject,
        results: StepResults,
        status: Status | undefined
      ) =>
        Effect.map(
          submit({
            kind: "progress",
            key,
            progress,
            results,
            status: status ?? null,
            size: sizeOf(progress),
            replaced: 0
          }),
          Option.flatMapNullable(({ progress }) => progress)
        ),

      /** None: there is no such session, or it is finished or expired. Of two requests at once, exactly one finds it open. */
      finish: (key: SessionKey, status: Status, result: Sealed, sent: Sent, mark: string | null) =>
        Effect.map(
          submit({ kind: "finish", key, status, result, sent, mark }),
          Option.flatMapNullable(({ finished }) => finished)
        )
    }
  })
}) {}
