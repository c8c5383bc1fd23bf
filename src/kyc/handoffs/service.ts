import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Config } from "../../config.ts"
import { transaction } from "../../db/sql.ts"
import { foundOr, idOr } from "../../found.ts"
import { JsonObject } from "../../model.ts"
import { newId } from "../../secrets/identifier.ts"
import { Seal } from "../../secrets/seal.ts"
import { isWellFormed, newToken, tokenHash } from "../../secrets/token.ts"
import { SessionExpired, SessionNotFound } from "../sessions/errors.ts"
import type { SessionKey } from "../sessions/model.ts"
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
import {
  deviceOf,
  type FollowedHandoff,
  type Handoff,
  isEnabled,
  maxHandoffsPerSession,
  type OfferedSession,
  offeredConfig,
  statusOf
} from "./model.ts"
import { type HandoffKey, HandoffRepo } from "./repo.ts"

const notFound = () => new SessionNotFound()
const orNotFound = foundOr(notFound)

/** What the second device proves its right to a hand-off with. */
interface HandoffAccess {
  readonly sessionId: string
  readonly secret: string
}

/** What goes over: the right to the session, and what the first device adds for the second alone. */
const Freight = Schema.parseJson(Schema.Struct({ token: Schema.String, carry: JsonObject }))
const packFreight = Schema.encodeSync(Freight)
const unpackFreight = Schema.decodeUnknownSync(Freight)

/** The key to look a hand-off up by; fails like an unknown session when there can be none. */
const handoffKey = ({ secret, sessionId }: HandoffAccess): Effect.Effect<HandoffKey, SessionNotFound> =>
  isWellFormed("kyc_hand_", secret)
    ? Effect.map(idOr(sessionId, notFound), (id) => ({ sessionId: id, secretHash: tokenHash(secret) }))
    : Effect.fail(notFound())

/**
 * Sessions that go on on another device. The first device shows a link with a one-time secret, as a QR code; a second one
 * claims it, and has the session's token once its end user has entered the code that the first one then shows: a link that
 * was photographed or forwarded is worth nothing.
 */
