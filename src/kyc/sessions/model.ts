import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { JsonObject, Timestamp } from "../../model.ts"
import { missingSteps } from "../instances/rules-model.ts"
import type { Workflow } from "../instances/workflow-model.ts"

export const Mode = Schema.Literal("prod", "dev")
export type Mode = typeof Mode.Type

export const Status = Schema.Literal("created", "running", "completed", "failed", "cancelled")
export type Status = typeof Status.Type

/** Completed, failed and cancelled are final. */
export const isFinished = (status: Status): boolean => status !== "created" && status !== "running"

/** A session as its browser names it: id and token, of which neither alone opens anything. */
export interface SessionKey {
  readonly id: string
  readonly tokenHash: Uint8Array
}

/** What a session is created as (contract.md#session-object). */
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

/** A session with everything in it; config and workflow as they were when it was created. */
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

/** What the server knows of a session by itself, next to what the browser claims (contract.md#assurance). */
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

/** What the server noted on a session while it was used. */
export interface Evidence {
  readonly captcha_verified_at: Date | null
  readonly captcha_score: number | null
  /** The largest count of sessions that any key hash of this one was seen in; 0 when none was checked. */
  readonly dedup_seen_count: number
}

/** The key under which the progress of a workflow's step is kept. */
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
 * @param workflow its own; none when the server cannot read it, and so cannot tell what is missing
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

/** Where the end user goes: the partner's URL byte for byte, else the hosted result page. */
export const redirectUrl = (appUrl: string, { failureUrl, id, status, successUrl }: RedirectChoice): string =>
  (status === "completed" ? successUrl : failureUrl) ?? `${appUrl}/kyc/session/${id}/done`
