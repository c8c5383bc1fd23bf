import { createHmac } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { transaction } from "../../db/sql.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { SessionExpired, SessionNotFound } from "../sessions/errors.ts"
import type { Mode } from "../sessions/model.ts"
import { type SessionAccess, sessionKey } from "../sessions/service.ts"
import { TooManyDedupChecks } from "./errors.ts"
import type { Sighting } from "./model.ts"
import { DedupRepo } from "./repo.ts"

/** Tells whether a key hash was seen before within a company and mode (decisions, section 4). */
export class Dedup extends Effect.Service<Dedup>()("Dedup", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* DedupRepo
    const pepper = (yield* SecretKey).derive("dedup-pepper")

    // Document numbers can be enumerated, so a copy of the database must not let their hashes be tried.
    const hmacOf = (companyId: string, mode: Mode, keyHash: string): Uint8Array =>
      createHmac("sha256", pepper).update(`${companyId}|${mode}|${keyHash.toLowerCase()}`).digest()

    /**
     * Counts the session under `keyHash` (SHA-256 in hex) once, and answers what is known of the hash. Fails
     * with `SessionNotFound`, `SessionExpired`, or `TooManyDedupChecks` after 20 different hashes.
     */
    const check = Effect.fn("Dedup.check")(function* (access: SessionAccess, keyHash: string) {
      const key = yield* sessionKey(access)
      const session = Option.getOrUndefined(yield* repo.lockSession(key))
      if (session === undefined) return yield* new SessionNotFound()
      if (session.expired) return yield* new SessionExpired()
      const hmac = hmacOf(session.company_id, session.mode, keyHash)
      const known = Option.getOrUndefined(yield* repo.findSeen(key.id, hmac))
      if (known === undefined && (yield* repo.isExhausted(key.id))) return yield* new TooManyDedupChecks()
      const record =
        known ??
        (yield* repo.count({ hmac, sessionId: key.id, companyId: session.company_id, mode: session.mode }))
      return {
        matchFound: record.seen_count > 1,
        firstSessionId: record.first_session_id,
        lastSessionId: record.last_session_id,
        seenCount: record.seen_count,
        firstSeenAt: record.first_seen_at,
        lastSeenAt: record.last_seen_at
      } satisfies Sighting
    }, transaction(sql))

    return { check }
  })
}) {}
