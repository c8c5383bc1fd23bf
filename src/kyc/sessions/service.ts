import { Clock, Effect, Option } from "effect"
import { LRUCache } from "lru-cache"
import { Config } from "../../config.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { hmacSha256, sha256 } from "../../secrets/digest.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { isWellFormed, tokenHash } from "../../secrets/token.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import type { JsonObject } from "../../shared/schemas.ts"
import { DedupHashes } from "../dedup/hashes-service.ts"
import { preimageOf } from "../dedup/identity-model.ts"
import type { Workflow } from "../instances/workflow-model.ts"
import { type PartsOfResult, partsOfResult, workflowOf } from "./answers-model.ts"
import { type DedupRules, dedupRules, identitiesIn } from "./compared-model.ts"
import {
  noSession,
  ProgressTooLarge,
  SessionExpired,
  type SessionNotFound,
  SessionNotUpdatable
} from "./errors.ts"
import type { Circumstances } from "./judgement-model.ts"
import { type Held, type SessionFacts, SessionKeys } from "./keys-service.ts"
import { isFinished, type SessionKey, type SessionState, type Status } from "./model.ts"
import { SessionRepo, stepsOf } from "./repo.ts"
import { maxProgressBytes, printed, sealProgress, sealResult } from "./sealing-model.ts"
import { fieldHash, type StepResults, sentResults, stepResults } from "./step-results-model.ts"
import type { Sent } from "./writes-model.ts"
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
        return Effect.map(repo.wholeVersion(versionId), ({ config, workflow }) => {
          const version = { workflow: workflowOf(workflow), dedup: dedupRules(config, companyId) }
          versions.set(versionId, version)
          return version
        })
      })

    /** Judges what a browser sent by its version's workflow; undefined if that has another version of the format. */
    const judged = <Results>(
      { about, key }: Held,
      judge: (workflow: Workflow, given: Circumstances) => Results
    ): Effect.Effect<Results | undefined> =>
      Effect.zipWith(versionOf(about), Clock.currentTimeMillis, ({ dedup, workflow }, now) =>
        Option.isNone(workflow)
          ? undefined
          : judge(workflow.value, { dedup, now: new Date(now), hash: fieldHash(key) })
      )

    const resultsOf = (held: Held, progress: JsonObject): Effect.Effect<StepResults> =>
      stepsOf(progress).length === 0
        ? Effect.succeed({})
        : Effect.map(
            judged(held, (workflow, given) => stepResults(workflow, progress, given)),
            (results = {}) => results
          )

    /** The stored hashes that each document or person in a result may have, by step. */
    const comparedIn = (
      { companyId, mode }: SessionFacts,
      { endsSession, scope }: DedupRules,
      parts: PartsOfResult
    ): NonNullable<Sent["compared"]> =>
      endsSession
        ? Object.fromEntries(
            identitiesIn(parts).map(([step, identity]) => [
              step,
              hashes
                .accepted(companyId, mode, sha256(preimageOf(scope, identity)).toHex())
                .map((hmac) => hmac.toHex())
            ])
          )
        : {}

    /** What the statement that completes the session has to know of the result. */
    const sentIn = (held: Held, result: unknown): Effect.Effect<Sent> =>
      Effect.map(
        judged(held, (workflow, given) => {
          const parts = partsOfResult(workflow, result)
          return parts.length === 0
            ? {}
            : {
                ...sentResults(workflow, parts, given),
                compared: comparedIn(held.about, given.dedup, parts)
              }
        }),
        (sent = {}) => sent
      )

    /**
     * Fails with `SessionNotFound`, `SessionNotUpdatable` (also for answers that were carried over), `SessionExpired` or
     * `ProgressTooLarge`; dies if the session's key is missing.
     */
    const update = Effect.fnUntraced(function* (access: SessionAccess, { progress = {}, status }: Progress) {
      const key = yield* sessionKey(access)
      const held = yield* keys.forHolder(key)
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
      const held = yield* keys.forHolder(key)
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
