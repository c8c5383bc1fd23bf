import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option } from "effect"
import { transaction } from "../../db/sql.ts"
import { foundOr } from "../../shared/found.ts"
import { noSession, SessionExpired, SessionNotUpdatable } from "../sessions/errors.ts"
import type { Mode, SessionKey } from "../sessions/model.ts"
import { SessionMutex } from "../sessions/mutex-service.ts"
import { type SessionAccess, sessionKey } from "../sessions/service.ts"
import { DedupHashes } from "./hashes-service.ts"
import { TooManyDedupChecks } from "./model.ts"
import { DedupRepo } from "./repo.ts"

/** Checks whether a key hash was seen before within a company and mode (contract.md#dedup). */
export class Dedup extends Effect.Service<Dedup>()("Dedup", {
  dependencies: [DedupRepo.Default, DedupHashes.Default, SessionMutex.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* DedupRepo
    const { withLock } = yield* SessionMutex
    const hashes = yield* DedupHashes

    /** The HMAC of a known hash; a hash first seen under the previous pepper keeps that HMAC. */
    const knownHmac = (companyId: string, mode: Mode, keyHash: string) => {
      const own = hashes.own(companyId, mode, keyHash)
      const candidates = hashes.accepted(companyId, mode, keyHash)
      if (candidates.length === 1) return Effect.succeed(own)
      return Effect.map(
        repo.findKnown(candidates),
        Option.match({ onNone: () => own, onSome: ({ key_hmac }) => key_hmac })
      )
    }

    const count = Effect.fnUntraced(function* (key: SessionKey, keyHash: string) {
      const session = yield* repo.lockSession(key).pipe(foundOr(noSession))
      if (session.expired) return yield* new SessionExpired()
      if (session.redacted) return yield* new SessionNotUpdatable()
      const hmac = yield* knownHmac(session.company_id, session.mode, keyHash)
      return yield* repo.count(hmac, key.id, session).pipe(foundOr(() => new TooManyDedupChecks()))
    }, transaction(sql))

    /**
     * Counts the session once under `keyHash` (SHA-256 in hex). Fails with `SessionNotFound`, `SessionExpired`,
     * `SessionNotUpdatable` if it is redacted, or `TooManyDedupChecks` after 20 different hashes.
     */
    const check = (access: SessionAccess, keyHash: string) =>
      Effect.flatMap(sessionKey(access), (key) => withLock(key)(count(key, keyHash)))

    return { check }
  })
}) {}
