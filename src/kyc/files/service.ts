import { Duration, Effect, Option, type Stream } from "effect"
import type { Actor, AuditEntry } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { TooManyRequests } from "../../limits/errors.ts"
import { sharedBudget } from "../../limits/shared-budget.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId, parseId } from "../../shared/identifier.ts"
import { Timing } from "../../shared/timing.ts"
import { captureLimits } from "../instances/settings-model.ts"
import { answersOf } from "../sessions/answers-model.ts"
import { noSession } from "../sessions/errors.ts"
import { filesNamed } from "../sessions/files-named-model.ts"
import { SessionKeys } from "../sessions/keys-service.ts"
import type { SessionKey } from "../sessions/model.ts"
import { SessionMutex } from "../sessions/mutex-service.ts"
import { PartnerSessions } from "../sessions/partner-service.ts"
import { keyMissing, mustBeOpen, type SessionAccess, sessionKey } from "../sessions/service.ts"
import { contentOf, copies } from "./copies.ts"
import { FileEmpty, FileNotFound, FileTooLarge, TooManyFiles, UploadIncomplete } from "./errors.ts"
import { Intake } from "./intake.ts"
import { copyIdOf, fileName } from "./model.ts"
import { type FileAndCopy, FileRepo } from "./repo.ts"
import { sealedStore } from "./sealed-store.ts"

