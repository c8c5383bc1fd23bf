import { Effect, Option } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { openText, sealText } from "../../secrets/data-keys.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId } from "../../shared/identifier.ts"
import { noSession, SessionNotUpdatable } from "../sessions/errors.ts"
import { SessionKeys } from "../sessions/keys-service.ts"
import { TooManyNotes } from "./errors.ts"
import { mostNotes, partyOf } from "./model.ts"
import { NoteRepo } from "./notes-repo.ts"
import { ReviewRepo } from "./repo.ts"

/** Where a note's text is, for its sealing. */
const placeOf = (noteId: string): string => `note ${noteId}`

/** What people of a company note about its sessions (contract.md#session-notes). */
export class SessionNotes extends Effect.Service<SessionNotes>()("SessionNotes", {
  dependencies: [NoteRepo.Default, ReviewRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* NoteRepo
    const reviews = yield* ReviewRepo
    const audit = yield* Audit
    const keys = yield* SessionKeys

    /** A new note as it is stored, its text sealed under the session's key. None: the session is unknown or redacted. */
    const sealed = (by: Actor, sessionId: string, text: string) =>
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

    /** Oldest first. Fails with `SessionNotFound`, also for a session of another company. */
    const list = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const id = yield* idOr(sessionId, noSession)
      yield* reviews.findDocuments(companyId, id).pipe(foundOr(noSession))
      const stored = yield* repo.list(companyId, id)
      if (stored.length === 0) return []
      const key = yield* keys.ofCompany(companyId, id)
      return Option.match(key, {
        // It was redacted after the notes were read.
        onNone: () => [],
        onSome: (key) => stored.map((note) => ({ ...note, text: openText(key, placeOf(note.id), note.text) }))
      })
    })

    /**
     * Fails with `SessionNotFound`, also for a session of another company, with `SessionNotUpdatable` if the session is
     * redacted, or with `TooManyNotes`. Several at once may exceed the limit by as many.
     */
    const add = Effect.fnUntraced(function* (by: Actor, sessionId: string, text: string) {
      const id = yield* idOr(sessionId, noSession)
      yield* reviews.findDocuments(by.companyId, id).pipe(foundOr(noSession))
      if ((yield* repo.count(id)) >= mostNotes) return yield* new TooManyNotes()
      const isRedacted = () => new SessionNotUpdatable()
      const added = yield* sealed(by, id, text).pipe(
        foundOr(isRedacted),
        Effect.flatMap(repo.add),
        foundOr(isRedacted),
        audit.recording(by, () => [{ action: "kyc_session.noted", id, name: null }])
      )
      return { ...added, text }
    })

    return { list, add, sealed }
  })
}) {}
