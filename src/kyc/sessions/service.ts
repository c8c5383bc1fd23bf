import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Config } from "../../config.ts"
import { foundOr } from "../../found.ts"
import type { JsonObject } from "../../model.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { parseId } from "../../secrets/identifier.ts"
import { isWellFormed, tokenHash } from "../../secrets/token.ts"
import { ProgressTooLarge, SessionExpired, SessionNotFound, SessionNotUpdatable } from "./errors.ts"
import { isFinished, redirectUrl, type SessionKey, type Status } from "./model.ts"
import { SessionRepo } from "./repo.ts"

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

/** What the end user's browser does with its session (contract.md#kyc-sessions). */
export class Sessions extends Effect.Service<Sessions>()("Sessions", {
  effect: Effect.gen(function* () {
    const { appUrl } = yield* Config
    const repo = yield* SessionRepo

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

    return { read, update, complete }
  })
}) {}
