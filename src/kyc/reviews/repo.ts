import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Option, Schema } from "effect"
import { rolesThatMay } from "../../accounts/model.ts"
import { recordEvents } from "../../db/outbox.ts"
import { onlyRow, orDie, row, rowCount, rows } from "../../db/sql.ts"
import type { Cursor } from "../../shared/cursor.ts"
import { JsonObject, Timestamp } from "../../shared/schemas.ts"
import { claimMinutes, Decision, Note, ReviewChoices, ReviewDetails, ReviewStatus } from "./model.ts"

const NoteRow = Schema.typeSchema(Note)

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

/** What decides whether an act on a review is allowed. */
const LockedReview = Schema.Struct({
  status: ReviewStatus,
  /** A user with a claim that has not ended. */
  claimed_by: Schema.NullOr(Schema.String),
  proposed_by: Schema.NullOr(Schema.String),
  /** The user behind the proposal, also if a key of theirs made it; null if that is unknown. */
  proposed_person: Schema.NullOr(Schema.String),
  config: JsonObject,
  workflow: JsonObject,
  redacted: Schema.Boolean
})
export type LockedReview = typeof LockedReview.Type

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

/** A decision, or the proposal of one. `by` is a user's id or `api`. */
interface Verdict {
  readonly sessionId: string
  readonly decision: Decision
  readonly reasons: ReadonlyArray<string>
  readonly by: string
}

