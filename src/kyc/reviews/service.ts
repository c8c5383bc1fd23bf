import { Effect, Option } from "effect"
import { RoleForbidden } from "../../accounts/errors.ts"
import type { ActingUser, Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { openText, sealText } from "../../secrets/data-keys.ts"
import { type Cursor, writeCursor } from "../../shared/cursor.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId, parseId } from "../../shared/identifier.ts"
import { reviewSettings } from "../instances/settings-model.ts"
import { noSession, type SessionNotFound, SessionNotUpdatable } from "../sessions/errors.ts"
import { SessionKeys } from "../sessions/keys-service.ts"
import { SessionLifecycle } from "../sessions/lifecycle-service.ts"
import { restrictedWorkflow, stepsToAsk } from "../sessions/restricted-workflow-model.ts"
import { Successors, successorLifeSeconds } from "../sessions/successor-service.ts"
import {
  AnotherPersonNeeded,
  NoResubmission,
  ReasonUnknown,
  SessionAlreadyDecided,
  SessionClaimed,
  SessionNotReviewable,
  StepUnknown
} from "./errors.ts"
import type { DecisionRequest, ReviewChoices, ReviewDetails, ReviewOptions, ReviewStatus } from "./model.ts"
import { type LockedReview, ReviewRepo } from "./repo.ts"

interface ReviewQuery {
  readonly status?: ReviewStatus | undefined
  readonly instanceId?: string | undefined
  readonly reviewer?: string | undefined
  readonly cursor?: Cursor | undefined
  readonly limit: number
}

/** Who decides, as it is stored and shown. */
const partyOf = (by: Actor): string => (by.kind === "user" ? by.id : "api")

/** Where a note's text is, for its sealing. */
const placeOf = (noteId: string): string => `note ${noteId}`

const mustBeUndecided = ({ status }: LockedReview): Effect.Effect<void, SessionAlreadyDecided> =>
  status === "decided" ? Effect.fail(new SessionAlreadyDecided()) : Effect.void

/**
 * A proposal waits for another person than the one who made it. A key counts as the user who created it, or else a user could confirm
 * the own proposal with a key. A key whose creator is unknown confirms nothing, and no key confirms what a key has proposed.
 */
const mustBeAnother = (
  { proposed_by, proposed_person, status }: LockedReview,
  by: Actor,
  person: string | null
): Effect.Effect<void, AnotherPersonNeeded> => {
  if (status !== "proposed") return Effect.void
  const isAnother = person !== null && person !== proposed_person && partyOf(by) !== proposed_by
  return isAnother ? Effect.void : Effect.fail(new AnotherPersonNeeded())
}

/** A claim keeps other users out, but no platform key. */
const mustBeFree = ({ claimed_by }: LockedReview, by: Actor): Effect.Effect<void, SessionClaimed> =>
  by.kind === "user" && claimed_by !== null && claimed_by !== by.id
    ? Effect.fail(new SessionClaimed({ userId: claimed_by }))
    : Effect.void

/** What a company decides on its completed sessions, and its notes about them (contract.md#reviews). */
export class Reviews extends Effect.Service<Reviews>()("Reviews", {
  dependencies: [ReviewRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* ReviewRepo
    const audit = yield* Audit
    const successors = yield* Successors
    const keys = yield* SessionKeys
    const lifecycle = yield* SessionLifecycle

    /** A new note as it is stored, its text sealed under the session's key. None: the session is unknown or redacted. */
    const newNote = (by: Actor, sessionId: string, text: string) =>
      Effect.map(
        keys.ofCompany(by.companyId, sessionId),
        Option.map((key) => {
          const id = newId()
          return {
            id,
            companyId: by.companyId,
            sessionId,
            text: sealText(key, placeOf(id), text),
            written_by: partyOf(by)
          }
        })
      )

    /** Waiting reviews, longest waiting first; decided ones, latest first. A malformed id is like an unknown one. */
    const list = Effect.fnUntraced(function* (companyId: string, query: ReviewQuery) {
      const { limit } = query
      const instanceId = query.instanceId === undefined ? undefined : parseId(query.instanceId)
      const reviewer = query.reviewer === "api" ? "api" : parseId(query.reviewer ?? "")
      const isUnknown =
        (query.instanceId !== undefined && instanceId === undefined) ||
        (query.reviewer !== undefined && reviewer === undefined)
      if (isUnknown) return { reviews: [], next_cursor: null }
      const found = yield* repo.list({ ...query, companyId, instanceId, reviewer })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      return {
        reviews: page.map(({ review }) => review),
        next_cursor:
          last === undefined ? null : writeCursor({ createdAt: last.orderedAt, id: last.review.session_id })
      }
    })

    const choices = (companyId: string): Effect.Effect<ReviewChoices> =>
      Effect.all(
        { instances: repo.instances(companyId), reviewers: repo.reviewers(companyId) },
        { concurrency: "unbounded" }
      )

    /** Fails with `SessionNotFound`, also for a session of another company. */
    const get = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const id = yield* idOr(sessionId, noSession)
      const { config, workflow } = yield* repo.findDocuments(companyId, id).pipe(foundOr(noSession))
      const { fourEyes, reasons } = reviewSettings(config)
      const options: ReviewOptions = {
        four_eyes: fourEyes,
        reasons,
        steps: stepsToAsk(workflow).map(({ id, type }) => ({ id, type }))
      }
      return { review: Option.getOrNull(yield* repo.find(companyId, id)), options }
    })

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
            repo
              .findDocuments(by.companyId, id)
              .pipe(foundOr(noSession), Effect.zipRight(Effect.fail(new SessionNotReviewable())))
        })
      )

    const found = (companyId: string, id: string): Effect.Effect<ReviewDetails> =>
      Effect.flatMap(repo.find(companyId, id), Effect.orDie)

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
     * Decides on a session or, if the first of four eyes does, proposes a decision. Of concurrent decisions, one wins. Fails
     * with `RoleForbidden`, `SessionNotFound`, `SessionNotReviewable`, `SessionAlreadyDecided`, `AnotherPersonNeeded`, `SessionClaimed`,
     * `ReasonUnknown` or `StepUnknown`.
     */
    const decide = Effect.fnUntraced(function* (by: Actor, sessionId: string, request: DecisionRequest) {
      const id = yield* idOr(sessionId, noSession)
      const { decision, expiresInSeconds, note, reasons = [] } = request
      const party = partyOf(by)
      const person = yield* personOf(by)
      // Before the transaction, which locks the session.
      const noted = note === undefined ? Option.none() : yield* newNote(by, id, note)
      const { verificationUrl } = yield* Effect.gen(function* () {
        const review = yield* locked(by, id)
        yield* mustBeUndecided(review)
        yield* mustBeAnother(review, by, person)
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
          // There is a key as long as the session is not redacted.
          yield* Effect.orDie(Effect.flatMap(noted, repo.addNote))
        }
        const verdict = { sessionId: id, decision, reasons, by: party }
        const steps = restricted?.steps ?? []
        if (settings.fourEyes && review.status === "pending") {
          yield* repo.propose({ ...verdict, steps, person })
          return {
            action: "kyc_session.review_proposed" as const,
            steps,
            nextId: undefined,
            verificationUrl: undefined
          }
        }
        const successor =
          restricted === undefined ? undefined : yield* successors.create(id, restricted, expiresInSeconds)
        yield* repo.decide(verdict)
        return {
          action: "kyc_session.reviewed" as const,
          steps,
          nextId: successor?.id,
          verificationUrl: successor?.verificationUrl
        }
      }).pipe(
        audit.recording(by, ({ action, nextId, steps }) => [
          ...(note === undefined ? [] : [{ action: "kyc_session.noted" as const, id, name: null }]),
          {
            action,
            id,
            name: null,
            details: {
              decision,
              reasons,
              ...(by.kind === "api_key" ? { key_created_by: person } : {}),
              ...(steps.length > 0 ? { steps } : {}),
              ...(nextId === undefined ? {} : { next_session_id: nextId })
            }
          }
        ])
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
      const successor = yield* repo.findSuccessor(by.companyId, id).pipe(foundOr(noSession))
      if (successor.id === null) return yield* new NoResubmission()
      const { session, verificationUrl } = yield* lifecycle
        .resume(by, successor.id, expiresInSeconds)
        // It gets a new lifetime.
        .pipe(Effect.catchTag("SessionExpired", Effect.die))
      return { session, verificationUrl }
    })

    /** Oldest first. Fails with `SessionNotFound`, also for a session of another company. */
    const notes = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const id = yield* idOr(sessionId, noSession)
      yield* repo.findDocuments(companyId, id).pipe(foundOr(noSession))
      const stored = yield* repo.notes(companyId, id)
      if (stored.length === 0) return []
      const key = yield* keys.ofCompany(companyId, id)
      return Option.match(key, {
        // It was redacted after the notes were read.
        onNone: () => [],
        onSome: (key) => stored.map((note) => ({ ...note, text: openText(key, placeOf(note.id), note.text) }))
      })
    })

    /**
     * Fails with `SessionNotFound`, also for a session of another company, or with `SessionNotUpdatable` if the session is
     * redacted.
     */
    const addNote = Effect.fnUntraced(function* (by: Actor, sessionId: string, text: string) {
      const id = yield* idOr(sessionId, noSession)
      yield* repo.findDocuments(by.companyId, id).pipe(foundOr(noSession))
      const isRedacted = () => new SessionNotUpdatable()
      const added = yield* newNote(by, id, text).pipe(
        foundOr(isRedacted),
        Effect.flatMap(repo.addNote),
        foundOr(isRedacted),
        audit.recording(by, () => [{ action: "kyc_session.noted", id, name: null }])
      )
      return { ...added, text }
    })

    return { list, choices, get, claim, release, decide, renewLink, notes, addNote }
  })
}) {}
