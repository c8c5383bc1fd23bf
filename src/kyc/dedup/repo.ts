import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { onlyRow, row, rows } from "../../db/sql.ts"
import { Mode } from "../sessions/model.ts"
import type { SessionKey } from "../sessions/repo.ts"
import { maxHashesPerSession } from "./model.ts"

const SessionRow = Schema.Struct({
  company_id: Schema.String,
  mode: Mode,
  expired: Schema.Boolean
})

const RecordRow = Schema.Struct({
  first_session_id: Schema.String,
  last_session_id: Schema.String,
  seen_count: Schema.Number,
  first_seen_at: Schema.DateFromSelf,
  last_seen_at: Schema.DateFromSelf
})

const Key = Schema.Struct({ key_hmac: Schema.Uint8ArrayFromSelf })

interface Seen {
  readonly hmac: Uint8Array
  readonly sessionId: string
  readonly companyId: string
  readonly mode: typeof Mode.Type
}

/** Deduplication records in Postgres. The steps belong in one transaction that begins with `lockSession`. */
export class DedupRepo extends Effect.Service<DedupRepo>()("DedupRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSession = row(SessionRow)
    const decodeRecord = row(RecordRow)
    const decodeSeen = onlyRow(RecordRow)
    const decodeKeys = rows(Key)

    return {
      /** Checks of one session follow one another, so that their number is a fact. */
      lockSession: ({ id, tokenHash }: SessionKey) =>
        decodeSession(sql`
          select company_id, mode, expires_at <= now() as expired from kyc_sessions
          where token_hash = ${tokenHash} and id::text = ${id}
          for no key update`),

      /** The record, when this session has been counted in it. */
      findSeen: (sessionId: string, hmac: Uint8Array) =>
        decodeRecord(sql`
          select r.first_session_id, r.last_session_id, r.seen_count, r.first_seen_at, r.last_seen_at
          from kyc_dedup_sightings s join kyc_dedup_records r using (key_hmac)
          where s.session_id = ${sessionId} and s.key_hmac = ${hmac}`),

      /** Whether the session has checked as many hashes as it may. */
      isExhausted: (sessionId: string) =>
        Effect.map(
          decodeKeys(sql`
            select key_hmac from kyc_dedup_sightings where session_id = ${sessionId} limit ${maxHashesPerSession}`),
          (found) => found.length === maxHashesPerSession
        ),

      /** Counts the session in the record, which is made if there is none. */
      count: ({ companyId, hmac, mode, sessionId }: Seen) =>
        decodeSeen(sql`
          with record as (
            insert into kyc_dedup_records as r
              (key_hmac, company_id, mode, first_session_id, last_session_id, seen_count)
            values (${hmac}, ${companyId}, ${mode}, ${sessionId}, ${sessionId}, 1)
            on conflict (key_hmac) do update
              set last_session_id = excluded.last_session_id, seen_count = r.seen_count + 1,
                last_seen_at = greatest(r.last_seen_at, excluded.last_seen_at)
            returning *
          ), sighting as (
            insert into kyc_dedup_sightings (session_id, key_hmac) select ${sessionId}, key_hmac from record
          )
          select first_session_id, last_session_id, seen_count, first_seen_at, last_seen_at from record`)
    }
  })
}) {}
