import { Schema } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Timestamp } from "../../shared/schemas.ts"
import { FailedRules, Flags } from "../sessions/flags-model.ts"

export const Decision = Schema.Literal("approved", "declined", "resubmission").annotations({
  identifier: "KycReviewDecision",
  description: "`resubmission`: the person has to do some steps again, in a new session."
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
  decision: Schema.NullOr(Decision).annotations({
    description:
      "Null until it is decided. `resubmission`: the person has to do some steps again, in a new session."
  }),
  reasons: Schema.Array(Schema.String).annotations({
    description: "Codes of the config's `review.reasons`; empty until it is decided."
  }),
  decided_at: Schema.NullOr(Timestamp).annotations({ description: "Null until it is decided." }),
  decided_by: Schema.NullOr(Schema.String).annotations({ description: `${by} Null until it is decided.` })
}).annotations({ identifier: "KycReview" })
export type Review = typeof Review.Type

const Email = Schema.NullOr(Schema.String).annotations({
  description: "The user's email address; null for a platform key and for a removed user."
})

/** A review with all that reviewers need of it. */
export const ReviewDetails = Schema.Struct({
  session_id: Schema.String,
  instance_id: Schema.String,
  instance_name: Schema.String,
  mode: Schema.Literal("prod", "dev").annotations({
    description: "`prod`: a real verification. `dev`: a test."
  }),
  external_reference: Schema.NullOr(Schema.String).annotations({
    description: "The `externalReference` of the session's creation; null if there was none."
  }),
  flags: Flags,
  failed_rules: FailedRules,
  ...Review.fields,
  decided_by_email: Email,
  waiting_since: Schema.propertySignature(Timestamp).annotations({
    description: "When the session was completed."
  }),
  claim: Schema.NullOr(
    Schema.Struct({
      user_id: Schema.String,
      email: Schema.String,
      until: Schema.propertySignature(Timestamp).annotations({
        description: "When the claim ends, unless it is renewed."
      })
    })
  ).annotations({ description: "Who is reviewing the session now; null if nobody is." }),
  proposal: Schema.NullOr(
    Schema.Struct({
      decision: Decision,
      reasons: Schema.Array(Schema.String).annotations({
        description: "Codes of the config's `review.reasons`."
      }),
      steps: Schema.Array(Schema.String).annotations({
        description: "For a resubmission: the ids of the steps to ask for again; otherwise empty."
      }),
      proposed_at: Timestamp,
      proposed_by: Schema.String.annotations({ description: by }),
      proposed_by_email: Email
    })
  ).annotations({
    description: "With four eyes, the decision that was proposed last; null if none was."
  }),
  previous_session_id: Schema.NullOr(Schema.String).annotations({
    description: "The session whose review asked for this one; null if none did."
  }),
  next_session_id: Schema.NullOr(Schema.String).annotations({
    description: "The session that the review of this one asked for; null if it asked for none."
  }),
  link_shown_to: Schema.Array(
    Schema.Struct({ by: Schema.String.annotations({ description: by }), email: Email })
  ).annotations({
    description:
      "Who was shown a link to this session, or to one from which its answers are carried over, after it was asked for again or resumed, and so could have answered in it. With four eyes, none of them decides on it."
  })
}).annotations({ identifier: "KycReviewDetails" })
export type ReviewDetails = typeof ReviewDetails.Type

/** The id of a step of a workflow. */
const StepId = Schema.String.pipe(Schema.pattern(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/))

/** What a reviewer of a session may choose from, by the config and the workflow of the session. */
export const ReviewOptions = Schema.Struct({
  four_eyes: Schema.Boolean.annotations({ description: "Whether two people have to decide." }),
  reasons: Schema.Array(
    Schema.Struct({
      code: Schema.String.annotations({ description: "What a decision names in `reasons`." }),
      text: Schema.String.annotations({ description: "What reviewers read." })
    })
  ).annotations({ description: "The reasons that a decision may name, from the config." }),
  steps: Schema.Array(
    Schema.Struct({
      id: StepId,
      type: Schema.String.annotations({ description: "The type of the step, such as `form`." })
    })
  ).annotations({
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

/** How many notes a session may have, besides those of decisions. */
export const mostNotes = 1_000

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
