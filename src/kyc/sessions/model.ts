import { Schema, Struct } from "effect"
import { JsonObject, Timestamp } from "../../shared/schemas.ts"
import { Check } from "../checks/model.ts"
import { Review } from "../reviews/model.ts"
import { FailedRules, Flags } from "./flags-model.ts"

export const Mode = Schema.Literal("prod", "dev").annotations({
  description: "`prod`: a real verification. `dev`: a test."
})
export type Mode = typeof Mode.Type

export const Status = Schema.Literal("created", "running", "completed", "failed", "cancelled").annotations({
  description:
    "`created`: not started yet. `completed`, `failed` and `cancelled` are final. A session that expires keeps its status."
})
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

const ExternalReference = Schema.NullOr(Schema.String).annotations({
  description: "The `externalReference` of the creation, such as a customer number; null if there was none."
})

const ExpiresAt = Schema.propertySignature(Timestamp).annotations({
  description: "When the end user's access ends. The company can still read the session."
})

/** A session in the response to its creation (contract.md#session-object). */
export const CreatedSession = Schema.Struct({
  id: Schema.String,
  instance_id: Schema.String,
  company_id: Schema.String,
  mode: Mode,
  status: Status,
  external_reference: ExternalReference,
  expires_at: ExpiresAt,
  created_at: Timestamp
}).annotations({ identifier: "CreatedKycSession" })
export type CreatedSession = typeof CreatedSession.Type

/** A session with all its fields; config and workflow are those from its creation. */
export const Session = Schema.Struct({
  ...CreatedSession.fields,
  started_at: Schema.NullOr(Timestamp).annotations({
    description: "When the status first became `running`; null if it never did."
  }),
  updated_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp).annotations({
    description: "When the session was completed, failed or was cancelled; null until then."
  }),
  redacted_at: Schema.NullOr(Timestamp).annotations({
    description:
      "When the personal data was destroyed; null if it was not. From then on, `progress`, `result` and `metadata` are null."
  }),
  progress: Schema.NullOr(JsonObject).annotations({
    description:
      "What the end user has entered so far: `s_<step id>` has the answers of a step. Null after a redaction."
  }),
  result: Schema.Unknown.annotations({
    description:
      "What the browser sent when it finished the session; null if it sent nothing, and after a redaction."
  }),
  metadata: Schema.NullOr(JsonObject).annotations({
    description: "The `metadata` of the creation; null if there was none, and after a redaction."
  }),
  instance_config: JsonObject.annotations({
    description: "The instance's config when the session was created."
  }),
  instance_workflow: JsonObject.annotations({
    description: "The instance's workflow when the session was created."
  })
}).annotations({ identifier: "KycSession" })
export type Session = typeof Session.Type

/** What the server itself knows of a session, as opposed to what the browser claims (contract.md#assurance). */
export const Assurance = Schema.Struct({
  captcha: Schema.Struct({
    verified: Schema.Boolean.annotations({ description: "Whether a captcha token was accepted." }),
    score: Schema.NullOr(Schema.Number).annotations({
      description: "The score of the accepted token, from 0 (a bot) to 1 (a human); null if there is none."
    }),
    at: Schema.NullOr(Timestamp).annotations({
      description: "When the token was accepted; null if none was accepted."
    })
  }).annotations({ description: "The captcha that the end user solved." }),
  dedup: Schema.Struct({
    matchFound: Schema.Boolean.annotations({
      description:
        "Whether another session of the company checked the same document or person, besides those that this one resubmits or that resubmit it."
    }),
    seenCount: Schema.Number.annotations({
      description:
        "How many did, including this one; of several documents or persons, the highest number. 0 if nothing was checked in this session, or in one whose answers it carries on."
    }),
    earlierCompleted: Schema.Boolean.annotations({
      description:
        "Whether one of them that checked it before this session was completed, besides those of which this is a resubmission. If not, whoever holds the link of an unfinished session may have made the match."
    })
  }).annotations({ description: "The dedup checks of the session." }),
  requiredStepsPresent: Schema.Boolean.annotations({
    description:
      "Whether every required step has a whole answer: in `progress`, with all that the page asks for, and files of this session. From completion on, as it was then; false after a redaction."
  }),
  missingSteps: Schema.Array(Schema.String).annotations({
    description: "Ids of the required steps without a whole answer; empty after a redaction."
  }),
  durationMs: Schema.NullOr(Schema.Number).annotations({
    description: "Milliseconds from `started_at`, or else `created_at`, to `completed_at`; null until then."
  })
}).annotations({
  identifier: "Assurance",
  description: "What the server itself knows about the session. The browser cannot write it."
})
export type Assurance = typeof Assurance.Type