interface Upload<E> {
  /** The declared number of bytes; undefined if none was declared. */
  readonly declared: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** Local files older than this were left by a dead process: no upload takes this long (`intake.ts`). */
const leftAfter = Duration.hours(1)

/**
 * Files that end users upload in their sessions.
 *
 * An upload is recorded and received, and an image is examined; the content goes into the store, and only then
 * does it become a file. So no file ever exists without its content. If an upload fails or its process dies, the record
 * tells the sweep what to delete.
 *
 * An image is stored twice: the original bytes as evidence, and the copy for partners, re-encoded and without
 * metadata. The copy is created while the end user waits and can still choose another picture. Both are sealed by the session's key. Only until
 * the response does an upload lie unsealed in the folder where it is received.
 */
export class Files extends Effect.Service<Files>()("Files", {
  dependencies: [SessionMutex.Default],
  effect: Effect.gen(function* () {
    const repo = yield* FileRepo
    const audit = yield* Audit
    const { withLock } = yield* SessionMutex
    const intake = yield* Intake
    const { discard, keepCopy } = yield* copies
    const store = yield* sealedStore
    const keys = yield* SessionKeys
    const { sleep } = yield* Timing
    const sessions = yield* PartnerSessions
    const costly = yield* sharedBudget("files whose examination took too much, session", 5, 5 / 60)

    /** Deletes the files and the record of an upload. If that fails, the next sweep tries again. */
    const drop = (id: string): Effect.Effect<void> =>
      discard(id).pipe(
        Effect.zipRight(Effect.orDie(store.remove(id))),
        Effect.zipRight(Effect.orDie(store.remove(copyIdOf(id)))),
        Effect.zipRight(repo.release(id)),
        Effect.catchAllCause((cause) =>
          Effect.logWarning("The remains of an upload could not be deleted; trying again later", cause)
        )
      )

    /** Sends heartbeats while the upload runs; most uploads finish before the first. */
    const renewing = <A, E, R>(id: string, upload: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      const renew = Effect.catchAllCause(repo.renew(id), (cause) =>
        Effect.logWarning("The heartbeat of an upload failed; trying again soon", cause)
      )
      return Effect.raceFirst(upload, Effect.forever(Effect.zipRight(sleep("kyc.upload_heartbeat"), renew)))
    }

    const mayCost = (sessionId: string): Effect.Effect<void, TooManyRequests> =>
      Effect.suspend(() => {
        const retryAfterSeconds = costly.waitSeconds(sessionId)
        return retryAfterSeconds > 0 ? Effect.fail(new TooManyRequests({ retryAfterSeconds })) : Effect.void
      })

    const refuseUnlessOpen = (key: SessionKey) =>
      repo.findState(key).pipe(foundOr(noSession), Effect.flatMap(mustBeOpen))

    /** Begins an upload. In a full session, uploads of dead processes make room. */
    const begin = Effect.fnUntraced(function* (key: SessionKey, id: string) {
      const begun = yield* withLock(key)(repo.begin(key, id))
      if (Option.isSome(begun)) return begun.value
      yield* refuseUnlessOpen(key)
      yield* Effect.forEach(yield* repo.abandon(key), drop, { discard: true })
      const again = yield* withLock(key)(repo.begin(key, id))
      if (Option.isSome(again)) return again.value
      yield* refuseUnlessOpen(key)
      return yield* new TooManyFiles()
    })

    /**
     * Stores nothing if it fails: with `SessionNotFound`, `SessionNotUpdatable` or `SessionExpired` (also if
     * the session closes in the meantime), `FileEmpty`, `FileTooLarge`, `FileTypeRefused`, `ImageTooLarge`,
     * `NotExamined`, `TooManyFiles`, `UploadIncomplete`, or `TooManyRequests` if the session's files took too
     * much to examine.
     */
    const upload = Effect.fnUntraced(function* <E>(access: SessionAccess, { bytes, declared }: Upload<E>) {
      const key = yield* sessionKey(access)
      const id = newId()
      const begun = yield* begin(key, id)
      const limits = captureLimits(begun.capture)
      const receiving = Effect.gen(function* () {
        const dataKey = yield* Effect.flatMap(keys.forHolder(key), (found) =>
          Option.isSome(found)
            ? Effect.succeed(found.value.key)
            : // Redacted since the upload has begun, or else the key is missing.
              Effect.zipRight(refuseUnlessOpen(key), keyMissing)
        )
        if (declared === 0) return yield* new FileEmpty()
        if (declared !== undefined && declared > limits.maxBytes) return yield* new FileTooLarge()
        yield* mayCost(key.id)
        const arrived = yield* intake.receive(id, bytes, limits)
        // Other uploads may have taken too much in the meantime.
        yield* mayCost(key.id)
        const copy = yield* keepCopy(arrived, id, dataKey, {
          company: begun.company_id,
          session: key.id
        }).pipe(
          Effect.tapErrorTag("NotExamined", (error) => Effect.sync(() => error.begun && costly.spend(key.id)))
        )
        yield* Effect.orDie(store.put(dataKey, id, arrived.path))
        return { arrived, copy }
      })
      const { arrived, copy } = yield* Effect.onError(renewing(id, receiving), () => drop(id))
      yield* discard(id)
      // If the database fails here, it is unknown whether the file was recorded. The sweep then handles the
      // content and the upload's record: it deletes the content only if the record still exists.
      const recorded = yield* withLock(key)(repo.record(id, key, arrived, copy))
      if (Option.isSome(recorded)) return recorded.value
      yield* drop(id)
      yield* refuseUnlessOpen(key)
      return yield* new UploadIncomplete()
    })

    /** The session's own files among those, and the files of the sessions before it that its carried answers name. */
    const named = Effect.fnUntraced(function* (
      companyId: string,
      id: string,
      found: ReadonlyArray<FileAndCopy>
    ) {
      const isOwn = ({ session_id }: FileAndCopy) => session_id === id
      if (found.every(isOwn)) return found
      const carried = answersOf(yield* sessions.get(companyId, id)).filter(({ isCarried }) => isCarried)
      const ids = new Set(carried.flatMap(({ answer }) => filesNamed(answer).map((file) => file.id)))
      return found.filter((file) => isOwn(file) || ids.has(file.id))
    })

    /**
     * Oldest first, with the files of the answers that were carried over from earlier sessions. Fails with `SessionNotFound`, also for a
     * session of another company.
     */
    const list = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const id = yield* idOr(sessionId, noSession)
      return yield* named(companyId, id, yield* repo.list(companyId, id).pipe(foundOr(noSession)))
    })

    /**
     * The copy of an image, unless `original`. The read is audited before any content is sent. Fails with
     * `SessionNotFound` or `FileNotFound`.
     */
    const read = Effect.fnUntraced(function* (
      by: Actor,
      sessionId: string,
      fileId: string,
      original: boolean
    ) {
      const id = yield* idOr(sessionId, noSession)
      const stored = yield* repo.list(by.companyId, id, parseId(fileId) ?? "").pipe(foundOr(noSession))
      const [found] = yield* named(by.companyId, id, stored)
      if (found === undefined) return yield* new FileNotFound()
      const { session_id } = found
      const key = yield* keys.ofCompany(by.companyId, session_id).pipe(foundOr(() => new FileNotFound()))
      const { file, storedAs } = contentOf(found, original)
      const content = yield* Effect.orDie(store.get(key, storedAs))
      const entry: AuditEntry = {
        action: "kyc_file.read",
        id: file.id,
        name: null,
        details: { session_id, content_type: file.content_type, size: file.size, original }
      }
      yield* audit
        .recording(by, () => [entry])(Effect.void)
        .pipe(Effect.onError(() => Effect.promise(() => content.cancel())))
      return { file, content }
    })

    /**
     * Every stored content of the files in `list`, oldest file first: each file as it was uploaded, then its copy if it has one. The
     * caller audits the read. `open` fails with `StoreFailed` if the content is not there, and with `ContentChanged` if it is another one. Fails with `SessionNotFound`.
     */
    const stored = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const found = yield* list(companyId, sessionId)
      const owners = [...new Set(found.map(({ session_id }) => session_id))]
      const keysOf = new Map(
        yield* Effect.forEach(owners, (owner) =>
          Effect.map(keys.ofCompany(companyId, owner), (key) => [owner, Option.getOrUndefined(key)] as const)
        )
      )
      return found.flatMap((one) => {
        const { copy_size, session_id } = one
        const key = keysOf.get(session_id)
        if (key === undefined) return []
        return (copy_size === null ? [true] : [true, false]).map((original) => {
          const { file, storedAs } = contentOf(one, original)
          return {
            file,
            original,
            /** A path for an archive. */
            name: `${original ? "files" : "copies"}/${fileName(file)}`,
            session_id,
            open: store.get(key, storedAs)
          }
        })
      })
    })

    /** Deletes the remains of uploads by dead processes. */
    const sweep: Effect.Effect<void> = Effect.gen(function* () {
      yield* intake.sweep(leftAfter)
      yield* Effect.forEach(yield* repo.abandon(), drop, { discard: true })
    })

    return { upload, list, read, stored, sweep }
  })
}) {}
