import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { Config } from "../../config.ts"
import { transaction } from "../../db/sql.ts"
import { Seal } from "../../secrets/seal.ts"
import { isWellFormed, newToken, tokenHash } from "../../secrets/token.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId } from "../../shared/identifier.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { noSession, SessionExpired, type SessionNotFound } from "../sessions/errors.ts"
import type { SessionKey } from "../sessions/model.ts"
import { SessionMutex } from "../sessions/mutex-service.ts"
import { mustBeOpen, type SessionAccess, sessionKey } from "../sessions/service.ts"
import {
  HandoffCancelled,
  HandoffClaimed,
  HandoffConfirmed,
  HandoffDisabled,
  HandoffExpired,
  HandoffNotClaimed,
  TooManyHandoffs,
  WrongMatchingCode
} from "./errors.ts"
import { newMatchingCode } from "./matching-code.ts"
import { deviceOf, isEnabled, type OfferedSession, offeredConfig } from "./model.ts"
import { type HandoffKey, HandoffRepo } from "./repo.ts"

const orNotFound = foundOr(noSession)

interface HandoffAccess {
  readonly sessionId: string
  readonly secret: string
}

/** What the second device receives: the session token and the first device's `carry`. */
const Freight = Schema.parseJson(Schema.Struct({ token: Schema.String, carry: JsonObject }))
const packFreight = Schema.encodeSync(Freight)
const unpackFreight = Schema.decodeUnknownSync(Freight)

/** The lookup key of a handoff; a malformed secret or id fails like an unknown session. */
const handoffKey = ({ secret, sessionId }: HandoffAccess): Effect.Effect<HandoffKey, SessionNotFound> =>
  isWellFormed("kyc_hand_", secret)
    ? Effect.map(idOr(sessionId, noSession), (id) => ({ sessionId: id, secretHash: tokenHash(secret) }))
    : Effect.fail(noSession())

/**
 * Moves a session to another device, which claims a link with a one-time secret that the first shows as a QR
 * code. A photographed or forwarded link is worthless: the token goes to the second device only after its end
 * user enters the code that the first then shows.
 */
