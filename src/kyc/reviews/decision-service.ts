import { Effect, Option } from "effect"
import { RoleForbidden } from "../../accounts/errors.ts"
import type { ActingUser, Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { reviewSettings } from "../instances/settings-model.ts"
import { noSession, type SessionNotFound } from "../sessions/errors.ts"
import { SessionLifecycle } from "../sessions/lifecycle-service.ts"
import { restrictedWorkflow } from "../sessions/restricted-workflow-model.ts"
import { Successors, successorLifeSeconds } from "../sessions/successor-service.ts"
import { DecisionRepo, type LockedReview } from "./decision-repo.ts"
import { confirms, mustBeAnother, mustBeFree, mustBeUndecided, mustNotHaveLink } from "./decision-rules.ts"
import { NoResubmission, ReasonUnknown, SessionNotReviewable, StepUnknown } from "./errors.ts"
import { type DecisionRequest, partyOf, type ReviewDetails } from "./model.ts"
import { NoteRepo } from "./notes-repo.ts"
import { SessionNotes } from "./notes-service.ts"
import { ReviewRepo } from "./repo.ts"

/** The session's key is missing: nothing more can be sealed, and no answer carried over. Such a session reads like a redacted one. */
const dataLost = () => new SessionNotReviewable()

/** Claims of completed sessions, decisions on them, and what follows from these (contract.md#review-decision). */
export class Decisions extends Effect.Service<Decisions>()("Decisions", {
  dependencies: [DecisionRepo.Default, ReviewRepo.Default, SessionNotes.Default, NoteRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* DecisionRepo
    const reviews = yield* ReviewRepo
    const notes = yield* SessionNotes
    const noteRepo = yield* NoteRepo
    const audit = yield* Audit
    const successors = yield* Successors
    const lifecycle = yield* SessionLifecycle

    /** The user who acts, or who created the key that does; null if the operator created it. */
    const personOf = (by: Actor): Effect.Effect<string | null> => {
      if (by.kind === "user") return Effect.succeed(by.id)
      return by.kind === "operator"
        ? Effect.succeed(null)
        : Effect.map(repo.creatorOf(by.companyId, by.id), Option.getOrNull)
    }

    /** A user who is removed or demoted meanwhile either acts before that, or not at all. */
    const mustStillReview = (by: Actor): Effect.Effect<void, RoleForbidden> =>
      by.kind === "user"
        ? Effect.filterOrFail(repo.mayReview(by.companyId, by.id), Boolean, () => new RoleForbidden()).pipe(
            Effect.asVoid
          )
        : Effect.void

    /** The review, for an act of this user or platform key. Nobody can judge what is redacted. */
    const locked = (
      by: Actor,
      id: string
    ): Effect.Effect<LockedReview, SessionNotFound | SessionNotReviewable | RoleForbidden> =>
      Effect.flatMap(
        Effect.zipRight(mustStillReview(by), repo.lock(by.companyId, id)),
        Option.match({
          onSome: (review) =>
            review.redacted ? Effect.fail(new SessionNotReviewable()) : Effect.succeed(review),
          onNone: () =>
            reviews
              .findDocuments(by.companyId, id)
              .pipe(foundOr(noSession), Effect.zipRight(Effect.fail(new SessionNotReviewable())))
        })
      )

    /** After the transaction of an act: the review may have gone with the session's data since. */
    const found = (companyId: string, id: string): Effect.Effect<ReviewDetails, SessionNotReviewable> =>
      reviews.find(companyId, id).pipe(foundOr(() => new SessionNotReviewable()))

    /**
     * Claims the session, or renews the own claim. Fails with `RoleForbidden`, `SessionNotFound`, `SessionNotReviewable`,
     * `SessionAlreadyDecided`, `AnotherPersonNeeded`, or `SessionClaimed` while it is another user's.
     */
    const claim = Effect.fnUntraced(function* (by: ActingUser, sessionId: string) {
      const id = yield* idOr(sessionId, noSession)
      yield* Effect.gen(function* () {
        const review = yield* locked(by, id)
        yield* mustBeUndecided(review)
        yield* mustBeAnother(review, by, by.id)
        yield* mustNotHaveLink(review, by, by.id)
        yield* mustBeFree(review, by)
        const isRenewal = review.claimed_by === by.id
        yield* isRenewal ? repo.renew(id) : repo.claim(id, by.id)
        return { isRenewal }
      }).pipe(
        audit.recording(by, ({ isRenewal }) =>
          isRenewal ? [] : [{ action: "kyc_session.claimed", id, name: null }]
        )
      )
      return yield* found(by.companyId, id)
    })

    /** Gives up the own claim; without one, nothing changes. Fails as `claim` does. */
    const release = Effect.fnUntraced(function* (by: ActingUser, sessionId: string) {
      const id = yield* idOr(sessionId, noSession)
      yield* Effect.gen(function* () {
        const review = yield* locked(by, id)
        yield* mustBeUndecided(review)
        yield* mustBeFree(review, by)
        const isHeld = review.claimed_by === by.id
        if (isHeld) yield* repo.release(id, by.id)
        return { isHeld }
      }).pipe(
        audit.recording(by, ({ isHeld }) =>
          isHeld ? [{ action: "kyc_session.released", id, name: null }] : []
        )
      )
      return yield* found(by.companyId, id)
    })

    /**
     * Decides on a session. With four eyes it proposes the decision, or replaces the proposal, unless that is the same. Of concurrent decisions, one wins. Fails
     * with `RoleForbidden`, `SessionNotFound`, `SessionNotReviewable`, `SessionAlreadyDecided`, `AnotherPersonNeeded`, `SessionClaimed`,
     * `ReasonUnknown` or `StepUnknown`.
     */
    const decide = Effect.fnUntraced(function* (by: Actor, sessionId: string, request: DecisionRequest) {
      const id = yield* idOr(sessionId, noSession)
      const { decision, expiresInSeconds, note, reasons = [] } = request
      const party = partyOf(by)
      const person = yield* personOf(by)
      // Before the transaction, which locks the session.
      const noted = note === undefined ? Option.none() : yield* notes.sealed(by, id, note)
      const { verificationUrl } = yield* Effect.gen(function* () {
        // Before the review: a removal locks in this order, too. A key confirms only as long as its creator may review.
        const mayConfirm =
          by.kind === "api_key" && person !== null ? yield* repo.mayReview(by.companyId, person) : true
        const review = yield* locked(by, id)
        yield* mustBeUndecided(review)
        yield* mustBeAnother(review, by, mayConfirm ? person : null)
        yield* mustNotHaveLink(review, by, person)
        yield* mustBeFree(review, by)
        const settings = reviewSettings(review.config)
        const known = new Set(settings.reasons.map(({ code }) => code))
        if (!reasons.every((code) => known.has(code))) return yield* new ReasonUnknown()
        const restricted =
          decision === "resubmission"
            ? yield* restrictedWorkflow(review.workflow, request.steps ?? []).pipe(
                Effect.mapError(() => new StepUnknown())
              )
            : undefined
        if (note !== undefined) {
          yield* Effect.succeed(noted).pipe(
            foundOr(dataLost),
            Effect.flatMap(noteRepo.add),
            foundOr(dataLost)
          )
        }
        const verdict = { sessionId: id, decision, reasons, by: party }
        const steps = restricted?.steps ?? []
        if (settings.fourEyes && !confirms(review, decision, steps)) {
          yield* repo.propose({ ...verdict, steps, person })
          return {
            action: "kyc_session.review_proposed" as const,
            steps,
            nextId: undefined,
            verificationUrl: undefined
          }
        }
        const successor =
          restricted === undefined
            ? undefined
            : yield* Effect.mapError(successors.create(by, id, restricted, expiresInSeconds), dataLost)
        yield* repo.decide(verdict)
        return {
          action: "kyc_session.reviewed" as const,
          steps,
          nextId: successor?.id,
          verificationUrl: successor?.verificationUrl
        }
      }).pipe(
        audit.recording(by, ({ action, nextId, steps }) => {
          const creator = by.kind === "api_key" ? { key_created_by: person } : {}
          return [
            ...(note === undefined ? [] : [{ action: "kyc_session.noted" as const, id, name: null }]),
            {
              action,
              id,
              name: null,
              details: {
                decision,
                reasons,
                ...creator,
                ...(steps.length > 0 ? { steps } : {}),
                ...(nextId === undefined ? {} : { next_session_id: nextId })
              }
            },
            ...(nextId === undefined
              ? []
              : [{ action: "kyc_session.link_shown" as const, id: nextId, name: null, details: creator }])
          ]
        })
      )
      return {
        review: yield* found(by.companyId, id),
        ...(verificationUrl === undefined ? {} : { verificationUrl })
      }
    })

    /**
     * A new link for the session that a resubmission created: the decision returns its link only once. The link before it stops working,
     * and the lifetime starts anew. Fails with `SessionNotFound`, `NoResubmission`, or `SessionNotUpdatable` if the new session is
     * finished or redacted.
     */
    const renewLink = Effect.fnUntraced(function* (
      by: Actor,
      sessionId: string,
      expiresInSeconds = successorLifeSeconds
    ) {
      const id = yield* idOr(sessionId, noSession)
      const successor = yield* reviews.findSuccessor(by.companyId, id).pipe(foundOr(noSession))
      if (successor.id === null) return yield* new NoResubmission()
      const { session, verificationUrl } = yield* lifecycle
        .resume(by, successor.id, expiresInSeconds)
        // It gets a new lifetime.
        .pipe(Effect.catchTag("SessionExpired", Effect.die))
      return { session, verificationUrl }
    })

    return { claim, release, decide, renewLink }
  })
}) {}
