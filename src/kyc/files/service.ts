import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Actor, AuditEntry } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { newId, parseId } from "../../secrets/identifier.ts"
import { SessionNotFound } from "../sessions/errors.ts"
import type { SessionKey } from "../sessions/model.ts"
import { mustBeOpen, type SessionAccess, sessionKey } from "../sessions/service.ts"
import { FileEmpty, FileNotFound, FileTooLarge, TooManyFiles, UploadIncomplete } from "./errors.ts"
import { Intake } from "./intake.ts"
import { type CaptureLimits, captureLimits } from "./model.ts"
import { FileRepo } from "./repo.ts"
import { FileStore } from "./store.ts"

/** A file as it comes in. */
export interface Upload<E> {
  /** Bytes it is said to have; undefined when nobody said. */
  readonly declared: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** After this long an upload's process has died: none that lives takes as long (`intake.ts`). */
const abandonedAfter = Duration.hours(1)

/**
 * Files that end users upload in their sessions.
 *
 * An upload is first noted, then received, then its content is put into the store, and last it is made a
 * file, so that at no moment there is a file without its content. Of an upload that ends in between, or whose
 * process dies, the note tells the sweep what to remove.
 */
export class Files extends Effect.Service<Files>()("Files", {
  effect: Effect.gen(function* () {
    const repo = yield* FileRepo
    const audit = yield* Audit
    const intake = yield* Intake
    const store = yield* FileStore

    /** Removes what there is of an upload, and then its note: a failure leaves it to the next sweep. */
    const drop = (id: string): Effect.Effect<void> =>
      intake.discard(id).pipe(
        Effect.zipRight(Effect.orDie(store.remove(id))),
        Effect.zipRight(repo.release(id)),
        Effect.catchAllCause((cause) =>
          Effect.logWarning("What is left of an upload could not be removed; it is tried again later", cause)
        )
      )

    /** Why a session takes no file, when it is its own state. */
    const refuseUnlessOpen = Effect.fnUntraced(function* (key: SessionKey) {
      const state = Option.getOrUndefined(yield* repo.findState(key))
      yield* state === undefined ? new SessionNotFound() : mustBeOpen(state)
    })

    /** Of the body only what is said of its size, before any of it is read. */
    const checkDeclared = (
      declared: number | undefined,
      { maxBytes }: CaptureLimits
    ): Effect.Effect<void, FileEmpty | FileTooLarge> => {
      if (declared === 0) return Effect.fail(new FileEmpty())
      return declared !== undefined && declared > maxBytes ? Effect.fail(new FileTooLarge()) : Effect.void
    }

    /**
     * Takes in a file of an open session. Fails with `SessionNotFound`, `SessionNotUpdatable` or
     * `SessionExpired` (also when the session ends before the file has arrived), `FileEmpty`, `FileTooLarge`,
     * `FileTypeRefused`, `TooManyFiles`, or `UploadIncomplete`; nothing is then kept.
     */
    const upload = Effect.fnUntraced(function* <E>(access: SessionAccess, { bytes, declared }: Upload<E>) {
      const key = yield* sessionKey(access)
      const id = newId()
      const begun = Option.getOrUndefined(yield* repo.begin(key, id))
      if (begun === undefined) {
        yield* refuseUnlessOpen(key)
        return yield* new TooManyFiles()
      }
      const limits = captureLimits(begun.capture)
      const received = yield* checkDeclared(declared, limits).pipe(
        Effect.zipRight(intake.receive(id, bytes, limits)),
        Effect.tap(({ path }) => Effect.orDie(store.put(id, path))),
        Effect.onError(() => drop(id))
      )
      yield* intake.discard(id)
      // When the database fails here, nobody knows whether the file was recorded: content and note are then the
      // sweep's, which removes the one only where it finds the other.
      const recorded = yield* repo.record({ ...received, id, sessionId: key.id })
      if (Option.isSome(recorded)) return recorded.value
      yield* drop(id)
      yield* refuseUnlessOpen(key)
      return yield* new UploadIncomplete()
    })

    const files = (companyId: string, sessionId: string, fileId?: string) =>
      Effect.gen(function* () {
        const id = parseId(sessionId)
        const found = id === undefined ? Option.none() : yield* repo.list(companyId, id, fileId)
        return Option.isSome(found) ? found.value : yield* new SessionNotFound()
      })

    /** A session's files, oldest first. Fails with `SessionNotFound`, also for a session of another company. */
    const list = (companyId: string, sessionId: string) => files(companyId, sessionId)

    /**
     * A file and its content, of which nothing is given out before it is written that it was read. Fails with
     * `SessionNotFound` as `list` does, or `FileNotFound`.
     */
    const read = Effect.fnUntraced(function* (by: Actor, sessionId: string, fileId: string) {
      const [file] = yield* files(by.companyId, sessionId, parseId(fileId) ?? "")
      if (file === undefined) return yield* new FileNotFound()
      const content = yield* Effect.orDie(store.get(file.id))
      const entry: AuditEntry = {
        action: "kyc_file.read",
        id: file.id,
        name: null,
        details: { session_id: parseId(sessionId), content_type: file.content_type, size: file.size }
      }
      yield* audit
        .recording(by, () => [entry])(Effect.void)
        .pipe(Effect.onError(() => Effect.promise(() => content.cancel())))
      return { file, content }
    })

    /** Removes what uploads have left behind whose process died. */
    const sweep: Effect.Effect<void> = Effect.gen(function* () {
      yield* intake.sweep(abandonedAfter)
      yield* Effect.forEach(yield* repo.abandon(abandonedAfter), drop, { discard: true })
    })

    return { upload, list, read, sweep }
  })
}) {}
