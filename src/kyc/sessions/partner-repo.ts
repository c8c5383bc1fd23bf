import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { ofCompanyAmong } from "../../db/among.ts"
import { row, rows } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { StoredCheck } from "../checks/model.ts"
import { Review } from "../reviews/model.ts"
import { FailedRules, Flags } from "./flags-model.ts"
import { keptKeyColumns, keptKeyFields, keptKeyJoin } from "./keys-repo.ts"
import { Evidence, type Included, Session } from "./model.ts"
import { StoredFields } from "./repo.ts"

/** From JSON, in which the time is text. */
const StoredReview = Schema.Struct({
  review: Schema.NullOr(Schema.Struct({ ...Review.fields, next_session_id: Schema.NullOr(Schema.String) }))
})

const facts = {
  ...Session.fields,
  ...StoredFields,
  ...keptKeyFields,
  flags: Flags,
  failed_rules: FailedRules,
  first_workflow: Schema.NullOr(JsonObject),
  ...Evidence.fields,
  previous_session_id: Schema.NullOr(Schema.String)
}

const PartnerRow = Schema.extend(Schema.typeSchema(Schema.Struct(facts)), StoredReview)

/** A session in a list: null for what is not included. */
const ListedRow = Schema.extend(
  Schema.typeSchema(
    Schema.Struct({
      ...facts,
      instance_config: Schema.NullOr(JsonObject),
      instance_workflow: Schema.NullOr(JsonObject)
    })
  ),
  StoredReview
)
export type ListedRow = typeof ListedRow.Type

const CheckedRow = Schema.extend(PartnerRow, Schema.Struct({ checks: Schema.Array(StoredCheck) }))
export type CheckedRow = typeof CheckedRow.Type

/** Bytes of what is read of progress, result, config and workflow, as stored, on one page. A larger session gets a page of its own. */
const pageBytes = 8_388_608

/** Sessions as their owning company reads them: in full, and even after they have expired. */
export class PartnerSessionRepo extends Effect.Service<PartnerSessionRepo>()("PartnerSessionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAll = rows(ListedRow)
    const decodeOne = row(CheckedRow)

    const every: ReadonlyArray<Included> = ["instance_config", "instance_workflow"]

    const selecting = (included: ReadonlyArray<Included>, more: string) =>
      sql.literal(`
      select s.id, s.instance_id, s.company_id, s.mode, s.status, s.external_reference, s.expires_at,
        s.created_at, s.started_at, s.updated_at, s.completed_at, s.redacted_at, s.progress, s.result, s.metadata, s.flags, s.failed_rules,
        ${included.includes("instance_config") ? "v.config" : "null::jsonb"} as instance_config,
        ${included.includes("instance_workflow") ? "v.workflow" : "null::jsonb"} as instance_workflow, ${keptKeyColumns},
        first.workflow as first_workflow,
        coalesce(
          s.missing_steps,
          (kyc_completion(coalesce(first.completion_rules, v.completion_rules), s.step_results, s.id)).missing
        ) as missing_steps,
        s.captcha_verified_at, s.captcha_score,
        coalesce((
          -- A session and those that it resubmits are one.
          select max(r.seen_count + 1 - greatest(1, (
            select count(*) from kyc_dedup_sightings d
            where d.key_hmac = own.key_hmac and d.session_id = any (chain.ids) and not d.carried
          ))) from kyc_dedup_sightings own join kyc_dedup_records r using (key_hmac)
          where own.session_id = s.id
        ), 0)::int as dedup_seen_count, exists (
          select from kyc_dedup_sightings own join kyc_dedup_records r using (key_hmac)
            join kyc_dedup_sightings d using (key_hmac) join kyc_sessions o on o.id = d.session_id
          where own.session_id = s.id and r.seen_count > 1 and d.seen_at < own.seen_at and o.status = 'completed'
            and not d.carried and d.session_id <> all (chain.ids)
        ) as dedup_earlier_completed, s.previous_session_id, (
          select jsonb_build_object('status', r.status, 'decision', r.decision, 'reasons', r.reasons, 'decided_at', r.decided_at,
            'decided_by', r.decided_by, 'next_session_id', s.next_session_id)
          from kyc_reviews r where r.session_id = s.id
        ) as review${more}
      from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
        left join kyc_instance_versions first on first.id = v.restricted_from
        cross join lateral (
          select case when s.previous_session_id is null and s.next_session_id is null then array[s.id]
            else kyc_session_chain(s.id) end as ids offset 0
        ) as chain ${keptKeyJoin}`)

    const selectChecked = selecting(
      every,
      `, coalesce((
          select jsonb_agg(jsonb_build_object('id', c.id, 'kind', c.kind, 'outcome', c.outcome, 'content', c.content,
            'file_ids', c.file_ids, 'engine', c.engine, 'at', c.at) order by c.place)
          from kyc_checks c where c.session_id = s.id
        ), '[]') as checks`
    )

    return {
      find: (companyId: string, id: string) =>
        decodeOne(sql`${selectChecked} where s.company_id = ${companyId} and s.id = ${id}`),

      /** A session of any company: only for the operator of the service. */
      findOfAny: (id: string) => decodeOne(sql`${selectChecked} where s.id = ${id}`),

      /** These sessions, in this order; the last of them are left out if all together would be too large for one page. */
      load: (companyId: string, ids: ReadonlyArray<string>, included: ReadonlyArray<Included>) =>
        decodeAll(sql`
          with page as (
            ${selecting(included, "")} where ${ofCompanyAmong(sql, companyId, sql`${ids}::uuid[]`)}
          ), sized as (
            select page.*, array_position(${ids}::uuid[], id) as place,
              octet_length(progress::text) + coalesce(octet_length(result::text), 0)
              + coalesce(octet_length(instance_config::text), 0) + coalesce(octet_length(instance_workflow::text), 0)
              + coalesce(octet_length(first_workflow::text), 0) as size
            from page
          ), measured as (
            select sized.*, sum(size) over (order by place rows between unbounded preceding and 1 preceding) as before
            from sized
          )
          select * from measured where coalesce(before, 0) < ${pageBytes} order by place`)
    }
  })
}) {}
