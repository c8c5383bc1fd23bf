import * as SqlClient from "@effect/sql/SqlClient"
import { DateTime, Effect, Option } from "effect"
import { afterCommit, transaction } from "../../db/sql.ts"
import { FairQueue } from "../../limits/fair-queue.ts"
import { openText, sealText } from "../../secrets/data-keys.ts"
import { decoder } from "../../shared/encoding.ts"
import { foundOr } from "../../shared/found.ts"
import { parseId } from "../../shared/identifier.ts"
import { Timing } from "../../shared/timing.ts"
import { WorkSignal } from "../../work/signal-service.ts"
import { FileNotFound } from "../files/errors.ts"
import { Files } from "../files/service.ts"
import { noSession, SessionExpired } from "../sessions/errors.ts"
import { SessionKeys } from "../sessions/keys-service.ts"
import type { SessionKey } from "../sessions/model.ts"
import { SessionMutex } from "../sessions/mutex-service.ts"
import { mustBeOpen, type SessionAccess, sessionKey } from "../sessions/service.ts"
import { Looking } from "./looking.ts"
import {
  fieldsOf,
  ReadFields,
  type Reading,
  ReadingDisabled,
  ReadingNotFound,
  readingPlace,
  TooManyReadings
} from "./readings-model.ts"
import { ReadingRepo, type Stored } from "./readings-repo.ts"
import { contentOf, eachOnce, isLookedAt } from "./stored-photos.ts"

/** The photo whose reading is asked for. */
interface Asked {
  readonly companyId: string
  readonly sessionId: string
  readonly fileId: string
}

/** Of the readings that wait in this process, all and those of one company. The newest of the company with the most is given up first. */
const mostWaiting = { all: 256, company: 64 } as const

/** Reads photos of documents while end users wait (contract.md#readings). */
export class Readings extends Effect.Service<Readings>()("Readings", {
  dependencies: [ReadingRepo.Default, SessionMutex.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ReadingRepo
    const files = yield* Files
    const keys = yield* SessionKeys
    const { look } = yield* Looking
    const { withLock } = yield* SessionMutex
    const { wake } = yield* WorkSignal
    const { timeout, within } = yield* Timing
    const decodeFields = decoder(ReadFields)
    /** A session that has many photos read, or a company with many sessions, does not delay the others. */
    const queue = new FairQueue({ atOnce: 1, waiting: mostWaiting.all, timeout: timeout("kyc.reading") })

    const shown = Effect.fnUntraced(function* (
      key: SessionKey,
      fileId: string,
      { content, done }: Stored
    ): Effect.fn.Return<Reading> {
      const held = content === null ? Option.none() : yield* keys.forHolder(key)
      const fields =
        content === null || Option.isNone(held)
          ? null
          : decodeFields(JSON.parse(openText(held.value.key, readingPlace(fileId), content)))
      return { file_id: fileId, status: done ? "done" : "waiting", fields }
    })

    const add = Effect.fnUntraced(function* (key: SessionKey, fileId: string) {
      const { has_file, reads, ...state } = yield* repo.lockSession(key, fileId).pipe(foundOr(noSession))
      if (!has_file) return yield* new FileNotFound()
      yield* mustBeOpen(state)
      if (!reads) return yield* new ReadingDisabled()
      const added = yield* repo.insert(key.id, fileId).pipe(foundOr(() => new TooManyReadings()))
      yield* afterCommit(wake)
      return added
    }, transaction(sql))

    /**
     * Asks for a reading; the same again changes nothing. Fails with `SessionNotFound`, `FileNotFound`, `SessionNotUpdatable`,
     * `SessionExpired`, `ReadingDisabled`, or `TooManyReadings` after five photos.
     */
    const start = Effect.fnUntraced(function* (access: SessionAccess, given: string) {
      const key = yield* sessionKey(access)
      const fileId = parseId(given) ?? given
      return yield* shown(key, fileId, yield* withLock(key)(add(key, fileId)))
    })

    /** Fails with `SessionNotFound`, `ReadingNotFound` or `SessionExpired`. */
    const get = Effect.fnUntraced(function* (access: SessionAccess, given: string) {
      const key = yield* sessionKey(access)
      const fileId = parseId(given) ?? given
      const { reading, session_expired } = yield* repo.find(key, fileId).pipe(foundOr(noSession))
      if (reading === null) return yield* new ReadingNotFound()
      if (session_expired) return yield* new SessionExpired()
      return yield* shown(key, fileId, reading)
    })

    const readInTurn = Effect.fnUntraced(function* ({ companyId, fileId, sessionId }: Asked) {
      if (!(yield* repo.isAwaited(sessionId, fileId))) return null
      const key = yield* keys.ofCompany(companyId, sessionId)
      const [photo] = eachOnce(yield* files.stored(companyId, sessionId)).filter(
        ({ file }) => file.id === fileId
      )
      if (Option.isNone(key) || photo === undefined || !isLookedAt(photo)) return null
      const content = yield* contentOf(photo)
      if (Option.isNone(content)) return null
      const thisYear = DateTime.getPartUtc(yield* DateTime.now, "year")
      const asked = { content: content.value, shows: "document", thisYear, faceModel: undefined } as const
      const seen = Option.flatten(yield* within("kyc.reading", Effect.option(look(asked))))
      const fields = Option.isNone(seen) ? null : fieldsOf(seen.value)
      return fields === null ? null : sealText(key.value, readingPlace(fileId), JSON.stringify(fields))
    })

    /** Reads a photo, once. What was read is sealed; null: nothing was, or nobody waits for it. */
    const read = (asked: Asked): Effect.Effect<string | null> => {
      const lanes = [{ name: asked.companyId, waiting: mostWaiting.company }, { name: asked.sessionId }]
      return Effect.catchTags(queue.inTurn(lanes, readInTurn(asked)), {
        NoTurn: () => Effect.succeed(null),
        SessionNotFound: () => Effect.succeed(null)
      })
    }

    /** What is stored of a company's session, to hand over. */
    const kept = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const found = yield* repo.kept(companyId, sessionId)
      const key = found.length === 0 ? Option.none() : yield* keys.ofCompany(companyId, sessionId)
      if (Option.isNone(key)) return []
      return found.map(({ content, file_id }) => ({
        file_id,
        fields: decodeFields(JSON.parse(openText(key.value, readingPlace(file_id), content)))
      }))
    })

    return { start, get, read, store: repo.store, kept, wipe: repo.wipe }
  })
}) {}
