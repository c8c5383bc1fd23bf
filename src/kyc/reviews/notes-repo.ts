import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { recordEvents, recordingEvents } from "../../db/outbox.ts"
import { onlyRow, row, rows } from "../../db/sql.ts"
import { Note } from "./model.ts"

const NoteRow = Schema.typeSchema(Note)

/** Its `text` is sealed, as in all rows. */
interface NewNote extends Pick<Note, "id" | "text" | "written_by"> {
  readonly companyId: string
  readonly sessionId: string
}

/** Notes about sessions in Postgres. */
export class NoteRepo extends Effect.Service<NoteRepo>()("NoteRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeNotes = rows(NoteRow)
    const decodeNote = row(NoteRow)
    const decodeCount = onlyRow(Schema.Struct({ notes: Schema.Number }))

    return {
      /** Oldest first; none for a session of another company. */
      list: (companyId: string, sessionId: string) =>
        decodeNotes(sql`
          select n.id, n.text, n.written_by, u.email as written_by_email, n.created_at
          from kyc_session_notes n left join users u on u.id = nullif(n.written_by, 'api')::uuid
          where n.company_id = ${companyId} and n.session_id = ${sessionId} order by n.created_at, n.id`),

      count: (sessionId: string) =>
        Effect.map(
          decodeCount(
            sql`select count(*)::int as notes from kyc_session_notes where session_id = ${sessionId}`
          ),
          ({ notes }) => notes
        ),

      /** None if the company has no such session, or it is redacted. */
      add: ({ companyId, id, sessionId, text, written_by }: NewNote) =>
        decodeNote(sql`
          with added as (
            insert into kyc_session_notes (id, session_id, company_id, text, written_by)
            select ${id}, s.id, s.company_id, ${text}, ${written_by} from kyc_sessions s
            where s.company_id = ${companyId} and s.id = ${sessionId} and s.redacted_at is null
            for key share
            returning *
          ), recorded as (${recordEvents(sql, "kyc.session.noted", {
            companyId: sql`s.company_id`,
            data: sql`jsonb_build_object('id', s.id, 'instance_id', s.instance_id, 'status', s.status, 'mode', s.mode,
              'external_reference', s.external_reference, 'url', '/api/kyc/sessions/' || s.id, 'by', added.written_by)`,
            // The id is repeated so that the plan reads one partition.
            from: sql`added join kyc_sessions s on s.id = added.session_id and s.id = ${sessionId}`
          })})
          select a.id, a.text, a.written_by, u.email as written_by_email, a.created_at
          from added a left join users u on u.id = nullif(a.written_by, 'api')::uuid`).pipe(recordingEvents)
    }
  })
}) {}
