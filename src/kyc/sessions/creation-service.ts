import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ActingUser } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { attemptLimit } from "../../limits/attempts.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { sha256 } from "../../secrets/digest.ts"
import { newId, parseId } from "../../secrets/identifier.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { newToken, tokenHash } from "../../secrets/token.ts"
import { InstanceForbidden, InstanceNotFound } from "../instances/errors.ts"
import { CreationKeyReused, DevModeRefused } from "./errors.ts"
import { fingerprintOf, type SessionRequest, tokenOf } from "./repeated-creation.ts"
import { type NewSession, SessionRepo } from "./repo.ts"

/** Seconds a session lives unless the partner says otherwise (contract.md#session-lifetime). */
const defaultLifeSeconds = 3600

/** A session that is asked for, but for what is new with each. */
type Asked = Omit<NewSession, "id" | "tokenHash">

/** What only the database knows of a session that was made. */
interface Made {
  readonly id: string
  readonly instance_id: string
  readonly created_at: Date
  readonly expires_at: Date
}

/** Making identity-verification sessions (contract.md#kyc-sessions). */
export class SessionCreation extends Effect.Service<SessionCreation>()("SessionCreation", {
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

    return { create, createOnce, createTest }
  })
}) {}
