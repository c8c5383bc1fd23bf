import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { ofCompanyAmong } from "../../db/among.ts"
import { row, rows } from "../../db/sql.ts"
import { Match, maxMatches } from "./model.ts"

/** The sessions that share a key hash with another, in Postgres. */
export class DedupMatchRepo extends Effect.Service<DedupMatchRepo>()("DedupMatchRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSession = row(Schema.Struct({ id: Schema.String }))
    const decode = rows(Schema.typeSchema(Match))

    return {
      findSession: (companyId: string, sessionId: string) =>
        decodeSession(sql`
          select id from kyc_sessions where company_id = ${companyId} and id = ${sessionId}`),

      /** Newest first. The newest of each key hash are enough, because an id begins with its time. */
      list: (companyId: string, sessionId: string) =>
        decode(sql`
          select s.id, s.instance_id, s.mode, s.status, s.external_reference, s.created_at, s.completed_at,
            case when r.session_id is not null then jsonb_build_object('status', r.status, 'decision', r.decision) end as review
          from kyc_sessions s left join kyc_reviews r on r.session_id = s.id
          where ${ofCompanyAmong(
            sql,
            companyId,
            sql`array(
              select other.session_id from kyc_dedup_sightings own cross join lateral (
                select session_id from kyc_dedup_sightings
                where key_hmac = own.key_hmac and session_id <> all ((select kyc_session_chain(${sessionId}))::uuid[])
                order by session_id desc limit ${maxMatches}
              ) as other
              where own.session_id = ${sessionId}
            )`
          )}
          order by s.created_at desc, s.id desc limit ${maxMatches}`)
    }
  })
}) {}