/** What a company reads of a session in each way. */
const PartnerSession = Schema.Struct({
  ...Session.fields,
  first_workflow: Schema.NullOr(JsonObject).annotations({
    description:
      "If the session asks for some steps again: the workflow of the first session, which has all steps. `progress` has the answers to them. " +
      "Null for all other sessions."
  }),
  flags: Flags,
  failed_rules: FailedRules,
  assurance: Assurance,
  review: Schema.NullOr(Review).annotations({
    description: "Null unless the session is completed and its instance has a review."
  }),
  previous_session_id: Schema.NullOr(Schema.String).annotations({
    description: "The session whose review asked for this one; null if none did."
  }),
  next_session_id: Schema.NullOr(Schema.String).annotations({
    description: "The session that the review of this one asked for; null if it asked for none."
  })
})

/** What a list of sessions leaves out unless it is asked for: it is large, and hardly differs between the sessions of an instance. */
export const Included = Schema.Literal("instance_config", "instance_workflow")
export type Included = typeof Included.Type

/** A session in a list. */
export const ListedSession = Schema.Struct({
  ...Struct.omit(PartnerSession.fields, ...Included.literals),
  instance_config: Schema.optional(
    JsonObject.annotations({
      description:
        "The instance's config when the session was created; of a resubmission, that of the session before. Absent unless `include` names it."
    })
  ),
  instance_workflow: Schema.optional(
    JsonObject.annotations({
      description: "The instance's workflow when the session was created; absent unless `include` names it."
    })
  )
}).annotations({ identifier: "ListedKycSession" })
export type ListedSession = typeof ListedSession.Type

/** A session as it is read alone. */
export const CheckedSession = Schema.Struct({
  ...PartnerSession.fields,
  checks: Schema.Array(Check).annotations({
    description:
      "What doorlock itself saw in the photos, in the order in which to show it. Empty unless the session is completed; always empty if `checks.photos` in its config is false; the event `kyc.checks.completed` says when the checks are done."
  })
}).annotations({ identifier: "CheckedKycSession" })
export type CheckedSession = typeof CheckedSession.Type

/** The stored facts of an `Assurance`, which no client can write. */
export const Evidence = Schema.Struct({
  captcha_verified_at: Schema.NullOr(Schema.DateFromSelf),
  captcha_score: Schema.NullOr(Schema.Number),
  /** The highest number of sessions in which any of this session's key hashes was seen; 0 if none was checked. */
  dedup_seen_count: Schema.Number,
  /** Whether a session of another case had checked one of the key hashes before, and was completed. */
  dedup_earlier_completed: Schema.Boolean,
  missing_steps: Schema.NullOr(Schema.Array(Schema.String))
})

export const assurance = (
  session: Pick<Session, "completed_at" | "created_at" | "progress" | "started_at"> & typeof Evidence.Type
): Assurance => {
  const began = session.started_at ?? session.created_at
  const { captcha_score: score, captcha_verified_at: at, dedup_seen_count: seenCount } = session
  const missing = session.progress === null ? null : session.missing_steps
  return {
    captcha: { verified: at !== null, score, at },
    dedup: { matchFound: seenCount > 1, seenCount, earlierCompleted: session.dedup_earlier_completed },
    requiredStepsPresent: missing?.length === 0,
    missingSteps: missing ?? [],
    durationMs: session.completed_at === null ? null : session.completed_at.getTime() - began.getTime()
  }
}

/** A session without anything that its end user entered or its partner attached, for callers who may not read that. */
export const SessionOverview = Schema.Struct({
  ...CreatedSession.fields,
  ...Session.pick("started_at", "updated_at", "completed_at").fields
}).annotations({ identifier: "KycSessionOverview" })
export type SessionOverview = typeof SessionOverview.Type
