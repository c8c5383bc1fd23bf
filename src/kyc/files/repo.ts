import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { orDie, row, rows, uuid } from "../../db/sql.ts"
import { Timing } from "../../shared/timing.ts"
import { type SessionKey, SessionState } from "../sessions/model.ts"
import { ListedFile, type LocalFile, maxFilesPerSession, type Received, StoredFile } from "./model.ts"

const FileAndCopyRow = Schema.typeSchema(
  Schema.Struct({
    ...ListedFile.fields,
    /** Of an image's copy. */
    copy_size: Schema.NullOr(Schema.Number),
    copy_sha256: Schema.NullOr(Schema.String)
  })
)
export type FileAndCopy = typeof FileAndCopyRow.Type

/** A row of a session's files, or the single row of nulls for a session without files. */
const FileAndCopyOrNone = Schema.Union(FileAndCopyRow, Schema.Struct({ id: Schema.Null }))

type Content = Pick<LocalFile, "size" | "sha256">

/** No row means that there is no such session; a row of nulls means a session without files. */
const filesOf = Effect.map((found: ReadonlyArray<typeof FileAndCopyOrNone.Type>) =>
  found.length === 0 ? Option.none() : Option.some(found.filter((file) => file.id !== null))
)

/** Each step of an upload is one statement, whose condition decides every race. */
export class FileRepo extends Effect.Service<FileRepo>()("FileRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeBegun = row(Schema.Struct({ capture: Schema.Unknown, company_id: Schema.String }))
    const decodeState = row(SessionState)
    const decodeRecorded = row(Schema.typeSchema(StoredFile))
    const decodeFiles = rows(FileAndCopyOrNone)
    const decodeIds = rows(Schema.Struct({ id: Schema.String }))

    const aliveSeconds = (yield* Timing).timeout("kyc.upload_alive") / 1_000
    const aliveUntil = sql.literal(`now() + make_interval(secs => ${aliveSeconds})`)

    const columns = sql.literal(
      `f.id, f.content_type, f.size, encode(f.sha256, 'hex') as sha256, f.created_at`
    )

    const copyColumns = sql.literal("f.copy_size, encode(f.copy_sha256, 'hex') as copy_sha256")

    return {
      /** None: no such session, or it is finished, expired or full of files. */
      begin: ({ id, tokenHash }: SessionKey, fileId: string) =>
        decodeBegun(sql`
          with session as (
            update kyc_sessions set files_begun = files_begun + 1
            where id = ${uuid(id)} and token_hash = ${tokenHash}
              and status in ('created', 'running') and expires_at > now()
              and files_begun < ${maxFilesPerSession}
            returning id, version_id, company_id
          ), upload as (
            insert into kyc_file_uploads (id, session_id, alive_until) select ${fileId}, id, ${aliveUntil} from session
          )
          select v.config -> 'capture' as capture, s.company_id
          from session s join kyc_instance_versions v on v.id = s.version_id`),

      findState: ({ id, tokenHash }: SessionKey) =>
        decodeState(sql`
          select status, expires_at <= now() as expired from kyc_sessions
          where id = ${uuid(id)} and token_hash = ${tokenHash}`),

      renew: (id: string): Effect.Effect<void> =>
        Effect.asVoid(orDie(sql`update kyc_file_uploads set alive_until = ${aliveUntil} where id = ${id}`)),

      /** Turns the upload into a file. None: its session is no longer open or has another token, or the upload was abandoned. */
      record: (
        id: string,
        { id: sessionId, tokenHash }: SessionKey,
        { sha256, size, type }: Received,
        copy: Content | undefined
      ) =>
        decodeRecorded(sql`
          with session as (
            select id from kyc_sessions
            where id = ${uuid(sessionId)} and token_hash = ${tokenHash} and status in ('created', 'running') and expires_at > now()
            for share
          ), upload as (
            delete from kyc_file_uploads u using session s
            where u.session_id = s.id and u.id = ${id} and not u.abandoned
            returning u.id, u.session_id
          )
          insert into kyc_files as f (id, session_id, content_type, size, sha256, copy_size, copy_sha256)
          select id, session_id, ${type}, ${size}, ${sha256}, ${copy?.size ?? null}, ${copy?.sha256 ?? null}
          from upload
          returning ${columns}`),

      /** Ends an upload that does not become a file. */
      release: (id: string): Effect.Effect<void> =>
        sql`
          with upload as (delete from kyc_file_uploads where id = ${id} returning session_id)
          update kyc_sessions s set files_begun = s.files_begun - 1
          from upload where s.id = upload.session_id`.pipe(orDie, Effect.asVoid),

      /** Stops uploads of dead processes from becoming files, in one session or in all. Returns their ids. */
      abandon: (session?: SessionKey) => {
        const ofSession =
          session === undefined
            ? sql.literal("")
            : sql`and session_id = (
                select id from kyc_sessions where id = ${uuid(session.id)} and token_hash = ${session.tokenHash}
              )`
        return Effect.map(
          decodeIds(sql`
            update kyc_file_uploads set abandoned = true
            where alive_until < now() ${ofSession}
            returning id`),
          (found) => found.map(({ id }) => id)
        )
      },

      /**
       * The files of a company's session and of the sessions before it, or the one with that id, oldest first. None: there is no such
       * session. `offset 0`: one lookup for each session of a chain, which is short.
       */
      list: (
        companyId: string,
        sessionId: string,
        fileId?: string
      ): Effect.Effect<Option.Option<ReadonlyArray<FileAndCopy>>> =>
        filesOf(
          decodeFiles(sql`
            with recursive chain as (
              select id, previous_session_id from kyc_sessions where company_id = ${companyId} and id = ${sessionId}
              union all
              select p.id, p.previous_session_id from chain c join kyc_sessions p on p.id = c.previous_session_id
              where p.company_id = ${companyId}
            )
            select ${columns}, f.session_id, ${copyColumns}
            from chain s left join lateral (
              select * from kyc_files f where f.session_id = s.id ${fileId === undefined ? sql.literal("") : sql`and f.id::text = ${fileId}`}
              offset 0
            ) as f on true
            order by f.created_at, f.id`)
        )
    }
  })
}) {}
