import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { onlyRow, rows } from "../../db/sql.ts"
import { Sighting, Unshown } from "./model.ts"

/** What an export has of a session besides what other routes show. */
export class ExportRepo extends Effect.Service<ExportRepo>()("ExportRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSightings = rows(Sighting)
    const decodeUnshown = onlyRow(Unshown)

    return {
      /** Of a session of the company that exists. */
      unshown: (companyId: string, sessionId: string) =>
        decodeUnshown(sql`
          select success_redirect_url, failure_redirect_url, step_seconds,
            (select m.created_at from kyc_browser_marks m where m.session_id = kyc_sessions.id) as browser_mark_stored_at
          from kyc_sessions
          where company_id = ${companyId} and id = ${sessionId}`),

      /** Oldest first; none for a session of another company. */
      sightings: (companyId: string, sessionId: string) =>
        decodeSightings(sql`
          select d.seen_at, r.seen_count, r.first_seen_at
          from kyc_sessions s join kyc_dedup_sightings d on d.session_id = s.id and not d.carried
            join kyc_dedup_records r using (key_hmac)
          where s.company_id = ${companyId} and s.id = ${sessionId}
          order by d.seen_at, d.key_hmac`)
    }
  })
}) {}
