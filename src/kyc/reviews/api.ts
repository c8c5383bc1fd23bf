import { Schema } from "effect"
import { roleForbidden, user } from "../../accounts/guards.ts"
import { fails } from "../../http/contract/error-responses.ts"
import {
  anyText,
  arrayOf,
  integer,
  NextCursor,
  optional,
  optionalNullable,
  pageCursor,
  pageLimit,
  refusing,
  required,
  trimmedText
} from "../../http/contract/fields.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { sessionNotFound, sessionNotUpdatable } from "../sessions/guards.ts"
import { SessionOverview } from "../sessions/model.ts"
import {
  AnotherPersonNeeded,
  NoResubmission,
  ReasonUnknown,
  SessionAlreadyDecided,
  SessionClaimed,
  SessionNotReviewable,
  StepUnknown,
  TooManyNotes
} from "./errors.ts"
import { examples } from "./examples.ts"
import {
  claimMinutes,
  Decision,
  mostNotes,
  Note,
  ReviewChoices,
  ReviewDetails,
  ReviewOptions,
  ReviewStatus
} from "./model.ts"

const noteLength = 4000

const codes = (field: string, most: number, what: string) =>
  arrayOf(Schema.String, most, `${field} must be an array of at most ${most} ${what}`)

const Decide = Schema.Struct({
  decision: required(Decision, "decision must be one of approved, declined, resubmission"),
  reasons: optional(
    codes("reasons", 20, "reason codes").annotations({
      description: "Codes of `review.reasons` in the config of the session's instance."
    })
  ),
  note: optionalNullable(trimmedText("note", noteLength, "note must not be empty")).annotations({
    description: "Stored as a note of the session, which the end user never sees."
  }),
  steps: optional(
    codes("steps", 50, "step ids").annotations({
      description: "Required for a resubmission: the steps to ask for again."
    })
  ),
  expiresInSeconds: optionalNullable(
    integer("expiresInSeconds", 1, 2_592_000).annotations({
      description: "For a resubmission: the lifetime of the new session. Default: seven days."
    })
  )
}).annotations({ identifier: "DecideKycReview" })

const RenewLink = Schema.Struct({
  expiresInSeconds: optionalNullable(
    integer("expiresInSeconds", 1, 2_592_000).annotations({
      description: "The new lifetime of the session that the link opens. Default: seven days."
    })
  )
}).annotations({ identifier: "RenewKycResubmissionLink" })

const ListReviews = Schema.Struct({
  status: optional(
    refusing(
      ReviewStatus.annotations({ description: "Default: pending and proposed." }),
      "status must be one of pending, proposed, decided",
      "review-status-invalid"
    )
  ),
  instanceId: anyText("instanceId", "Only sessions of the KYC instance with this id."),
  reviewer: anyText(
    "reviewer",
    "The id of a user. Among pending and proposed reviews: only those that this user has claimed. Among decided ones: only those " +
      "that this user, or `api`, has decided."
  ),
  cursor: pageCursor,
  limit: pageLimit
})

const OneReview = Schema.Struct({ review: ReviewDetails })

const notReviewable = fails(SessionNotReviewable, 409, "Session is not reviewable")
const decided = fails(SessionAlreadyDecided, 409, "Session is already decided")
const claimed = fails(SessionClaimed, 409, "Session is being reviewed by somebody else", {
  headers: ({ userId }) => ({ "doorlock-reviewer": userId })
})
const needsAnother = fails(AnotherPersonNeeded, 403, "Another person has to confirm")

