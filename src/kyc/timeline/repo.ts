import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { rows } from "../../db/sql.ts"
import { TimelineEvent } from "./model.ts"

/** The events of a session, from the timestamps in several tables. */
export class TimelineRepo extends Effect.Service<TimelineRepo>()("TimelineRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decode = rows(Schema.typeSchema(TimelineEvent))

    return {
      /**
       * Oldest first; empty: the company has no such session. `detail` has the fields of an event other than its
       * type and time, and `place` orders events of the same time.
       */
      list: (companyId: string, sessionId: string) =>
        decode(
          Effect.map(
            sql<{ readonly type: string; readonly at: Date; readonly detail: object }>`
              with session as (
                select s.*, v.workflow
                from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
                where s.company_id = ${companyId} and s.id = ${sessionId}
              ), handoff as (
                select h.* from session s join kyc_handoffs h on h.session_id = s.id
              ), step as (
                select key as id from session, jsonb_object_keys(step_seconds) as key
              ), defined as (
                select step ->> 'id' as id, min(place) as place
                from session, rows from (jsonb_path_query(workflow, '$.steps[*]')) with ordinality as steps (step, place)
                group by 1
              ), event (place, type, at, detail) as (
                select 0, 'created', created_at, '{}'::jsonb from session
                union all
                select 1, 'started', started_at, '{}' from session
                union all
                select 2, 'handoff_created', created_at, jsonb_build_object('handoff_id', id, 'device', null) from handoff
                union all
                select 3, 'handoff_claimed', claimed_at, jsonb_build_object('handoff_id', id, 'device', device) from handoff
                union all
                select 4, 'handoff_' || status, ended_at, jsonb_build_object('handoff_id', id, 'device', device) from handoff
                union all
                select 5, 'file_stored', f.created_at,
                  jsonb_build_object('file_id', f.id, 'content_type', f.content_type, 'size', f.size)
                from session s join kyc_files f on f.session_id = s.id
                union all
                select 6, 'dedup_checked', d.seen_at, jsonb_build_object('matchFound',
                  r.first_session_id <> all (chain.ids) or exists (
                    select from kyc_dedup_sightings o
                    where o.key_hmac = d.key_hmac and o.seen_at < d.seen_at and not o.carried and o.session_id <> all (chain.ids)
                  ))
                from session s cross join lateral (select kyc_session_chain(s.id) as ids offset 0) as chain
                  join kyc_dedup_sightings d on d.session_id = s.id and not d.carried
                  join kyc_dedup_records r using (key_hmac)
                union all
                select 7, 'captcha_verified', captcha_verified_at, jsonb_build_object('score', captcha_score) from session
                union all
                select 8, 'progress', s.updated_at, jsonb_build_object('steps', answered.steps)
                from session s, lateral (
                  select jsonb_agg(id order by defined.place nulls last, id) as steps from step left join defined using (id)
                ) as answered
                where answered.steps is not null
                union all
                select 9, status, completed_at, '{}' from session
                union all
                select 10, case when expires_at <= now() then 'expired' else 'expires' end, expires_at, '{}' from session
                where completed_at is null
                union all
                select 11, 'redacted', redacted_at, '{}' from session
                union all
                select 12, 'review_proposed', r.proposed_at, jsonb_build_object('decision', r.proposal, 'by', r.proposed_by)
                from session s join kyc_reviews r on r.session_id = s.id
                union all
                select 13, 'reviewed', r.decided_at, jsonb_build_object('decision', r.decision, 'by', r.decided_by)
                from session s join kyc_reviews r on r.session_id = s.id
              )
              select type, at, detail from event where at is not null
              -- In one millisecond, a handoff may end and the next begin.
              order by at, case when place in (3, 4) then 2 else place end, detail ->> 'handoff_id', place`,
            (found) => found.map(({ at, detail, type }) => ({ ...detail, type, at }))
          )
        )
    }
  })
}) {}
