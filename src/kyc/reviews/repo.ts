import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Option, Schema } from "effect"
import { ofKeptMonth } from "../../db/among.ts"
import { row, rows } from "../../db/sql.ts"
import type { Cursor } from "../../shared/cursor.ts"
import { JsonObject, Timestamp } from "../../shared/schemas.ts"
import { Decision, ReviewChoices, ReviewDetails, type ReviewStatus } from "./model.ts"

const DetailsRow = Schema.typeSchema(
  Schema.Struct({
    ...ReviewDetails.omit("claim", "proposal").fields,
    claimed_by: Schema.NullOr(Schema.String),
    claimed_by_email: Schema.NullOr(Schema.String),
    claimed_until: Schema.NullOr(Timestamp),
    proposal: Schema.NullOr(Decision),
    proposal_reasons: Schema.NullOr(Schema.Array(Schema.String)),
    proposal_steps: Schema.NullOr(Schema.Array(Schema.String)),
    proposed_at: Schema.NullOr(Timestamp),
    proposed_by: Schema.NullOr(Schema.String),
    proposed_by_email: Schema.NullOr(Schema.String),
    /** The place in a list. */
    ordered_at: Timestamp
  })
)

const Documents = Schema.Struct({ config: JsonObject, workflow: JsonObject })

interface ReviewFilter {
  readonly companyId: string
  readonly status?: ReviewStatus | undefined
  readonly instanceId?: string | undefined
  /** A user's id or `api`. */
  readonly reviewer?: string | undefined
  readonly cursor?: Cursor | undefined
  readonly limit: number
}

const detailsOf = ({
  claimed_by,
  claimed_by_email,
  claimed_until,
  ordered_at,
  proposal,
  proposal_reasons,
  proposal_steps,
  proposed_at,
  proposed_by,
  proposed_by_email,
  ...review
}: typeof DetailsRow.Type): ReviewDetails => ({
  ...review,
  claim:
    claimed_by === null || claimed_by_email === null || claimed_until === null
      ? null
      : { user_id: claimed_by, email: claimed_by_email, until: claimed_until },
  proposal:
    proposal === null || proposed_at === null || proposed_by === null
      ? null
      : {
          decision: proposal,
          reasons: proposal_reasons ?? [],
          steps: proposal_steps ?? [],
          proposed_at,
          proposed_by,
          proposed_by_email
        }
})

/** Of a kind, so many can be chosen from. */
const mostChoices = 5_000

const waiting: ReadonlyArray<ReviewStatus> = ["pending", "proposed"]

/** Joins `c`: the user whose claim on `r` has not ended, if any. One who may no longer review has none. */
export const claimant = `
  left join lateral (
    select id, email from users where id = r.claimed_by and r.claimed_until > now() and role <> 'viewer' offset 0
  ) as c on true`

/** The workflow of `v` with all steps: that of the first session, if `v` asks for some of its steps again. */
export const allSteps =
  "coalesce((select first.workflow from kyc_instance_versions first where first.id = v.restricted_from), v.workflow) as workflow"

