/** Who may decide on a review, and when. */
import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { reviewSettings } from "../instances/settings-model.ts"
import type { LockedReview } from "./decision-repo.ts"
import { AnotherPersonNeeded, SessionAlreadyDecided, SessionClaimed } from "./errors.ts"
import { type Decision, partyOf } from "./model.ts"

export const mustBeUndecided = ({ status }: LockedReview): Effect.Effect<void, SessionAlreadyDecided> =>
  status === "decided" ? Effect.fail(new SessionAlreadyDecided()) : Effect.void

/**
 * A proposal waits for another person than the one who made it. A key counts as the user who created it, or else a user could confirm
 * the own proposal with a key. A key whose creator is unknown confirms nothing, and no key confirms what a key has proposed.
 */
export const mustBeAnother = (
  { proposed_by, proposed_person, status }: LockedReview,
  by: Actor,
  person: string | null
): Effect.Effect<void, AnotherPersonNeeded> => {
  if (status !== "proposed") return Effect.void
  const proposers = [proposed_person, proposed_by]
  const isAnother = person !== null && !proposers.includes(person) && !proposers.includes(partyOf(by))
  return isAnother ? Effect.void : Effect.fail(new AnotherPersonNeeded())
}

/**
 * With four eyes, nobody decides who was shown a link to the session, because they could have answered in it. A key counts as the user who
 * created it, and all keys as one party.
 */
export const mustNotHaveLink = (
  { config, link_shown_to }: LockedReview,
  by: Actor,
  person: string | null
): Effect.Effect<void, AnotherPersonNeeded> =>
  reviewSettings(config).fourEyes &&
  [person, partyOf(by)].some((one) => link_shown_to.some((shown) => shown === one))
    ? Effect.fail(new AnotherPersonNeeded())
    : Effect.void

/** Whether it is the decision that was proposed: for a resubmission, with the same steps. The reasons are those of who confirms. */
export const confirms = (
  { proposal, proposal_steps, status }: LockedReview,
  decision: Decision,
  steps: ReadonlyArray<string>
): boolean =>
  // Ids of steps have no comma.
  status === "proposed" && proposal === decision && (proposal_steps ?? []).join() === steps.join()

/** A claim keeps other users out, but no platform key. */
export const mustBeFree = ({ claimed_by }: LockedReview, by: Actor): Effect.Effect<void, SessionClaimed> =>
  by.kind === "user" && claimed_by !== null && claimed_by !== by.id
    ? Effect.fail(new SessionClaimed({ userId: claimed_by }))
    : Effect.void