export class Handoffs extends Effect.Service<Handoffs>()("Handoffs", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { appUrl } = yield* Config
    const repo = yield* HandoffRepo
    const { open, seal } = yield* Seal

    const insert = (key: SessionKey, handoff: Omit<Parameters<typeof repo.insert>[0], "sessionId">) =>
      Effect.gen(function* () {
        const session = yield* orNotFound(repo.lockSession(key))
        yield* mustBeOpen(session)
        if (!isEnabled(session.config)) return yield* new HandoffDisabled()
        if ((yield* repo.count(key.id)) >= maxHandoffsPerSession) return yield* new TooManyHandoffs()
        yield* repo.cancelOthers(key.id)
        return yield* orNotFound(repo.insert({ ...handoff, sessionId: key.id }))
      }).pipe(transaction(sql))

    /**
     * A new hand-off, which takes the place of the session's last one. Its secret is in this answer's address and, hashed,
     * in the database; nowhere else. `carry` is for the second device alone and readable to nobody before. Fails with
     * `SessionNotFound`, `SessionNotUpdatable`, `SessionExpired`, `HandoffDisabled`, or `TooManyHandoffs` after 20 of them.
     */
    const create = Effect.fnUntraced(function* (access: SessionAccess, carry: JsonObject) {
      const key = yield* sessionKey(access)
      const id = newId()
      const secret = newToken("kyc_hand_")
      const { expires_at } = yield* insert(key, {
        id,
        secretHash: tokenHash(secret),
        sealed: seal("kyc-handoff", secret, packFreight({ token: access.token, carry }), id)
      })
      return {
        handoff: { id, status: "waiting", expires_at } satisfies Handoff,
        // In the fragment, which no browser sends: it is in no log, and a scanner that opens the link learns nothing.
        url: `${appUrl}/kyc/session/${key.id}#handoff=${secret}`
      }
    })

    /** How it stands, for the first device. Fails with `SessionNotFound`, or `SessionExpired`. */
    const follow = Effect.fnUntraced(function* (access: SessionAccess, handoffId: string) {
      const key = yield* sessionKey(access)
      const found = yield* orNotFound(repo.find(key, yield* idOr(handoffId, notFound)))
      if (found.session_expired) return yield* new SessionExpired()
      const { code, device, expires_at, id } = found
      return { id, status: statusOf(found), expires_at, device, code } satisfies FollowedHandoff
    })

    /**
     * Ends a hand-off that has not been confirmed; one that has ended otherwise stays as it is. Fails with `SessionNotFound`,
     * or `HandoffConfirmed`.
     */
    const cancel = Effect.fnUntraced(function* (access: SessionAccess, handoffId: string) {
      const key = yield* sessionKey(access)
      const id = yield* idOr(handoffId, notFound)
      if (yield* repo.cancel(key, id)) return
      const { status } = yield* orNotFound(repo.find(key, id))
      if (status === "confirmed") return yield* new HandoffConfirmed()
    })

    const findOpen = Effect.fnUntraced(function* (key: HandoffKey, receiptHash: Uint8Array | null) {
      const found = yield* orNotFound(repo.findOffered(key, receiptHash))
      yield* mustBeOpen({ status: found.session_status, expired: found.session_expired })
      return found
    })

    /**
     * How it stands and whose session it is, for the second device. Changes nothing. Fails with `SessionNotFound`,
     * `SessionNotUpdatable`, or `SessionExpired`.
     */
    const inspect = Effect.fnUntraced(function* (access: HandoffAccess) {
      const key = yield* handoffKey(access)
      const found = yield* findOpen(key, null)
      return {
        handoff: { id: found.id, status: statusOf(found), expires_at: found.expires_at } satisfies Handoff,
        session: {
          id: key.sessionId,
          mode: found.mode,
          expires_at: found.session_expires_at,
          instance_config: offeredConfig(found.config)
        } satisfies OfferedSession
      }
    })

    /** What a device that got nothing was too late for; an ended hand-off, and an ended session, fail by themselves. */
    const standing = Effect.fnUntraced(function* (key: HandoffKey, receiptHash: Uint8Array) {
      const found = yield* findOpen(key, receiptHash)
      const status = statusOf(found)
      if (status === "expired") return yield* new HandoffExpired()
      if (status === "cancelled" || status === "refused") return yield* new HandoffCancelled()
      return { status, mine: found.mine }
    })

    /**
     * Claims it for the device that shows itself by `receipt`, and makes the code that the first device shows from now on.
     * The same device again is answered alike. Fails with `SessionNotFound`, `SessionNotUpdatable`, `SessionExpired`,
     * `HandoffClaimed`, `HandoffExpired`, or `HandoffCancelled`.
     */
    const claim = Effect.fnUntraced(function* (
      access: HandoffAccess,
      receipt: string,
      userAgent: string | undefined
    ) {
      const key = yield* handoffKey(access)
      const receiptHash = tokenHash(receipt)
      const claimed = yield* repo.claim(key, {
        receiptHash,
        device: deviceOf(userAgent),
        code: newMatchingCode()
      })
      if (Option.isNone(claimed)) {
        yield* standing(key, receiptHash)
        return yield* new HandoffClaimed()
      }
      return { ...claimed.value, status: "claimed" } satisfies Handoff
    })

    /**
     * Gives the session to the device that has claimed it, if `code` is the right one; a wrong one ends the hand-off. What
     * goes over is given out once. Fails with `WrongMatchingCode`, `HandoffNotClaimed`, `HandoffConfirmed`, and otherwise
     * like `claim`.
     */
    const confirm = Effect.fnUntraced(function* (access: HandoffAccess, receipt: string, code: string) {
      const key = yield* handoffKey(access)
      const receiptHash = tokenHash(receipt)
      const decided = yield* repo.decide(key, receiptHash, code)
      if (Option.isNone(decided)) {
        const { mine, status } = yield* standing(key, receiptHash)
        return yield* mine && status === "confirmed" ? new HandoffConfirmed() : new HandoffNotClaimed()
      }
      const { correct, expires_at, id, sealed } = decided.value
      if (!correct) return yield* new WrongMatchingCode()
      // Only another SECRET_KEY than at its beginning keeps it shut: a fault of ours.
      const freight = yield* Effect.orDie(open("kyc-handoff", access.secret, sealed, id))
      const { carry, token } = unpackFreight(freight)
      return {
        handoff: { id, status: "confirmed", expires_at } satisfies Handoff,
        sessionToken: token,
        carry
      }
    })

    return { create, follow, cancel, inspect, claim, confirm }
  })
}) {}