export class Handoffs extends Effect.Service<Handoffs>()("Handoffs", {
  dependencies: [SessionMutex.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { appUrl } = yield* Config
    const repo = yield* HandoffRepo
    const { withLock } = yield* SessionMutex
    /** A link is a key of its own. */
    const ofLink = ({ secretHash, sessionId }: HandoffKey) =>
      withLock({ id: sessionId, tokenHash: secretHash })
    const { open, seal } = yield* Seal

    const insert = (key: SessionKey, handoff: Omit<Parameters<typeof repo.insert>[0], "sessionId">) =>
      Effect.gen(function* () {
        const session = yield* orNotFound(repo.lockSession(key))
        yield* mustBeOpen(session)
        if (!isEnabled(session.config)) return yield* new HandoffDisabled()
        yield* repo.cancelOthers(key.id)
        return yield* repo
          .insert({ ...handoff, sessionId: key.id })
          .pipe(foundOr(() => new TooManyHandoffs()))
      }).pipe(transaction(sql), withLock(key))

    /**
     * Cancels the previous handoff. Only the second device can read `carry`. Fails with `SessionNotFound`,
     * `SessionNotUpdatable`, `SessionExpired`, `HandoffDisabled`, or `TooManyHandoffs` after 20 handoffs.
     */
    const create = Effect.fnUntraced(function* (access: SessionAccess, carry: JsonObject) {
      const key = yield* sessionKey(access)
      const id = newId()
      const secret = newToken("kyc_hand_")
      const handoff = yield* insert(key, {
        id,
        secretHash: tokenHash(secret),
        sealed: seal("kyc-handoff", secret, packFreight({ token: access.token, carry }), id)
      })
      return {
        handoff,
        // Browsers do not send the fragment: it appears in no log, and a link scanner learns nothing from it.
        url: `${appUrl}/kyc/session/${key.id}#handoff=${secret}`
      }
    })

    /** Returns the handoff's state to the first device. Fails with `SessionNotFound` or `SessionExpired`. */
    const follow = Effect.fnUntraced(function* (access: SessionAccess, handoffId: string) {
      const key = yield* sessionKey(access)
      const { session_expired, ...handoff } = yield* orNotFound(
        repo.find(key, yield* idOr(handoffId, noSession))
      )
      return session_expired ? yield* new SessionExpired() : handoff
    })

    /** A handoff that has ended stays as it is. Fails with `SessionNotFound` or `HandoffConfirmed`. */
    const cancel = Effect.fnUntraced(function* (access: SessionAccess, handoffId: string) {
      const key = yield* sessionKey(access)
      const id = yield* idOr(handoffId, noSession)
      if (yield* withLock(key)(repo.cancel(key, id))) return
      const { status } = yield* orNotFound(repo.find(key, id))
      if (status === "confirmed") return yield* new HandoffConfirmed()
    })

    const findOpen = Effect.fnUntraced(function* (key: HandoffKey, receiptHash: Uint8Array | null) {
      const found = yield* orNotFound(repo.findOffered(key, receiptHash))
      yield* mustBeOpen({ status: found.session_status, expired: found.session_expired })
      return found
    })

    /** Fails with `SessionNotFound`, `SessionNotUpdatable` or `SessionExpired`. */
    const inspect = Effect.fnUntraced(function* (access: HandoffAccess) {
      const key = yield* handoffKey(access)
      const { config, expires_at, id, mode, session_expires_at, status } = yield* findOpen(key, null)
      return {
        handoff: { id, status, expires_at },
        session: {
          id: key.sessionId,
          mode,
          expires_at: session_expires_at,
          instance_config: offeredConfig(config)
        } satisfies OfferedSession
      }
    })

    /** The status after a claim or confirmation found nothing to change. Fails if the handoff or its session has ended. */
    const standing = Effect.fnUntraced(function* (key: HandoffKey, receiptHash: Uint8Array) {
      const { mine, status } = yield* findOpen(key, receiptHash)
      if (status === "expired") return yield* new HandoffExpired()
      if (status === "cancelled" || status === "refused") return yield* new HandoffCancelled()
      return { status, mine }
    })

    /**
     * Claims the handoff for the device with this `receipt`, which may repeat it. Fails with
     * `SessionNotFound`, `SessionNotUpdatable`, `SessionExpired`, `HandoffClaimed`, `HandoffExpired` or
     * `HandoffCancelled`.
     */
    const claim = Effect.fnUntraced(function* (
      access: HandoffAccess,
      receipt: string,
      userAgent: string | undefined
    ) {
      const key = yield* handoffKey(access)
      const receiptHash = tokenHash(receipt)
      const claimed = yield* ofLink(key)(repo.claim(key, receiptHash, deviceOf(userAgent), newMatchingCode()))
      if (Option.isNone(claimed)) {
        yield* standing(key, receiptHash)
        return yield* new HandoffClaimed()
      }
      return claimed.value
    })

    /**
     * A wrong code ends the handoff; the token and `carry` are given out once. Fails like `claim`, but for
     * `HandoffClaimed`, or with `WrongMatchingCode`, `HandoffNotClaimed` or `HandoffConfirmed`.
     */
    const confirm = Effect.fnUntraced(function* (access: HandoffAccess, receipt: string, code: string) {
      const key = yield* handoffKey(access)
      const receiptHash = tokenHash(receipt)
      const decided = yield* ofLink(key)(repo.decide(key, receiptHash, code))
      if (Option.isNone(decided)) {
        const { mine, status } = yield* standing(key, receiptHash)
        return yield* mine && status === "confirmed" ? new HandoffConfirmed() : new HandoffNotClaimed()
      }
      const { sealed, ...handoff } = decided.value
      if (handoff.status === "refused") return yield* new WrongMatchingCode()
      // This fails only if SECRET_KEY has changed since the handoff was created, which is our fault.
      const freight = yield* Effect.orDie(open("kyc-handoff", access.secret, sealed, handoff.id))
      const { carry, token } = unpackFreight(freight)
      return { handoff, sessionToken: token, carry }
    })

    return { create, follow, cancel, inspect, claim, confirm }
  })
}) {}
