import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Actor, AuditEntry } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { foundOr, idOr } from "../../found.ts"
import { TooManyRequests } from "../../limits/errors.ts"
import { sharedBudget } from "../../limits/shared-budget.ts"
import { newId, parseId } from "../../secrets/identifier.ts"
import { SessionNotFound } from "../sessions/errors.ts"
import type { SessionKey } from "../sessions/model.ts"
import { mustBeOpen, type SessionAccess, sessionKey } from "../sessions/service.ts"
import { copies } from "./copies.ts"
import { FileEmpty, FileNotFound, FileTooLarge, TooManyFiles, UploadIncomplete } from "./errors.ts"
import { Intake } from "./intake.ts"
import { type CaptureLimits, captureLimits, copyIdOf } from "./model.ts"
import { FileRepo } from "./repo.ts"
import { FileStore } from "./store.ts"

const notFound = () => new SessionNotFound()

/** A file as it comes in. */
interface Upload<E> {
  /** Bytes it is said to have; undefined when nobody said. */
  readonly declared: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** A file that arrives here and is older was left by a process that has died: none that lives takes as long (`intake.ts`). */
const leftAfter = Duration.hours(1)

/** How often the process of an upload says that it lives: it may fail to twice. */
export const renewedEvery = Duration.seconds(10)

/**
 * Files that end users upload in their sessions.
 *
 * An upload is first noted, then received and looked into, then its content is put into the store, and last it is made a
 * file, so that at no moment there is a file without its content. Of an upload that ends in between, or whose
 * process dies, the note tells the sweep what to remove.
 *
 * Of an image two things are kept: the very bytes that came, as evidence, and the copy that is read, which is drawn anew and has
 * no metadata. The copy is made while the end user waits, who can then choose another picture if this one cannot be read; and
 * who reads it later waits for nothing.
 */
export class Files extends Effect.Service<Files>()("Files", {
  effect: Effect.gen(function* () {
    const repo = yield* FileRepo
    const audit = yield* Audit
    const intake = yield* Intake
    const { contentOf, discard, keepCopy } = yield* copies
    const store = yield* FileStore
    const costly = yield* sharedBudget("files whose examination took too much, session", 5, 5 / 60)

    /** Removes what there is of an upload, and its note. A failure leaves it to the next sweep. */
    const drop = (id: string): Effect.Effect<void> =>
      discard(id).pipe(
        Effect.zipRight(Effect.orDie(store.remove(id))),
        Effect.zipRight(Effect.orDie(store.remove(copyIdOf(id)))),
        Effect.zipRight(repo.release(id)),
        Effect.catchAllCause((cause) =>
          Effect.logWarning("What is left of an upload could not be removed; it is tried again later", cause)
        )
      )

    /** Says that this process lives for as long as it lasts, which is seldom long enough for that to be said. */
    const renewing = <A, E, R>(id: string, upload: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      const renew = Effect.catchAllCause(repo.renew(id), (cause) =>
        Effect.logWarning("An upload could not be renewed; it is tried again soon", cause)
      )
      return Effect.raceFirst(upload, Effect.forever(Effect.delay(renew, renewedEvery)))
    }

    /** Fails when too many files of the session have taken too much lately. */
    const mayCost = (sessionId: string): Effect.Effect<void, TooManyRequests> =>
      Effect.suspend(() => {
        const retryAfterSeconds = costly.waitSeconds(sessionId)
        return retryAfterSeconds > 0 ? Effect.fail(new TooManyRequests({ retryAfterSeconds })) : Effect.void
      })

    /** Why a session takes no file, when it is its own state. */
    const refuseUnlessOpen = Effect.fnUntraced(function* (key: SessionKey) {
      const state = Option.getOrUndefined(yield* repo.findState(key))
      yield* state === undefined ? new SessionNotFound() : mustBeOpen(state)
    })

    /** Begins an upload. In a full session, uploads whose process has died make room. */
    const begin = Effect.fnUntraced(function* (key: SessionKey, id: string) {
      const begun = yield* repo.begin(key, id)
      if (Option.isSome(begun)) return begun.value
      yield* refuseUnlessOpen(key)
      yield* Effect.forEach(yield* repo.abandon(key), drop, { discard: true })
      const again = yield* repo.begin(key, id)
      if (Option.isSome(again)) return again.value
      yield* refuseUnlessOpen(key)
      return yield* new TooManyFiles()
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
     * `FileTypeRefused`, `ImageTooLarge`, `PdfRefused`, `NotExamined`, `TooManyFiles`, `TooManyRequests` when files of the
     * session have taken too much, or `UploadIncomplete`; nothing is then kept.
     */
    const upload = Effect.fnUntraced(function* <E>(access: SessionAccess, { bytes, declared }: Upload<E>) {
      const key = yield* sessionKey(access)
      const id = newId()
      const begun = yield* begin(key, id)
      const limits = captureLimits(begun.capture)
      const receiving = checkDeclared(declared, limits).pipe(
        Effect.zipRight(mayCost(key.id)),
        Effect.zipRight(intake.receive(id, bytes, limits)),
        // Meanwhile others may have taken too much.
        Effect.tap(() => mayCost(key.id)),
        Effect.flatMap((arrived) =>
          Effect.map(keepCopy(arrived, id, id, { company: begun.company_id, session: key.id }), (copy) => ({
            ...arrived,
            copy
          }))
        ),
        Effect.tapErrorTag("NotExamined", (error) => Effect.sync(() => error.begun && costly.spend(key.id))),
        Effect.tap(({ path }) => Effect.orDie(store.put(id, path)))
      )
      const received = yield* Effect.onError(renewing(id, receiving), () => drop(id))
      yield* discard(id)
      // When the database fails here, nobody knows whether the file was recorded: content and note are then the
      // sweep's, which removes the one only where it finds the other.
      const recorded = yield* repo.record({ ...received, id, sessionId: key.id })
      if (Option.isSome(recorded)) return recorded.value
      yield* drop(id)
      yield* refuseUnlessOpen(key)
      return yield* new UploadIncomplete()
    })

    /** A session's files, oldest first. Fails with `SessionNotFound`, also for a session of another company. */
    const list = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const id = yield* idOr(sessionId, notFound)
      return yield* repo.list(companyId, id).pipe(foundOr(notFound))
    })

    /**
     * A file and its content, of which nothing is given out before it is written that it was read: of an image the copy, unless
     * the original is asked for. Fails with `SessionNotFound` as `list` does, `FileNotFound`, `NoCopy`, or `NotExamined`.
     */
    const read = Effect.fnUntraced(function* (
      by: Actor,
      sessionId: string,
      fileId: string,
      original: boolean
    ) {
      const id = yield* idOr(sessionId, notFound)
      const [found] = yield* repo.find(by.companyId, id, parseId(fileId) ?? "").pipe(foundOr(notFound))
      if (found === undefined) return yield* new FileNotFound()
      const { file, storedAs } = yield* contentOf(found, original, {
        company: by.companyId,
        session: sessionId
      })
      const content = yield* Effect.orDie(store.get(storedAs))
      const entry: AuditEntry = {
        action: "kyc_file.read",
        id: file.id,
        name: null,
        details: { session_id: id, content_type: file.content_type, size: file.size, original }
      }
      yield* audit
        .recording(by, () => [entry])(Effect.void)
        .pipe(Effect.onError(() => Effect.promise(() => content.cancel())))
      return { file, content }
    })

    /** Removes what uploads have left behind whose process died. */
    const sweep: Effect.Effect<void> = Effect.gen(function* () {
      yield* intake.sweep(leftAfter)
      yield* Effect.forEach(yield* repo.abandon(), drop, { discard: true })
    })

    return { upload, list, read, sweep }
  })
}) {}