/** Reviews as they are read, in Postgres. */
export class ReviewRepo extends Effect.Service<ReviewRepo>()("ReviewRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAll = rows(DetailsRow)
    const decodeInstances = rows(ReviewChoices.fields.instances.value)
    const decodeReviewers = rows(ReviewChoices.fields.reviewers.value)
    const decodeOne = row(DetailsRow)
    const decodeDocuments = row(Documents)
    const decodeSuccessor = row(Schema.Struct({ id: Schema.NullOr(Schema.String) }))

    /** Of the reviews in the CTE `found`. `offset 0`: one lookup for each of them, however many there are of others. */
    const detailsOfFound = sql`
      select r.session_id, r.instance_id, i.name as instance_name, s.mode, s.external_reference, s.flags, s.failed_rules, r.status, r.decision,
        r.reasons, r.decided_at, r.decided_by, d.email as decided_by_email, r.waiting_since,
        c.id as claimed_by, c.email as claimed_by_email, r.claimed_until,
        r.proposal, r.proposal_reasons, r.proposal_steps, r.proposed_at, r.proposed_by, p.email as proposed_by_email,
        s.previous_session_id, s.next_session_id, coalesce(l.link_shown_to, '[]') as link_shown_to, r.ordered_at
      from found r
        cross join lateral (
          select mode, external_reference, flags, failed_rules, previous_session_id, next_session_id, link_shown_to from kyc_sessions where id = r.session_id offset 0
        ) as s
        cross join lateral (select name from kyc_instances where id = r.instance_id offset 0) as i
        ${sql.literal(claimant)}
        left join lateral (select email from users where id = nullif(r.decided_by, 'api')::uuid offset 0) as d on true
        left join lateral (select email from users where id = nullif(r.proposed_by, 'api')::uuid offset 0) as p on true
        left join lateral (
          select jsonb_agg(distinct jsonb_build_object('by', coalesce(k.by, shown.id::text), 'email', u.email)) as link_shown_to
          from unnest(s.link_shown_to) as shown (id)
            left join lateral (select 'api' as by from api_keys where id = shown.id offset 0) as k on true
            left join lateral (select email from users where id = shown.id offset 0) as u on true
        ) as l on true`

    return {
      /** In the order of waiting, or for decided ones the latest first. One more than `limit` if there are more. */
      list: ({ companyId, cursor, instanceId, limit, reviewer, status }: ReviewFilter) => {
        const isDecided = status === "decided"
        const direction = sql.literal(isDecided ? "desc" : "asc")
        const conditions: Array<Statement.Fragment> = [sql`r.company_id = ${companyId}`]
        if (instanceId !== undefined) conditions.push(sql`r.instance_id = ${instanceId}`)
        if (reviewer !== undefined) {
          conditions.push(
            isDecided
              ? sql`r.decided_by = ${reviewer}`
              : reviewer === "api"
                ? sql`false`
                : sql`r.claimed_by = (select id from users where id = ${reviewer} and role <> 'viewer') and r.claimed_until > now()`
          )
        }
        if (cursor !== undefined) {
          const compared = sql.literal(isDecided ? "<" : ">")
          conditions.push(
            sql`(r.ordered_at, r.session_id) ${compared} (${cursor.createdAt}, ${cursor.id}::uuid)`
          )
        }
        // The others went with the data of their sessions.
        if (isDecided) conditions.push(sql`${sql.literal(ofKeptMonth("r.session_id"))}`)
        const inStatus = (one: ReviewStatus) => sql`(
          select r.* from kyc_reviews r where ${sql.and(conditions)} and r.status = ${one}
          order by r.ordered_at ${direction}, r.session_id ${direction} limit ${limit + 1})`
        const [first, second] = status === undefined ? waiting : [status]
        const found =
          second === undefined
            ? inStatus(first ?? "pending")
            : sql`${inStatus(first ?? "pending")} union all ${inStatus(second)}`
        const page = sql`
          with found as materialized (
            select * from (${found}) as merged
            order by ordered_at ${direction}, session_id ${direction} limit ${limit + 1}
          )
          ${detailsOfFound} order by r.ordered_at ${direction}, r.session_id ${direction}`
        return Effect.map(decodeAll(page.unprepared), (found) =>
          found.map((one) => ({ review: detailsOf(one), orderedAt: one.ordered_at }))
        )
      },

      /** By name. */
      instances: (companyId: string) =>
        decodeInstances(sql`
          select id, name from kyc_instances where company_id = ${companyId} order by lower(name), id limit ${mostChoices}`),

      /** Users with a claim that has not ended, or with a decision, by email address. */
      reviewers: (companyId: string) =>
        decodeReviewers(sql`
          select u.id, u.email from users u cross join lateral (
            select (
              select true from kyc_reviews where claimed_by = u.id and claimed_until > now() limit 1
            ) as has_claimed, (
              select true from kyc_reviews where company_id = ${companyId} and decided_by = u.id::text limit 1
            ) as has_decided offset 0
          ) as r
          where u.company_id = ${companyId} and (r.has_claimed or r.has_decided)
          order by u.email limit ${mostChoices}`),

      find: (companyId: string, sessionId: string) =>
        Effect.map(
          decodeOne(sql`
            with found as (
              select * from kyc_reviews where company_id = ${companyId} and session_id = ${sessionId}
            ) ${detailsOfFound}`),
          Option.map(detailsOf)
        ),

      /** The config of a session, and its workflow with all steps; none if the company has no such session. */
      findDocuments: (companyId: string, sessionId: string) =>
        decodeDocuments(sql`
          select v.config, ${sql.literal(allSteps)} from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where s.company_id = ${companyId} and s.id = ${sessionId}`),

      /** The session that a resubmission created, or null; none if the company has no such session. */
      findSuccessor: (companyId: string, sessionId: string) =>
        decodeSuccessor(sql`
          select s.next_session_id as id from kyc_sessions s where s.company_id = ${companyId} and s.id = ${sessionId}`)
    }
  })
}) {}
