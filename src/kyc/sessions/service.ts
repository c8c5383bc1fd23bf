import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ActingUser } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { foundOr } from "../../found.ts"
import { attemptLimit } from "../../limits/attempts.ts"
import type { JsonObject } from "../../model.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { sha256 } from "../../secrets/digest.ts"
import { newId, parseId } from "../../secrets/identifier.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { isWellFormed, newToken, tokenHash } from "../../secrets/token.ts"
import { InstanceForbidden, InstanceNotFound } from "../instances/errors.ts"
import {
  CreationKeyReused,
  DevModeRefused,
  ProgressTooLarge,
  SessionExpired,
  SessionNotFound,
  SessionNotUpdatable
} from "./errors.ts"
import { isFinished, redirectUrl, type SessionKey, type Status } from "./model.ts"
import { fingerprintOf, type SessionRequest, tokenOf } from "./repeated-creation.ts"
import { type NewSession, SessionRepo } from "./repo.ts"

/** Seconds a session lives unless the partner says otherwise (contract.md#session-lifetime). */
export const defaultLifeSeconds = 3600

/** A session that is asked for, but for what is new with each. */
type Asked = Omit<NewSession, "id" | "tokenHash">

/** What only the database knows of a session that was made. */
interface Made {
  readonly id: string
  readonly instance_id: string
  readonly created_at: Date
  readonly expires_at: Date
}

/** What a browser proves its right to a session with. */
export interface SessionAccess {
  readonly sessionId: string
  readonly token: string
}

interface Progress {
  /** Merged into the stored progress key by key at the top level. */
  readonly progress?: JsonObject | undefined
  readonly status?: Exclude<Status, "completed"> | undefined
}

interface Completion {
  readonly result?: unknown
  readonly status?: "completed" | "failed" | "cancelled" | undefined
}

/** The key to look a session up by; fails like an unknown session when there can be none. */
export const sessionKey = ({
  sessionId,
  token
}: SessionAccess): Effect.Effect<SessionKey, SessionNotFound> => {
  const id = parseId(sessionId)
  return id === undefined || !isWellFormed("kyc_sess_", token)
    ? Effect.fail(new SessionNotFound())
    : Effect.succeed({ id, tokenHash: tokenHash(token) })
}

/** Fails with `SessionNotUpdatable` for a finished session, also once past its time, else `SessionExpired`. */
export const mustBeOpen = ({
  expired,
  status
}: {
  readonly expired: boolean
  readonly status: Status
}): Effect.Effect<void, SessionNotUpdatable | SessionExpired> => {
  if (isFinished(status)) return Effect.fail(new SessionNotUpdatable())
  return expired ? Effect.fail(new SessionExpired()) : Effect.void
}

const orNotFound = foundOr(() => new SessionNotFound())