/** Its `text` is sealed, as in all rows. */
interface NewNote extends Pick<Note, "id" | "text" | "written_by"> {
  readonly companyId: string
  readonly sessionId: string
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

/** Reviews and notes in Postgres. */
export class ReviewRepo extends Effect.Service<ReviewRepo>()("ReviewRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAll = rows(DetailsRow)
    const decodeInstances = rows(ReviewChoices.fields.instances.value)
    const decodeReviewers = rows(ReviewChoices.fields.reviewers.value)
    const decodeOne = row(DetailsRow)
    const decodeLocked = onlyRow(LockedReview)
    const decodeCreator = row(Schema.Struct({ created_by: Schema.NullOr(Schema.String) }))
    const decodeDocuments = row(Documents)
    const decodeNotes = rows(NoteRow)
    const decodeSuccessor = row(Schema.Struct({ id: Schema.NullOr(Schema.String) }))
    const decodeNote = row(NoteRow)

    /** The user whose claim on `r` has not ended, if any. One who may no longer review has none. */
    const claimant = sql.literal(`
      left join lateral (
        select id, email from users where id = r.claimed_by and r.claimed_until > now() and role <> 'viewer' offset 0
      ) as c on true`)

    /** The workflow of `v` with all steps: that of the first session, if `v` asks for some of its steps again. */
    const allSteps = sql.literal(
      `coalesce((select first.workflow from kyc_instance_versions first where first.id = v.restricted_from), v.workflow) as workflow`
    )

    /** Of the reviews in the CTE `found`. `offset 0`: one lookup for each of them, however many there are of others. */
    const detailsOfFound = sql`
      select r.session_id, r.instance_id, i.name as instance_name, s.mode, s.external_reference, s.flags, r.status, r.decision,
        r.reasons, r.decided_at, r.decided_by, d.email as decided_by_email, r.waiting_since,
        c.id as claimed_by, c.email as claimed_by_email, r.claimed_until,
        r.proposal, r.proposal_reasons, r.proposal_steps, r.proposed_at, r.proposed_by, p.email as proposed_by_email,
        s.previous_session_id, r.ordered_at,
        (select n.id from kyc_sessions n where n.previous_session_id = r.session_id) as next_session_id
      from found r
        cross join lateral (
          select mode, external_reference, flags, previous_session_id from kyc_sessions where id = r.session_id offset 0
        ) as s
        cross join lateral (select name from kyc_instances where id = r.instance_id offset 0) as i
        ${claimant}
        left join lateral (select email from users where id = nullif(r.decided_by, 'api')::uuid offset 0) as d on true
        left join lateral (select email from users where id = nullif(r.proposed_by, 'api')::uuid offset 0) as p on true`

    /** Reads the session and its review from the CTE `r`, and what was decided or proposed from its column `verdict`. */
    const recorded = (type: string, by: string): Statement.Fragment =>
      recordEvents(sql, type, {
        companyId: sql`s.company_id`,
        data: sql`jsonb_build_object('id', s.id, 'instance_id', s.instance_id, 'status', s.status, 'mode', s.mode,
          'external_reference', s.external_reference, 'url', '/api/kyc/sessions/' || s.id,
          'by', ${by}::text, 'review', r.status, 'decision', r.verdict,
          'next_session_id', (select n.id from kyc_sessions n where n.previous_session_id = s.id))`,
        from: sql`r join kyc_sessions s on s.id = r.session_id`
      })

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
                : sql`r.claimed_by = ${reviewer} and r.claimed_until > now()`
          )
        }
        if (cursor !== undefined) {
          const compared = sql.literal(isDecided ? "<" : ">")
          conditions.push(
            sql`(r.ordered_at, r.session_id) ${compared} (${cursor.createdAt}, ${cursor.id}::uuid)`
          )
        }
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
          select v.config, ${allSteps} from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where s.company_id = ${companyId} and s.id = ${sessionId}`),

      /** The session that a resubmission created, or null; none if the company has no such session. */
      findSuccessor: (companyId: string, sessionId: string) =>
        decodeSuccessor(sql`
          select (select n.id from kyc_sessions n where n.previous_session_id = s.id) as id
          from kyc_sessions s where s.company_id = ${companyId} and s.id = ${sessionId}`),
      /** The user who created a key of the company; none if the operator did. */
      creatorOf: (companyId: string, keyId: string) =>
        Effect.map(
          decodeCreator(sql`
            select created_by from api_keys where company_id = ${companyId} and id = ${keyId}`),
          Option.flatMap(({ created_by }) => Option.fromNullable(created_by))
        ),

      /**
       * For a transaction: until its end, the user keeps a role that may review. False if the user has none, or was removed. Locks in the
       * order in which a removal does: first the company.
       */
      mayReview: (companyId: string, userId: string) =>
        Effect.map(
          rowCount(sql`
            select from companies c join users u on u.company_id = c.id
            where c.id = ${companyId} and u.id = ${userId} and ${sql.in("u.role", rolesThatMay.review)}
            for key share of c for share of u`),
          (found) => found > 0
        ),

      /**
       * For a transaction. None: the session has no review. Acts on one review take turns, and the session is not redacted meanwhile. Locks
       * in the order in which a redaction does: first the session.
       */
      lock: (companyId: string, sessionId: string) =>
        rowCount(sql`
          select from kyc_sessions s join kyc_reviews r on r.session_id = s.id
          where r.company_id = ${companyId} and r.session_id = ${sessionId}
          for key share of s for no key update of r`).pipe(
          Effect.flatMap((locked) =>
            locked === 0
              ? Effect.succeedNone
              : // A statement of its own, so that it sees what was committed while the lock was awaited.
                Effect.asSome(
                  decodeLocked(sql`
                    select r.status, c.id as claimed_by, r.proposed_by, r.proposed_person, v.config, ${allSteps},
                      s.redacted_at is not null as redacted
                    from kyc_reviews r join kyc_sessions s on s.id = r.session_id
                      join kyc_instance_versions v on v.id = s.version_id ${claimant}
                    where r.session_id = ${sessionId}`)
                )
          )
        ),

      /** After `lock`. */
      claim: (sessionId: string, userId: string) =>
        orDie(sql`
          with r as (
            update kyc_reviews set claimed_by = ${userId}, claimed_until = now() + make_interval(mins => ${claimMinutes})
            where session_id = ${sessionId} returning *, null::text as verdict
          ), recorded as (${recorded("kyc.session.review_claimed", userId)})
          select from r`),

      /** After `lock`. A renewal is no event. */
      renew: (sessionId: string) =>
        orDie(sql`
          update kyc_reviews set claimed_until = now() + make_interval(mins => ${claimMinutes}) where session_id = ${sessionId}`),

      /** After `lock`. */
      release: (sessionId: string, userId: string) =>
        orDie(sql`
          with r as (
            update kyc_reviews set claimed_by = null, claimed_until = null
            where session_id = ${sessionId} returning *, null::text as verdict
          ), recorded as (${recorded("kyc.session.review_released", userId)})
          select from r`),

      /** After `lock`. Ends the claim, so that somebody else can confirm. */
      propose: ({
        by,
        decision,
        person,
        reasons,
        sessionId,
        steps
      }: Verdict & { readonly steps: ReadonlyArray<string>; readonly person: string | null }) =>
        orDie(sql`
          with r as (
            update kyc_reviews set status = 'proposed', proposal = ${decision}, proposal_reasons = ${reasons}::text[],
              proposal_steps = ${steps}::text[], proposed_by = ${by}, proposed_person = ${person}, proposed_at = now(), claimed_by = null, claimed_until = null
            where session_id = ${sessionId} returning *, proposal as verdict
          ), recorded as (${recorded("kyc.session.review_proposed", by)})
          select from r`),

      /** After `lock`, and after the successor of a resubmission was created. */
      decide: ({ by, decision, reasons, sessionId }: Verdict) =>
        orDie(sql`
          with r as (
            update kyc_reviews set status = 'decided', decision = ${decision}, reasons = ${reasons}::text[],
              decided_by = ${by}, decided_at = now(), claimed_by = null, claimed_until = null
            where session_id = ${sessionId} returning *, decision as verdict
          ), recorded as (${recorded("kyc.session.reviewed", by)})
          select from r`),

      /** Oldest first; none for a session of another company. */
      notes: (companyId: string, sessionId: string) =>
        decodeNotes(sql`
          select n.id, n.text, n.written_by, u.email as written_by_email, n.created_at
          from kyc_session_notes n left join users u on u.id = nullif(n.written_by, 'api')::uuid
          where n.company_id = ${companyId} and n.session_id = ${sessionId} order by n.created_at, n.id`),

      /** None if the company has no such session, or it is redacted. */
      addNote: ({ companyId, id, sessionId, text, written_by }: NewNote) =>
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
            from: sql`added join kyc_sessions s on s.id = added.session_id`
          })})
          select a.id, a.text, a.written_by, u.email as written_by_email, a.created_at
          from added a left join users u on u.id = nullif(a.written_by, 'api')::uuid`)
    }
  })
}) {}
