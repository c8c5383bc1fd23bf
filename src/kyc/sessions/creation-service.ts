import { Effect } from "effect"
import type { ActingUser, Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { attemptLimit } from "../../limits/attempts.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { sha256 } from "../../secrets/digest.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { newToken, tokenHash } from "../../secrets/token.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId } from "../../shared/identifier.ts"
import { InstanceForbidden, InstanceNotFound } from "../instances/model.ts"
import { type NewSession, SessionCreationRepo } from "./creation-repo.ts"
import { CreationKeyReused, DevModeRefused } from "./errors.ts"
import { SessionKeys } from "./keys-service.ts"
import type { CreatedSession, SessionKey, SessionRequest } from "./model.ts"
import { fingerprintOf, resumedTokenOf, tokenOf } from "./repeated-creation.ts"
import { sealMetadata } from "./sealing-model.ts"

/** The default lifetime of a session, in seconds (contract.md#session-lifetime). */
const defaultLifeSeconds = 3600

const noInstance = () => new InstanceNotFound()

/** A request that was checked, with its defaults. */
type Asked = SessionRequest & Pick<NewSession, "companyId" | "mode" | "expiresInSeconds">

/** Creates identity-verification sessions (contract.md#kyc-sessions). */
export class SessionCreation extends Effect.Service<SessionCreation>()("SessionCreation", {
  dependencies: [SessionCreationRepo.Default],
  effect: Effect.gen(function* () {
    const { appUrl, devModeAllowed } = yield* Config
    const repo = yield* SessionCreationRepo
    const keys = yield* SessionKeys
    const audit = yield* Audit
    const secretKey = yield* SecretKey
    const tokenKey = secretKey.derive("kyc-session")
    const acceptedKeys = secretKey.accepted("kyc-session")
    const resumingKeys = secretKey.accepted("kyc-session-resumed")
    const tests = yield* attemptLimit("test session", 60, 10)

    /** Checks and normalizes the request without a lookup. */
    const check = (
      companyId: string,
      request: SessionRequest
    ): Effect.Effect<Asked, DevModeRefused | InstanceNotFound> => {
      const mode = request.mode ?? "prod"
      if (mode === "dev" && !devModeAllowed) return new DevModeRefused()
      const expiresInSeconds = request.expiresInSeconds ?? defaultLifeSeconds
      const asked = { ...request, companyId, mode, expiresInSeconds }
      return request.instanceId === undefined
        ? Effect.succeed(asked)
        : Effect.map(idOr(request.instanceId, noInstance), (instanceId) => ({ ...asked, instanceId }))
    }

    /** @param made what only the database knows of the session */
    const answer = (
      { companyId, externalReference, mode }: Asked,
      made: Pick<CreatedSession, "id" | "instance_id" | "created_at" | "expires_at">,
      token: string
    ) => ({
      session: {
        ...made,
        company_id: companyId,
        mode,
        status: "created",
        external_reference: externalReference ?? null
      } satisfies CreatedSession,
      verificationUrl: `${appUrl}/kyc/session/${made.id}?token=${token}`,
      sessionToken: token
    })

    const sealed = (asked: Asked, key: SessionKey, made: ReturnType<typeof keys.make>): NewSession => ({
      ...asked,
      ...key,
      key: made.sealed,
      metadata: sealMetadata(made.key, asked.metadata)
    })

    const make = Effect.fnUntraced(function* (
      companyId: string,
      request: SessionRequest,
      insert: typeof repo.insert
    ) {
      const asked = yield* check(companyId, request)
      const id = newId()
      const token = newToken("kyc_sess_")
      const key = { id, tokenHash: tokenHash(token) }
      const made = keys.make(companyId, id)
      const { created_at, expires_at, instance_id, own, version_id } = yield* insert(
        sealed(asked, key, made)
      ).pipe(foundOr(noInstance))
      if (!own || created_at === null || expires_at === null) return yield* new InstanceForbidden()
      keys.remember(key, { key: made.key, about: { companyId, mode: asked.mode, versionId: version_id } })
      return answer(asked, { id, instance_id, created_at, expires_at }, token)
    })

    /** Whoever gets the link of a resumed session is noted as the one who resumed it is, once. */
    const showLink = (by: Actor, id: string) =>
      repo
        .noteShown(by.companyId, id, by.id)
        .pipe(
          audit.recording(by, (isNew) =>
            isNew ? [{ action: "kyc_session.link_shown", id, name: null }] : []
          )
        )

    const makeOnce = Effect.fnUntraced(function* (
      by: Actor,
      request: SessionRequest,
      idempotencyKey: string
    ) {
      const { companyId } = by
      const asked = yield* check(companyId, request)
      const id = newId()
      const added = sealed(
        asked,
        { id, tokenHash: tokenHash(tokenOf(tokenKey, id, idempotencyKey)) },
        keys.make(companyId, id)
      )
      // UUIDs are case-insensitive, so the fingerprint uses the normalized id.
      const words = { ...request, instanceId: asked.instanceId }
      const { fingerprint, kept, own, resumed } = yield* repo.insertOnce(
        added,
        sha256(idempotencyKey),
        fingerprintOf(tokenKey, companyId, words)
      )
      if (kept === null || fingerprint === null) {
        if (own === null) return yield* new InstanceNotFound()
        if (!own) return yield* new InstanceForbidden()
        return yield* Effect.dieMessage("The session of the Idempotency-Key was deleted during the lookup")
      }
      // Sessions created under the previous SECRET_KEY are still accepted.
      const found = acceptedKeys
        .map((key) => ({ key, token: tokenOf(key, kept.session_id, idempotencyKey) }))
        .find(({ token }) => tokenHash(token).toHex() === kept.token_hash)
      if (found === undefined) {
        return yield* Effect.dieMessage("The session was created under another SECRET_KEY")
      }
      const { key, token } = found
      if (Buffer.compare(fingerprintOf(key, companyId, words), fingerprint) !== 0) {
        return yield* new CreationKeyReused()
      }
      const { session_id, token_hash, ...made } = kept
      const renewed =
        resumed === null
          ? undefined
          : resumingKeys
              .map((resuming) => resumedTokenOf(resuming, session_id, resumed.token_salt))
              .find((candidate) => tokenHash(candidate).toHex() === resumed.token_hash)
      if (renewed !== undefined) yield* showLink(by, session_id)
      const expires_at = renewed === undefined || resumed === null ? made.expires_at : resumed.expires_at
      return {
        created: answer(asked, { ...made, expires_at, id: session_id }, renewed ?? token),
        replayed: session_id !== id
      }
    })

    const countCreated = Effect.sync(() => kycSessions.created.add())

    /**
     * The token appears only here and, hashed, in the database. Fails with `DevModeRefused`,
     * `InstanceNotFound` (also for a disabled instance), or `InstanceForbidden` for another company's
     * instance.
     */
    const create = (companyId: string, request: SessionRequest) =>
      Effect.tap(make(companyId, request, repo.insert), countCreated)

    /**
     * Like `create`, but for 24 hours the same request with the same Idempotency-Key gets the same session.
     * The token derives from `SECRET_KEY`, the session's id and the Idempotency-Key, and only hashes are
     * stored. After the session was resumed, the answer has the token and expiry of then, because the first token no longer works, and it is noted who got it.
     * Also fails with `CreationKeyReused`; dies if the `SECRET_KEY` of the session is no longer
     * configured.
     */
    const createOnce = (by: Actor, request: SessionRequest, idempotencyKey: string) =>
      Effect.tap(makeOnce(by, request, idempotencyKey), ({ replayed }) =>
        replayed ? Effect.void : countCreated
      )

    /**
     * For a dashboard user. Fails with `DevModeRefused`, `InstanceNotFound` (also for another company's
     * instance), or `TooManyRequests` after too many from one address.
     */
    const createTest = (by: ActingUser, instanceId: string) =>
      make(by.companyId, { instanceId, mode: "dev" }, repo.insertAlone).pipe(
        audit.recording(by, ({ session: { id, instance_id, mode } }) => [
          { action: "kyc_session.created", id, name: null, details: { instance_id, mode } }
        ]),
        (created) => tests.limiting(by.address ?? "", created),
        Effect.tap(countCreated),
        Effect.catchTag("InstanceForbidden", () => Effect.fail(noInstance()))
      )

    return { create, createOnce, createTest }
  })
}) {}