/** Identity-verification sessions (contract.md#kyc-sessions). */
export class Sessions extends Effect.Service<Sessions>()("Sessions", {
  effect: Effect.gen(function* () {
    const { appUrl, devModeAllowed } = yield* Config
    const repo = yield* SessionRepo
    const audit = yield* Audit
    const secretKey = yield* SecretKey
    const tokenKey = secretKey.derive("kyc-session")
    const acceptedKeys = secretKey.accepted("kyc-session")
    const tests = yield* attemptLimit("test session", 60, 10)

    /** What is asked for, in one form whatever the words; nothing has been looked up. */
    const check = Effect.fnUntraced(function* (companyId: string, request: SessionRequest) {
      const mode = request.mode ?? "prod"
      if (mode === "dev" && !devModeAllowed) return yield* new DevModeRefused()
      const instanceId = request.instanceId === undefined ? undefined : parseId(request.instanceId)
      if (request.instanceId !== undefined && instanceId === undefined) return yield* new InstanceNotFound()
      return {
        companyId,
        instance: { id: instanceId, publicKey: request.instanceKey },
        mode,
        externalReference: request.externalReference ?? null,
        expiresInSeconds: request.expiresInSeconds ?? defaultLifeSeconds,
        successRedirectUrl: request.successRedirectUrl ?? null,
        failureRedirectUrl: request.failureRedirectUrl ?? null,
        metadata: request.metadata ?? null
      } satisfies Asked
    })

    const answer = ({ companyId, externalReference, mode }: Asked, made: Made, token: string) => ({
      session: {
        id: made.id,
        instance_id: made.instance_id,
        company_id: companyId,
        mode,
        status: "created" as const,
        external_reference: externalReference,
        expires_at: made.expires_at,
        created_at: made.created_at
      },
      verificationUrl: `${appUrl}/kyc/session/${made.id}?token=${token}`,
      sessionToken: token
    })

    const make = Effect.fnUntraced(function* (companyId: string, request: SessionRequest) {
      const asked = yield* check(companyId, request)
      const id = newId()
      const token = newToken("kyc_sess_")
      const inserted = yield* repo.insert({ ...asked, id, tokenHash: tokenHash(token) })
      if (Option.isNone(inserted)) return yield* new InstanceNotFound()
      const { created_at, expires_at, instance_id, own } = inserted.value
      if (!own || created_at === null || expires_at === null) return yield* new InstanceForbidden()
      return answer(asked, { id, instance_id, created_at, expires_at }, token)
    })

    const makeOnce = Effect.fnUntraced(function* (
      companyId: string,
      request: SessionRequest,
      idempotencyKey: string
    ) {
      const asked = yield* check(companyId, request)
      const id = newId()
      const added = { ...asked, id, tokenHash: tokenHash(tokenOf(tokenKey, id, idempotencyKey)) }
      // An id is the same id in either case of its letters.
      const words = { ...request, instanceId: asked.instance.id }
      const { fingerprint, kept, own } = yield* repo.insertOnce(
        added,
        sha256(idempotencyKey),
        fingerprintOf(tokenKey, companyId, words)
      )
      if (kept === null || fingerprint === null) {
        if (own === null) return yield* new InstanceNotFound()
        if (!own) return yield* new InstanceForbidden()
        return yield* Effect.dieMessage("The session of the Idempotency-Key went while it was looked for")
      }
      // What was made before SECRET_KEY was replaced is still known by the one before it.
      const found = acceptedKeys
        .map((key) => ({ key, token: tokenOf(key, kept.session_id, idempotencyKey) }))
        .find(({ token }) => tokenHash(token).toHex() === kept.token_hash)
      if (found === undefined) {
        return yield* Effect.dieMessage("The session was made under another SECRET_KEY")
      }
      const { key, token } = found
      if (Buffer.compare(fingerprintOf(key, companyId, words), fingerprint) !== 0) {
        return yield* new CreationKeyReused()
      }
      return {
        created: answer(asked, { ...kept, id: kept.session_id }, token),
        replayed: kept.session_id !== id
      }
    })

    const countCreated = <A>(made: A): A => {
      kycSessions.created.add()
      return made
    }

    /**
     * Creates a session of an instance of `companyId`. The token is in this answer and, hashed, in the
     * database; nowhere else. Fails with `DevModeRefused`, `InstanceNotFound` (also for a disabled one), or
     * `InstanceForbidden` for another company's.
     */
    const create = (companyId: string, request: SessionRequest) =>
      Effect.map(make(companyId, request), countCreated)

    /**
     * The same, safely to be tried again: the same request with the same Idempotency-Key gets the same session for 24 hours.
     * The token is not stored for that: it is derived from `SECRET_KEY`, the session and the Idempotency-Key, of which the
     * database has a hash. `replayed` says that the session was there. Fails with `CreationKeyReused`, too. Dies for a session
     * that was made under a `SECRET_KEY` that is no longer known: its token cannot be told again.
     */
    const createOnce = (companyId: string, request: SessionRequest, idempotencyKey: string) =>
      Effect.tap(makeOnce(companyId, request, idempotencyKey), ({ replayed }) => {
        if (!replayed) kycSessions.created.add()
        return Effect.void
      })

    /**
     * Creates a session of mode `dev`, as a dashboard user tries an instance out with. Fails with `DevModeRefused`,
     * `InstanceNotFound`, also for another company's, or `TooManyRequests` after very many from one address.
     */
    const createTest = (by: ActingUser, instanceId: string) =>
      make(by.companyId, { instanceId, mode: "dev" }).pipe(
        audit.recording(by, ({ session: { id, instance_id, mode } }) => [
          { action: "kyc_session.created", id, name: null, details: { instance_id, mode } }
        ]),
        (created) => tests.limiting(by.address ?? "", created),
        Effect.map(countCreated),
        Effect.catchTag("InstanceForbidden", () => Effect.fail(new InstanceNotFound()))
      )

    /** Fails with `SessionNotFound`, or `SessionExpired` once past its time, whatever its status. */
    const read = Effect.fnUntraced(function* (access: SessionAccess) {
      const { expired, ...session } = yield* orNotFound(repo.find(yield* sessionKey(access)))
      return expired ? yield* new SessionExpired() : session
    })

    /** Why an update found no session to change. Of an open one it can only have been the size. */
    const whyNotUpdated = Effect.fnUntraced(function* (key: SessionKey) {
      yield* mustBeOpen(yield* orNotFound(repo.findState(key)))
      return yield* new ProgressTooLarge()
    })

    /**
     * Merges progress and sets the status, atomically. Fails with `SessionNotFound`, `SessionNotUpdatable`
     * when finished, `SessionExpired`, or `ProgressTooLarge`.
     */
    const update = Effect.fnUntraced(function* (access: SessionAccess, { progress, status }: Progress) {
      const key = yield* sessionKey(access)
      const updated = yield* repo.updateProgress(key, progress ?? {}, status)
      if (Option.isNone(updated)) return yield* whyNotUpdated(key)
      if (status === "failed" || status === "cancelled") kycSessions[status].add()
      return updated.value
    })

    /**
     * Finishes the session. A finished one is answered as it was finished, and nothing changes: a retry is
     * safe, and of two at once one wins. Fails with `SessionNotFound`, or `SessionExpired`.
     */
    const complete = Effect.fnUntraced(function* (
      access: SessionAccess,
      { result, status = "completed" }: Completion
    ) {
      const key = yield* sessionKey(access)
      const finished = Option.getOrUndefined(yield* repo.finish(key, status, result))
      const found = finished ?? (yield* orNotFound(repo.findFinished(key)))
      if (!isFinished(found.status)) return yield* new SessionExpired()
      if (finished !== undefined) kycSessions[status].add()
      return {
        session: { id: found.id, status: found.status },
        redirectUrl: redirectUrl(appUrl, {
          id: found.id,
          status: found.status,
          successUrl: found.success_url,
          failureUrl: found.failure_url
        })
      }
    })

    return { create, createOnce, createTest, read, update, complete }
  })
}) {}
