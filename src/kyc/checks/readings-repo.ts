import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { enqueueing } from "../../db/enqueue.ts"
import { json, orDie, row, rowCount, rows, uuid } from "../../db/sql.ts"
import { Timing } from "../../shared/timing.ts"
import { type SessionKey, SessionState } from "../sessions/model.ts"
import { maxReadingsPerSession, readingWork } from "./readings-model.ts"

const SessionRow = Schema.Struct({
  ...SessionState.fields,
  /** Whether the photos of the session are looked at. */
  reads: Schema.Boolean,
  has_file: Schema.Boolean
})

const Stored = Schema.Struct({
  /** It was read, or nobody waits for it any more. */
  done: Schema.Boolean,
  /** Sealed; null: nothing was read, or not yet, or it is wiped. */
  content: Schema.NullOr(Schema.String)
})
export type Stored = typeof Stored.Type

const FoundRow = Schema.Struct({ session_expired: Schema.Boolean, reading: Schema.NullOr(Stored) })

const KeptRow = Schema.Struct({ file_id: Schema.String, content: Schema.String })

/** Readings in Postgres. All times are the database's. */
export class ReadingRepo extends Effect.Service<ReadingRepo>()("ReadingRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSession = row(SessionRow)
    const decodeStored = row(Stored)
    const decodeFound = row(FoundRow)
    const decodeKept = rows(KeptRow)
    const usefulSeconds = (yield* Timing).timeout("kyc.reading_useful") / 1_000
    const isOfUse = sql`asked_at > now() - make_interval(secs => ${usefulSeconds})`
    const life = sql.literal("interval '1 hour'")
    /** What was read is not shown any more an hour later, even if it is not wiped yet. */
    const shown = sql`case when read_at > now() - ${life} then content end`
    const isDone = sql`(read_at is not null or not ${isOfUse})`

    return {
      /** Reads and locks the session, so that its readings are counted one after another. Needs a transaction. */
      lockSession: ({ id, tokenHash }: SessionKey, fileId: string) =>
        decodeSession(sql`
          select s.status, s.expires_at <= now() as expired, v.looks_at_photos as reads,
            exists (select from kyc_files f where f.session_id = s.id and f.id = ${uuid(fileId)}) as has_file
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where s.id = ${uuid(id)} and s.token_hash = ${tokenHash}
          for no key update of s`),

      /** Adds the reading of a file, and the job that reads it, or finds it. None: the session has had all its readings. */
      insert: (sessionId: string, fileId: string) =>
        decodeStored(sql`
          with known as (
            select ${isDone} as done, ${shown} as content from kyc_readings where file_id = ${fileId} and session_id = ${sessionId}
          ), added as (
            insert into kyc_readings (file_id, session_id) select ${fileId}, ${sessionId}
            where not exists (select from known)
              and (select count(*) from kyc_readings where session_id = ${sessionId}) < ${maxReadingsPerSession}
            returning file_id, session_id
          ), job as (
            select a.file_id, a.session_id, s.company_id from added a join kyc_sessions s on s.id = a.session_id
          ), ${enqueueing(sql, readingWork, {
            group: sql`company_id::text`,
            lane: sql`session_id::text`,
            payload: sql`jsonb_build_object('id', file_id, 'session_id', session_id, 'company_id', company_id)`,
            from: sql`job`
          })}
          select done, content from known union all select false, null from added`),

      /** None: there is no such session, or its token is another one. */
      find: ({ id, tokenHash }: SessionKey, fileId: string) =>
        decodeFound(sql`
          select s.expires_at <= now() as session_expired, (
            select jsonb_build_object('done', ${isDone}, 'content', ${shown})
            from kyc_readings r where r.session_id = s.id and r.file_id = ${uuid(fileId)}
          ) as reading
          from kyc_sessions s where s.id = ${uuid(id)} and s.token_hash = ${tokenHash}`),

      /** Whether somebody still waits for the reading. */
      isAwaited: (sessionId: string, fileId: string) =>
        Effect.map(
          rowCount(sql`
            select from kyc_readings r join kyc_sessions s on s.id = r.session_id
            where r.file_id = ${fileId} and r.session_id = ${sessionId} and r.read_at is null
              and ${isOfUse}
              and s.status in ('created', 'running') and s.expires_at > now()`),
          (found) => found > 0
        ),

      /** Stores what was read; nothing of a file that was deleted meanwhile, or for which nobody waits any more. */
      store: (read: ReadonlyArray<{ readonly fileId: string; readonly content: string | null }>) =>
        orDie(sql`
          with given as materialized (
            select now() as at, given.* from jsonb_to_recordset(${json(read)}) as given ("fileId" uuid, content text)
          )
          update kyc_readings r set read_at = given.at,
            content = case when r.asked_at > given.at - make_interval(secs => ${usefulSeconds}) then given.content end
          from given where r.file_id = any (${read.map(({ fileId }) => fileId)}::uuid[]) and r.file_id = given."fileId" and r.read_at is null`),

      /** What is stored of a company's session, the oldest first. */
      kept: (companyId: string, sessionId: string) =>
        decodeKept(sql`
          select r.file_id, r.content from kyc_readings r join kyc_sessions s on s.id = r.session_id
          where s.company_id = ${companyId} and s.id = ${sessionId} and r.content is not null
          order by r.asked_at, r.file_id`),

      /** Wipes what was read, an hour later. */
      wipe: orDie(sql`
        update kyc_readings set content = null
        where content is not null and read_at < now() - ${life}`)
    }
  })
}) {}
