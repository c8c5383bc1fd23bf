import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Option, Schema } from "effect"
import { rolesThatMay } from "../../accounts/model.ts"
import { recordEvents, recordingEvents } from "../../db/outbox.ts"
import { onlyRow, orDie, row, rowCount } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { claimMinutes, Decision, ReviewStatus } from "./model.ts"
import { allSteps, claimant } from "./repo.ts"

/** What decides whether an act on a review is allowed. */
const LockedReview = Schema.Struct({
  status: ReviewStatus,
  /** A user with a claim that has not ended. */
  claimed_by: Schema.NullOr(Schema.String),
  proposal: Schema.NullOr(Decision),
  /** In the order of the workflow; empty unless a resubmission is proposed. */
  proposal_steps: Schema.NullOr(Schema.Array(Schema.String)),
  proposed_by: Schema.NullOr(Schema.String),
  /** The user behind the proposal, also if a key of theirs made it; null if that is unknown. */
  proposed_person: Schema.NullOr(Schema.String),
  /** The users who were shown a link to the session, also by a key that they created; `api` for any key. */
  link_shown_to: Schema.Array(Schema.String),
  config: JsonObject,
  workflow: JsonObject,
  redacted: Schema.Boolean
})
export type LockedReview = typeof LockedReview.Type

/** A decision, or the proposal of one. `by` is a user's id or `api`. */
interface Verdict {
  readonly sessionId: string
  readonly decision: Decision
  readonly reasons: ReadonlyArray<string>
  readonly by: string
}

/** Claims of reviews and decisions on them, in Postgres. */
export class DecisionRepo extends Effect.Service<DecisionRepo>()("DecisionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeLocked = onlyRow(LockedReview)
    const decodeCreator = row(Schema.Struct({ created_by: Schema.NullOr(Schema.String) }))

    /** Reads the session and its review from the CTE `r`, and what was decided or proposed from its column `verdict`. */
    const recorded = (type: string, by: string): Statement.Fragment =>
      recordEvents(sql, type, {
        companyId: sql`s.company_id`,
        data: sql`jsonb_build_object('id', s.id, 'instance_id', s.instance_id, 'status', s.status, 'mode', s.mode,
          'external_reference', s.external_reference, 'url', '/api/kyc/sessions/' || s.id,
          'by', ${by}::text, 'review', r.status, 'decision', r.verdict,
          'next_session_id', s.next_session_id)`,
        from: sql`r join kyc_sessions s on s.id = r.session_id`
      })

    return {
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
                    select r.status, c.id as claimed_by, r.proposal, r.proposal_steps, r.proposed_by, r.proposed_person,
                      array(
                        select coalesce(k.created_by, shown.id)::text from unnest(s.link_shown_to) as shown (id)
                          left join lateral (select created_by from api_keys where id = shown.id offset 0) as k on true
                        union all select 'api' from api_keys where id = any (s.link_shown_to)
                      ) as link_shown_to, v.config, ${sql.literal(allSteps)},
                      s.redacted_at is not null as redacted
                    from kyc_reviews r join kyc_sessions s on s.id = r.session_id
                      join kyc_instance_versions v on v.id = s.version_id ${sql.literal(claimant)}
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
          select from r`).pipe(recordingEvents),

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
          select from r`).pipe(recordingEvents),

      /** After `lock`. Replaces a proposal, if there is one. Ends the claim, so that somebody else can confirm. */
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
              proposal_steps = ${steps}::text[], proposed_by = ${by}, proposed_person = ${person},
              proposed_at = now(), claimed_by = null, claimed_until = null
            where session_id = ${sessionId} returning *, proposal as verdict
          ), recorded as (${recorded("kyc.session.review_proposed", by)})
          select from r`).pipe(recordingEvents),

      /** After `lock`, and after the successor of a resubmission was created. */
      decide: ({ by, decision, reasons, sessionId }: Verdict) =>
        orDie(sql`
          with r as (
            update kyc_reviews set status = 'decided', decision = ${decision}, reasons = ${reasons}::text[],
              decided_by = ${by}, decided_at = now(), claimed_by = null, claimed_until = null
            where session_id = ${sessionId} returning *, decision as verdict
          ), recorded as (${recorded("kyc.session.reviewed", by)})
          select from r`).pipe(recordingEvents)
    }
  })
}) {}
