import { Option, Schema } from "effect"
import { JsonObject, Timestamp } from "../../model.ts"
import { missingSteps } from "../instances/rules-model.ts"
import type { Workflow } from "../instances/workflow-model.ts"

export const Mode = Schema.Literal("prod", "dev")
export type Mode = typeof Mode.Type

export const Status = Schema.Literal("created", "running", "completed", "failed", "cancelled")
export type Status = typeof Status.Type

/** Completed, failed and cancelled are final. */
export const isFinished = (status: Status): boolean => status !== "created" && status !== "running"

/** How a browser identifies its session: neither id nor token is enough alone. */
export interface SessionKey {
  readonly id: string
  readonly tokenHash: Uint8Array
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

/** A session with all its fields; config and workflow are those from its creation. */
export const Session = Schema.Struct({
  ...CreatedSession.fields,
  started_at: Schema.NullOr(Timestamp).annotations({ description: "When the status first became running." }),
  updated_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp).annotations({
    description: "When a final status was reached: completed, failed or cancelled."
  }),
  progress: JsonObject,
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

/** A session as the partner's server reads it. */
export const PartnerSession = Schema.Struct({ ...Session.fields, assurance: Assurance }).annotations({
  identifier: "PartnerKycSession"
})
export type PartnerSession = typeof PartnerSession.Type

/** The facts that the server recorded while the session was in use. */
export interface Evidence {
  readonly captcha_verified_at: Date | null
  readonly captcha_score: number | null
  /** The highest number of sessions in which any of this session's key hashes was seen; 0 if none was checked. */
  readonly dedup_seen_count: number
}

/** The key of a workflow step in the progress. */
const progressKey = (stepId: string): string => `s_${stepId}`

/** The steps still to be done. */
const missingStepsOf = ({ progress, updated_at }: Session, workflow: Workflow) =>
  missingSteps(
    workflow,
    (stepId) => {
      const key = progressKey(stepId)
      return Object.hasOwn(progress, key) ? progress[key] : undefined
    },
    updated_at
  )

/**
 * The facts about `session` that no client can write.
 *
 * @param workflow the session's workflow; none if the server cannot read it, and then the missing steps are unknown
 */
export const assurance = (
  session: Session,
  evidence: Evidence,
  workflow: Option.Option<Workflow>
): Assurance => {
  const missing = Option.map(workflow, (read) => missingStepsOf(session, read))
  const began = session.started_at ?? session.created_at
  return {
    captcha: {
      verified: evidence.captcha_verified_at !== null,
      score: evidence.captcha_score,
      at: evidence.captcha_verified_at
    },
    dedup: { matchFound: evidence.dedup_seen_count > 1, seenCount: evidence.dedup_seen_count },
    requiredStepsPresent: Option.exists(missing, (steps) => steps.length === 0),
    missingSteps: Option.getOrElse(missing, () => []),
    durationMs: session.completed_at === null ? null : session.completed_at.getTime() - began.getTime()
  }
}

interface RedirectChoice {
  readonly id: string
  readonly status: Status
  readonly successUrl: string | null
  readonly failureUrl: string | null
}

/** Where the end user goes next: the partner's URL byte for byte, or else the hosted result page. */
export const redirectUrl = (appUrl: string, { failureUrl, id, status, successUrl }: RedirectChoice): string =>
  (status === "completed" ? successUrl : failureUrl) ?? `${appUrl}/kyc/session/${id}/done`