/** Reviews of completed sessions (contract.md#reviews). */
export class ReviewsApi extends routeGroup(
  "kyc-reviews",
  {
    title: "KYC reviews",
    description:
      "What the company decides on its completed sessions, and its notes about them. The sessions of an instance are reviewed if " +
      "the review mode in its config is `manual`.",
    examples
  },
  route("list", "GET /api/kyc/reviews", {
    summary: "List reviews: by default those that wait for a decision, longest waiting first",
    description: "With `status=decided`: the latest decision first. `next_cursor` is null on the last page.",
    access: keyOrUser("kyc:reviews:read", "any"),
    query: ListReviews,
    success: Schema.Struct({
      reviews: Schema.Array(ReviewDetails),
      next_cursor: NextCursor
    }),
    unexpected: "Failed to list reviews",
    compressed: true
  }),
  route("choices", "GET /api/kyc/reviews/choices", {
    summary: "List the choices for filters: the company's instances and reviewers",
    access: keyOrUser("kyc:reviews:read", "any"),
    success: ReviewChoices,
    unexpected: "Failed to list choices",
    compressed: true
  }),
  route("get", "GET /api/kyc/sessions/:id/review", {
    summary: "Read the review of a session, and what a decision may name",
    description: "`review` is null if the session is not completed or its instance has no review.",
    access: keyOrUser("kyc:reviews:read", "any"),
    ids: { id: "the session" },
    success: Schema.Struct({
      review: Schema.NullOr(ReviewDetails).annotations({
        description: "Null unless the session is completed and its instance has a review."
      }),
      options: ReviewOptions
    }),
    errors: [sessionNotFound],
    unexpected: "Failed to get review",
    compressed: true
  }),
  route("claim", "POST /api/kyc/sessions/:id/review/claim", {
    summary: `Claim a session for ${claimMinutes} minutes, or renew your own claim`,
    description:
      "Until the claim ends, no other user can decide on the session. If another user has claimed it, the response is 409, with their id in the header `doorlock-reviewer`.",
    access: user("review"),
    ids: { id: "the session" },
    success: OneReview,
    errors: [roleForbidden, needsAnother, sessionNotFound, notReviewable, decided, claimed],
    unexpected: "Failed to claim session"
  }),
  route("release", "POST /api/kyc/sessions/:id/review/release", {
    summary: "Release your claim",
    access: user("review"),
    ids: { id: "the session" },
    success: OneReview,
    errors: [roleForbidden, sessionNotFound, notReviewable, decided, claimed],
    unexpected: "Failed to release session"
  }),
  route("decide", "POST /api/kyc/sessions/:id/review", {
    summary: "Decide on a completed session",
    description:
      "A decision is final; if two arrive at once, one wins. With four eyes, the first decision is a proposal: the same one by another " +
      "person is final, and a different one replaces it. A platform key counts as the user who created it; a key that the operator created cannot confirm or replace, and " +
      "no key can confirm the proposal of a key. `resubmission` creates a session that asks only for `steps` and takes over " +
      "all other answers; send the end user to `verificationUrl`. A claim keeps other users from deciding, but not platform keys.",
    access: keyOrUser("kyc:reviews:write", "review"),
    ids: { id: "the session" },
    body: Decide,
    success: Schema.Struct({
      review: ReviewDetails,
      verificationUrl: optional(
        Schema.String.annotations({
          description:
            "After a decided resubmission: where to send the end user. It is returned only once; `POST /api/kyc/sessions/:id/review/link` creates another one."
        })
      )
    }),
    errors: [
      fails(ReasonUnknown, 400, "reasons must be codes of the instance's review reasons"),
      fails(StepUnknown, 400, "steps must name steps of the session's workflow"),
      roleForbidden,
      needsAnother,
      sessionNotFound,
      notReviewable,
      decided,
      claimed
    ],
    unexpected: "Failed to decide on session"
  }),
  route("renewLink", "POST /api/kyc/sessions/:id/review/link", {
    summary: "Get a new link for a resubmission",
    description:
      "The response to a decision has the link only once; this creates another. The previous link stops working at once, an open " +
      "handoff ends, and the lifetime starts anew, even if the new session has expired. `session` is the new one.",
    access: keyOrUser("kyc:reviews:write", "review"),
    ids: { id: "the session whose review asked for steps again" },
    body: RenewLink,
    success: Schema.Struct({
      session: SessionOverview,
      verificationUrl: Schema.String.annotations({
        description: "Where to send the end user. It is returned only once."
      })
    }),
    errors: [sessionNotFound, fails(NoResubmission, 409, "Session has no resubmission"), sessionNotUpdatable],
    unexpected: "Failed to get new link"
  }),
  route("listNotes", "GET /api/kyc/sessions/:id/notes", {
    summary: "List the notes about a session, oldest first",
    access: keyOrUser("kyc:reviews:read", "any"),
    ids: { id: "the session" },
    success: Schema.Struct({ notes: Schema.Array(Note) }),
    errors: [sessionNotFound],
    unexpected: "Failed to list notes",
    compressed: true
  }),
  route("addNote", "POST /api/kyc/sessions/:id/notes", {
    summary: "Add a note to a session",
    description: `Notes cannot be changed. They are removed only with the session's personal data. The end user never sees them. A session may have ${mostNotes}, besides those of decisions.`,
    access: user("review"),
    ids: { id: "the session" },
    body: Schema.Struct({
      text: required(trimmedText("text", noteLength)).annotations({
        description: `At most ${noteLength} characters.`
      })
    }).annotations({
      identifier: "AddKycSessionNote"
    }),
    success: created(Schema.Struct({ note: Note })),
    errors: [sessionNotFound, sessionNotUpdatable, fails(TooManyNotes, 429, "Too many notes")],
    unexpected: "Failed to add note"
  })
) {}
