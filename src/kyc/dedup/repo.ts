import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { row, uuid } from "../../db/sql.ts"
import { Mode, type SessionKey } from "../sessions/model.ts"
import { maxHashesPerSession, Sighting } from "./model.ts"

const SessionRow = Schema.Struct({
  company_id: Schema.String,
  mode: Mode,
  expired: Schema.Boolean,
  redacted: Schema.Boolean
})
type LockedSession = typeof SessionRow.Type

/** Deduplication records in Postgres. Run the steps in one transaction. */
export class DedupRepo extends Effect.Service<DedupRepo>()("DedupRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSession = row(SessionRow)
    const decodeSighting = row(Schema.typeSchema(Sighting))
    const decodeKnown = row(Schema.Struct({ key_hmac: Schema.Uint8ArrayFromSelf }))

    /** Whether others have the hash. A session is no match of those that it resubmits, or that resubmit it. */
    const isMatch = (hmac: Uint8Array, sessionId: string) => sql`
      seen_count > 1 + (
        select count(*) from kyc_dedup_sightings own
        where own.key_hmac = ${hmac} and own.session_id = any ((select kyc_session_chain(${sessionId}))::uuid[])
          and own.session_id <> ${sessionId} and not own.carried
      )`

    const sightingColumns = sql.literal(` seen_count as "seenCount", first_session_id as "firstSessionId",
      last_session_id as "lastSessionId", first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"`)

    return {
      /** Locks the session, so that its checks run one after another and `count` sees the earlier ones. */
      lockSession: ({ id, tokenHash }: SessionKey) =>
        decodeSession(sql`
          select company_id, mode, expires_at <= now() as expired, redacted_at is not null as redacted from kyc_sessions
          where id = ${uuid(id)} and token_hash = ${tokenHash}
          for no key update`),

      /** The first of these hashes that has a record. */
      findKnown: (hmacs: ReadonlyArray<Uint8Array>) =>
        decodeKnown(sql`
          select key_hmac from kyc_dedup_records where key_hmac = any (${hmacs})
          order by first_seen_at limit 1`),

      /** Counts the session in the hash's record once. None: the session has reached its limit of hashes. */
      count: (hmac: Uint8Array, sessionId: string, { company_id, mode }: LockedSession) =>
        decodeSighting(sql`
          with seen as (
            select key_hmac from kyc_dedup_sightings where session_id = ${sessionId} and key_hmac = ${hmac} and not carried
          ), fresh as (
            select 1 where not exists (select from seen) and (
              select count(*) from kyc_dedup_sightings where session_id = ${sessionId} and not carried
            ) < ${maxHashesPerSession}
          ), counted as (
            insert into kyc_dedup_records as r
              (key_hmac, company_id, mode, first_session_id, last_session_id, seen_count)
            select ${hmac}, ${company_id}, ${mode}, ${sessionId}, ${sessionId}, 1 from fresh
            on conflict (key_hmac) do update
              set last_session_id = excluded.last_session_id, seen_count = r.seen_count + 1,
                last_seen_at = greatest(r.last_seen_at, excluded.last_seen_at)
            returning *
          ), sighting as (
            insert into kyc_dedup_sightings (session_id, key_hmac) select ${sessionId}, key_hmac from counted
            on conflict (session_id, key_hmac) do update set seen_at = now(), carried = false
          ), flagged as (
            update kyc_sessions set flags = flags || array['dedup_match'] from counted
            where kyc_sessions.id = ${sessionId} and ${isMatch(hmac, sessionId)} and not 'dedup_match' = any (flags)
          )
          select ${isMatch(hmac, sessionId)} as "matchFound", ${sightingColumns} from counted
          union all
          select ${isMatch(hmac, sessionId)} as "matchFound", ${sightingColumns} from kyc_dedup_records join seen using (key_hmac)`)
    }
  })
}) {}
