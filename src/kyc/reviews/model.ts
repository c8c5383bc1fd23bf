import { Schema } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Timestamp } from "../../shared/schemas.ts"
import { Flags } from "../sessions/flags-model.ts"

export const Decision = Schema.Literal("approved", "declined", "resubmission").annotations({
  identifier: "KycReviewDecision"
})
export type Decision = typeof Decision.Type

export const ReviewStatus = Schema.Literal("pending", "proposed", "decided").annotations({
  identifier: "KycReviewStatus",
  description:
    "`pending`: nobody has decided yet. `proposed`: one person has, and another has to confirm. `decided` is final."
})
export type ReviewStatus = typeof ReviewStatus.Type

/** How far the review of a session is: its status or, once it is decided, the decision. */
export const ReviewStanding = Schema.Literal("pending", "proposed", ...Decision.literals).annotations({
  identifier: "KycReviewStanding"
})
export type ReviewStanding = typeof ReviewStanding.Type

/** How long a claim lasts after each call, in minutes. */
export const claimMinutes = 15

const by = "A user's id, or `api` for a platform key."

/** What the partner reads of a session's review (contract.md#reviews). */
export const Review = Schema.Struct({
  status: ReviewStatus,
  decision: Schema.NullOr(Decision),
  reasons: Schema.Array(Schema.String).annotations({ description: "Codes; empty until it is decided." }),
  decided_at: Schema.NullOr(Timestamp),
  decided_by: Schema.NullOr(Schema.String).annotations({ description: by })
}).annotations({ identifier: "KycReview" })
export type Review = typeof Review.Type

const Email = Schema.NullOr(Schema.String).annotations({
  description: "The user's address; null of a platform key and of a removed user."
})

/** A review with all that reviewers need of it. */
export const ReviewDetails = Schema.Struct({
  session_id: Schema.String,
  instance_id: Schema.String,
  instance_name: Schema.String,
  mode: Schema.Literal("prod", "dev"),
  external_reference: Schema.NullOr(Schema.String),
  flags: Flags,
  ...Review.fields,
  decided_by_email: Email,
  waiting_since: Timestamp.annotations({ description: "When the session was completed." }),
  claim: Schema.NullOr(
    Schema.Struct({ user_id: Schema.String, email: Schema.String, until: Timestamp })
  ).annotations({ description: "Who is reviewing the session now." }),
  proposal: Schema.NullOr(
    Schema.Struct({
      decision: Decision,
      reasons: Schema.Array(Schema.String),
      steps: Schema.Array(Schema.String),
      proposed_at: Timestamp,
      proposed_by: Schema.String.annotations({ description: by }),
      proposed_by_email: Email
    })
  ).annotations({ description: "With four eyes: the first decision." }),
  previous_session_id: Schema.NullOr(Schema.String),
  next_session_id: Schema.NullOr(Schema.String)
}).annotations({ identifier: "KycReviewDetails" })
export type ReviewDetails = typeof ReviewDetails.Type

/** The id of a step of a workflow. */
const StepId = Schema.String.pipe(Schema.pattern(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/))

/** What a reviewer of a session may choose from, by the config and the workflow of the session. */
export const ReviewOptions = Schema.Struct({
  four_eyes: Schema.Boolean,
  reasons: Schema.Array(Schema.Struct({ code: Schema.String, text: Schema.String })),
  steps: Schema.Array(Schema.Struct({ id: StepId, type: Schema.String })).annotations({
    description: "The steps that a resubmission may ask for."
  })
}).annotations({ identifier: "KycReviewOptions" })
export type ReviewOptions = typeof ReviewOptions.Type

/** What lists of sessions and reviews can be filtered by. */
export const ReviewChoices = Schema.Struct({
  instances: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })).annotations({
    description: "By name, at most 5,000."
  }),
  reviewers: Schema.Array(Schema.Struct({ id: Schema.String, email: Schema.String })).annotations({
    description: "The users who have claimed a review or decided on one, by email address, at most 5,000."
  })
}).annotations({ identifier: "KycReviewChoices" })
export type ReviewChoices = typeof ReviewChoices.Type

/** A note of the company about one of its sessions. The end user never sees it. */
export const Note = Schema.Struct({
  id: Schema.String,
  text: Schema.String,
  written_by: Schema.String.annotations({ description: by }),
  written_by_email: Email,
  created_at: Timestamp
}).annotations({ identifier: "KycSessionNote" })
export type Note = typeof Note.Type

/** A decision as it is asked for. */
export interface DecisionRequest {
  readonly decision: Decision
  /** Codes of the instance's config. */
  readonly reasons?: ReadonlyArray<string> | undefined
  readonly note?: string | undefined
  /** Of a resubmission: the ids of the steps to ask for again. */
  readonly steps?: ReadonlyArray<string> | undefined
  /** Of a resubmission: the lifetime of the new session. */
  readonly expiresInSeconds?: number | undefined
}

/** Who decides or writes, as it is stored. All platform keys together count as one person. */
export const partyOf = (by: Actor): string => (by.kind === "user" ? by.id : "api")
