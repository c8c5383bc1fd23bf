import { Clock, Effect, Option } from "effect"
import { LRUCache } from "lru-cache"
import { Config } from "../../config.ts"
import { kycSessions } from "../../observability/metrics.ts"
import type { DataKey } from "../../secrets/data-keys.ts"
import { hmacSha256, sha256 } from "../../secrets/digest.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { isWellFormed, tokenHash } from "../../secrets/token.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import type { JsonObject } from "../../shared/schemas.ts"
import { DedupHashes } from "../dedup/hashes-service.ts"
import { preimageOf } from "../dedup/identity-model.ts"
import { workflowOf } from "./answers-model.ts"
import { type DedupRules, dedupRules, identitiesIn } from "./compared-model.ts"
import {
  noSession,
  ProgressTooLarge,
  SessionExpired,
  type SessionNotFound,
  SessionNotUpdatable
} from "./errors.ts"
import { type Held, type SessionFacts, SessionKeys } from "./keys-service.ts"
import { isFinished, type SessionKey, type SessionState, type Status } from "./model.ts"
import { SessionRepo, stepsOf } from "./repo.ts"
import { maxProgressBytes, printed, sealProgress, sealResult } from "./sealing-model.ts"
import { fieldHash, type StepResults, sentResults, stepResults } from "./step-results-model.ts"
import { SessionWriteRepo } from "./writes-repo.ts"

/** Cached versions of instances, of some kilobytes each. */
const capacity = 1_000

export interface SessionAccess {
  readonly sessionId: string
  readonly token: string
}

interface Progress {
  /** Merged into the stored progress by top-level key. */
  readonly progress?: JsonObject | undefined
  readonly status?: Exclude<Status, "completed"> | undefined
}

interface Completion {
  readonly result?: unknown
  readonly status?: "completed" | "failed" | "cancelled" | undefined
  /** What the hosted page keeps in the browser. Stored only as a hash, and only if the session's photos are looked at. */
  readonly browserMark?: string | undefined
}

interface Version {
  readonly workflow: ReturnType<typeof workflowOf>
  readonly dedup: DedupRules
}

const orNotFound = foundOr(noSession)

/** The lookup key of a session; a malformed token fails like an unknown session. */
export const sessionKey = ({
  sessionId,
  token
}: SessionAccess): Effect.Effect<SessionKey, SessionNotFound> =>
  isWellFormed("kyc_sess_", token)
    ? Effect.map(idOr(sessionId, noSession), (id) => ({ id, tokenHash: tokenHash(token) }))
    : Effect.fail(noSession())

/** Fails with `SessionNotUpdatable` if finished, even if also expired; with `SessionExpired` if only expired. */
export const mustBeOpen = ({
  expired,
  status
}: SessionState): Effect.Effect<void, SessionNotUpdatable | SessionExpired> => {
  if (isFinished(status)) return Effect.fail(new SessionNotUpdatable())
  return expired ? Effect.fail(new SessionExpired()) : Effect.void
}

/** An open session has a key, unless the table of keys was restored from an older backup. Without it, nothing can be sealed. */
export const keyMissing = Effect.dieMessage("The key of an open session is missing in kyc_session_keys")

