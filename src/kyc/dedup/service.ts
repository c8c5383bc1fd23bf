import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option } from "effect"
import { transaction } from "../../db/sql.ts"
import { hmacSha256 } from "../../secrets/digest.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { foundOr } from "../../shared/found.ts"
import { noSession, SessionExpired, SessionNotUpdatable } from "../sessions/errors.ts"
import { SessionLanes } from "../sessions/lanes-service.ts"
import type { Mode, SessionKey } from "../sessions/model.ts"
import { type SessionAccess, sessionKey } from "../sessions/service.ts"
import { TooManyDedupChecks } from "./errors.ts"
import { DedupRepo } from "./repo.ts"

/** Checks whether a key hash was seen before within a company and mode (contract.md#dedup). */
export class Dedup extends Effect.Service<Dedup>()("Dedup", {
  dependencies: [DedupRepo.Default, SessionLanes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* DedupRepo
    const { inLane } = yield* SessionLanes
    const secretKey = yield* SecretKey
    const pepper = secretKey.derive("dedup-pepper")
    const acceptedPeppers = secretKey.accepted("dedup-pepper")

    // Document numbers can be enumerated, so a copy of the database must not allow anyone to test their hashes.
    const hmacOf = (key: Uint8Array, companyId: string, mode: Mode, keyHash: string): Uint8Array =>
      hmacSha256(key, `${companyId}|${mode}|${keyHash.toLowerCase()}`)

    /** The HMAC of a known hash; a hash first seen under the previous pepper keeps that HMAC. */
    const knownHmac = (companyId: string, mode: Mode, keyHash: string) => {
      const own = hmacOf(pepper, companyId, mode, keyHash)
      if (acceptedPeppers.length === 1) return Effect.succeed(own)
      const candidates = acceptedPeppers.map((accepted) => hmacOf(accepted, companyId, mode, keyHash))
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
      Effect.flatMap(sessionKey(access), (key) => inLane(key)(count(key, keyHash)))

    return { check }
  })
}) {}
