import { Option, Schema } from "effect"
import { JsonObject, Timestamp } from "../../shared/schemas.ts"
import { Check } from "../checks/model.ts"
import { missingSteps } from "../instances/rules-model.ts"
import type { Workflow } from "../instances/workflow-model.ts"
import { Review } from "../reviews/model.ts"
import { Flags } from "./flags-model.ts"

export const Mode = Schema.Literal("prod", "dev")
export type Mode = typeof Mode.Type

export const Status = Schema.Literal("created", "running", "completed", "failed", "cancelled")
export type Status = typeof Status.Type

export const ListOrder = Schema.Literal("newest", "oldest")
export type ListOrder = typeof ListOrder.Type

/** Completed, failed and cancelled are final. */
export const isFinished = (status: Status): boolean => status !== "created" && status !== "running"

/** Decides whether a session is open. `expired`: its lifetime is over, whatever its status. */
export const SessionState = Schema.Struct({ status: Status, expired: Schema.Boolean })
export type SessionState = typeof SessionState.Type

/** How a browser identifies its session: neither id nor token is enough alone. */
export interface SessionKey {
  readonly id: string
  readonly tokenHash: Uint8Array
}

export interface SessionRequest {
  /** At least one of the two is required; both must name the same instance. */
  readonly instanceId?: string | undefined
  readonly instanceKey?: string | undefined
  readonly externalReference?: string | null | undefined
  readonly expiresInSeconds?: number | undefined
  readonly successRedirectUrl?: string | undefined
  readonly failureRedirectUrl?: string | undefined
  readonly metadata?: JsonObject | null | undefined
  readonly mode?: Mode | undefined
}

/** A session in the response to its creation (contract.md#session-object). */
export const CreatedSession = Schema.Struct({
  id: Schema.String,
  instance_id: Schema.String,
  company_id: Schema.String,
  mode: Mode,
  status: Status,
  external_reference: Schema.NullOr(Schema.String),
  expires_at: Timestamp,
  created_at: Timestamp
}).annotations({ identifier: "CreatedKycSession" })
export type CreatedSession = typeof CreatedSession.Type

/** A session with all its fields; config and workflow are those from its creation. */
export const Session = Schema.Struct({
  ...CreatedSession.fields,
  started_at: Schema.NullOr(Timestamp).annotations({ description: "When the status first became running." }),
  updated_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp).annotations({
    description: "When a final status was reached: completed, failed or cancelled."
  }),
  redacted_at: Schema.NullOr(Timestamp).annotations({
    description:
      "When the personal data was destroyed. From then on, `progress`, `result` and `metadata` are null."
  }),
  progress: Schema.NullOr(JsonObject),
  result: Schema.Unknown,
  metadata: Schema.NullOr(JsonObject),
  instance_config: JsonObject,
  instance_workflow: JsonObject
}).annotations({ identifier: "KycSession" })
export type Session = typeof Session.Type

/** What the server itself knows of a session, as opposed to what the browser claims (contract.md#assurance). */
export const Assurance = Schema.Struct({
  captcha: Schema.Struct({
    verified: Schema.Boolean,
    score: Schema.NullOr(Schema.Number),
    at: Schema.NullOr(Timestamp)
  }),
  dedup: Schema.Struct({ matchFound: Schema.Boolean, seenCount: Schema.Number }),
  requiredStepsPresent: Schema.Boolean,
  missingSteps: Schema.Array(Schema.String),
  durationMs: Schema.NullOr(Schema.Number)
}).annotations({ identifier: "Assurance" })
export type Assurance = typeof Assurance.Type

export const PartnerSession = Schema.Struct({
  ...Session.fields,
  first_workflow: Schema.NullOr(JsonObject).annotations({
    description:
      "Of a session that asks for some steps again: the workflow of the first session, which has all steps. `progress` has answers to them. " +
      "Null of all other sessions."
  }),
  flags: Flags,
  assurance: Assurance,
  review: Schema.NullOr(Review).annotations({
    description: "Null unless the session is completed and its instance has a review."
  }),
  previous_session_id: Schema.NullOr(Schema.String).annotations({
    description: "The session whose review asked for this one."
  }),
  next_session_id: Schema.NullOr(Schema.String).annotations({
    description: "The session that the review of this one asked for."
  })
}).annotations({ identifier: "PartnerKycSession" })
export type PartnerSession = typeof PartnerSession.Type

/** A session as it is read alone. */
export const CheckedSession = Schema.Struct({
  ...PartnerSession.fields,
  checks: Schema.Array(Check).annotations({
    description:
      "What doorlock itself saw in the photos, in the order in which to show it. Empty unless the session is completed and `config.checks.photos` of its instance is true; `kyc.checks.completed` says when they are there."
  })
}).annotations({ identifier: "CheckedKycSession" })
export type CheckedSession = typeof CheckedSession.Type

/** The stored facts of an `Assurance`, which no client can write. */
export const Evidence = Schema.Struct({
  captcha_verified_at: Schema.NullOr(Schema.DateFromSelf),
  captcha_score: Schema.NullOr(Schema.Number),
  /** The highest number of sessions in which any of this session's key hashes was seen; 0 if none was checked. */
  dedup_seen_count: Schema.Number
})

/** Without a readable `workflow`, or after a redaction, the missing steps are unknown. */
export const assurance = (
  session: Session & typeof Evidence.Type,
  workflow: Option.Option<Workflow>
): Assurance => {
  const answers = Option.fromNullable(session.progress)
  const missing = Option.zipWith(workflow, answers, (read, given) =>
    missingSteps(read, (stepId) => given[`s_${stepId}`], session.updated_at)
  )
  const began = session.started_at ?? session.created_at
  const { captcha_score: score, captcha_verified_at: at, dedup_seen_count: seenCount } = session
  return {
    captcha: { verified: at !== null, score, at },
    dedup: { matchFound: seenCount > 1, seenCount },
    requiredStepsPresent: Option.exists(missing, (steps) => steps.length === 0),
    missingSteps: Option.getOrElse(missing, () => []),
    durationMs: session.completed_at === null ? null : session.completed_at.getTime() - began.getTime()
  }
}
