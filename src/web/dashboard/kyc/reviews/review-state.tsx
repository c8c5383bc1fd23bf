import type { Answer } from "../../common/call.ts"
import { Badge, type Tone } from "../../common/parts.tsx"

export type Review = Answer<"reviews.list">["reviews"][number]
export type Options = Answer<"reviews.get">["options"]
export type Note = Answer<"reviews.listNotes">["notes"][number]
export type Decision = NonNullable<Review["decision"]>

export const reviewPath = (sessionId: string): string => `/dashboard/reviews/${encodeURIComponent(sessionId)}`

/** What a decision is called: what one does, and what is done. */
export const decisions = {
  approved: { act: "Approve", done: "Approved", tone: "good" },
  declined: { act: "Decline", done: "Declined", tone: "problem" },
  resubmission: { act: "Ask again", done: "Asked again", tone: "neutral" }
} as const satisfies Readonly<
  Record<Decision, { readonly act: string; readonly done: string; readonly tone: Tone }>
>

/** What a button says that decides, or that proposes a decision. */
export const actOf = (decision: Decision, proposes: boolean): string => {
  const { act } = decisions[decision]
  return proposes ? `Propose: ${act.toLowerCase()}` : act
}

/** The same once it is done. */
export const doneOf = (decision: Decision, proposes: boolean): string => {
  const { act, done } = decisions[decision]
  return proposes ? `Proposed: ${act.toLowerCase()}` : done
}

/** Whether the decision confirms the proposal. A resubmission has to name the same steps. */
export const isProposed = (
  { proposal }: Pick<Review, "proposal">,
  decision: Decision,
  steps: ReadonlyArray<string>
): boolean => proposal?.decision === decision && proposal.steps.join() === steps.join()

/** What a review is called that is not decided. */
export const undecided = { pending: "To review", proposed: "To be confirmed" } as const

/** What a session says of its review. */
export interface Reviewed {
  readonly status: Review["status"]
  readonly decision: Decision | null
}

export const ReviewState = ({ review: { decision, status } }: { readonly review: Reviewed }) => {
  if (decision !== null) {
    const { done, tone } = decisions[decision]
    return <Badge tone={tone}>{done}</Badge>
  }
  return <Badge tone="warning">{undecided[status === "proposed" ? "proposed" : "pending"]}</Badge>
}

/** Who has claimed a review, unless the claim is over. */
export const claimOf = ({ claim }: Review): Review["claim"] =>
  claim !== null && Date.parse(claim.until) > Date.now() ? claim : null

export const nameOf = ({ external_reference }: Pick<Review, "external_reference">): string =>
  external_reference || "Session without a reference"

/** Whether the user was shown a link to the session, so that others have to decide if two do. */
export const isBarred = ({ link_shown_to }: Review, { four_eyes }: Options, userId: string): boolean =>
  four_eyes && link_shown_to.some(({ by }) => by === userId)

/** Who has done something: a user, or the company's server by its key. */
export const person = (email: string | null, by: string | null): string =>
  email ?? (by === "api" ? "Your server" : "A former user")