/** What the end user's browser does with its session (contract.md#kyc-sessions). */
export class Sessions extends Effect.Service<Sessions>()("Sessions", {
  dependencies: [SessionWriteRepo.Default, DedupHashes.Default],
  effect: Effect.gen(function* () {
    const { appUrl } = yield* Config
    const repo = yield* SessionRepo
    const writes = yield* SessionWriteRepo
    const keys = yield* SessionKeys
    const hashes = yield* DedupHashes
    const versions = new LRUCache<string, Version>({ max: capacity })
    const markKey = (yield* SecretKey).derive("browser-mark")

    /** Fails with `SessionNotFound`, or with `SessionExpired` after the session's lifetime, whatever its status. */
    const read = Effect.fnUntraced(function* (access: SessionAccess) {
      const key = yield* sessionKey(access)
      const { version_id, ...found } = yield* orNotFound(repo.find(key))
      const about = { companyId: found.company_id, mode: found.mode, versionId: version_id }
      const { expired, ...session } = keys.read(found, { ...key, about })
      return expired ? yield* new SessionExpired() : session
    })

    const versionOf = ({ companyId, versionId }: SessionFacts): Effect.Effect<Version> =>
      Effect.suspend(() => {
        const known = versions.get(versionId)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.map(repo.version(versionId), ({ config, workflow }) => {
          const version = { workflow: workflowOf(workflow), dedup: dedupRules(config, companyId) }
          versions.set(versionId, version)
          return version
        })
      })

    const noResults: StepResults = {}

    const circumstances = (dedup: DedupRules, key: DataKey) =>
      Effect.map(Clock.currentTimeMillis, (now) => ({
        dedup,
        now: new Date(now),
        hash: fieldHash(key)
      }))

    const resultsOf = Effect.fnUntraced(function* ({ about, key }: Held, progress: JsonObject) {
      if (stepsOf(progress).length === 0) return noResults
      const { dedup, workflow } = yield* versionOf(about)
      if (Option.isNone(workflow)) return noResults
      return stepResults(workflow.value, progress, yield* circumstances(dedup, key))
    })

    /** What the statement that completes the session has to know of the result. */
    const sentIn = Effect.fnUntraced(function* ({ about, key }: Held, result: unknown) {
      const { dedup, workflow } = yield* versionOf(about)
      if (Option.isNone(workflow)) return { codes: [], fields: {}, compared: {} }
      const { companyId, mode } = about
      const identities = dedup.endsSession ? identitiesIn(workflow.value, result) : []
      return {
        ...sentResults(workflow.value, result, yield* circumstances(dedup, key)),
        compared: Object.fromEntries(
          identities.map(([step, identity]) => [
            step,
            hashes
              .accepted(companyId, mode, sha256(preimageOf(dedup.scope, identity)).toHex())
              .map((hmac) => hmac.toHex())
          ])
        )
      }
    })

    /**
     * Fails with `SessionNotFound`, `SessionNotUpdatable` (also for answers that were carried over), `SessionExpired` or
     * `ProgressTooLarge`; dies if the session's key is missing.
     */
    const update = Effect.fnUntraced(function* (access: SessionAccess, { progress = {}, status }: Progress) {
      const key = yield* sessionKey(access)
      const held = yield* keys.withFacts(key)
      // The merged progress is at least as large. Printed only for holders: numbers such as 1e308 are far longer when they are printed.
      const isTooLarge = Option.isSome(held) && Buffer.byteLength(printed(progress)) > maxProgressBytes
      const updated =
        Option.isSome(held) && !isTooLarge
          ? yield* writes.updateProgress(
              key,
              sealProgress(held.value.key, progress),
              yield* resultsOf(held.value, progress),
              status
            )
          : Option.none()
      if (Option.isNone(updated)) {
        yield* mustBeOpen(yield* orNotFound(repo.findState(key)))
        if (Option.isNone(held)) return yield* keyMissing
        if (yield* repo.hasCarried(key, progress)) return yield* new SessionNotUpdatable()
        // What is left: the progress would have been too large.
        return yield* new ProgressTooLarge()
      }
      if (status === "failed" || status === "cancelled") kycSessions[status].add()
      return updated.value
    })

    /**
     * A finished session keeps its result, so a retry is safe; of two requests at once, one wins. Fails with
     * `SessionNotFound` or `SessionExpired`.
     */
    const complete = Effect.fnUntraced(function* (
      access: SessionAccess,
      { browserMark, result, status = "completed" }: Completion
    ) {
      const key = yield* sessionKey(access)
      const held = yield* keys.withFacts(key)
      const finished = Option.isSome(held)
        ? Option.getOrUndefined(
            yield* writes.finish(
              key,
              status,
              sealResult(held.value.key, result),
              yield* sentIn(held.value, result),
              browserMark === undefined ? null : hmacSha256(markKey, browserMark).toHex()
            )
          )
        : undefined
      const found = finished ?? (yield* orNotFound(repo.findFinished(key)))
      if (!isFinished(found.status)) {
        if (Option.isNone(held) && !(yield* orNotFound(repo.findState(key))).expired) return yield* keyMissing
        return yield* new SessionExpired()
      }
      if (finished !== undefined) kycSessions[status].add()
      return {
        session: { id: found.id, status: found.status },
        redirectUrl: found.redirect_url ?? `${appUrl}/kyc/session/${found.id}/done`
      }
    })

    return { read, update, complete }
  })
}) {}
