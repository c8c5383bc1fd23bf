import { Effect, Option } from "effect"
import { Config } from "../../config.ts"
import { foundOr } from "../../found.ts"
import type { JsonObject } from "../../model.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { parseId } from "../../secrets/identifier.ts"
import { isWellFormed, tokenHash } from "../../secrets/token.ts"
import { ProgressTooLarge, SessionExpired, SessionNotFound, SessionNotUpdatable } from "./errors.ts"
import { isFinished, type SessionKey, type Status } from "./model.ts"
import { SessionRepo } from "./repo.ts"

/** A browser's proof that it may use a session. */
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
}

/** The look-up key of a session; a malformed token fails like an unknown session. */
export const sessionKey = ({
  sessionId,
  token
}: SessionAccess): Effect.Effect<SessionKey, SessionNotFound> => {
  const id = parseId(sessionId)
  return id === undefined || !isWellFormed("kyc_sess_", token)
    ? Effect.fail(new SessionNotFound())
    : Effect.succeed({ id, tokenHash: tokenHash(token) })
}

/**
 * Fails with `SessionNotUpdatable` for a finished session, even an expired one, and with `SessionExpired` for any other
 * expired session.
 */
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

    /** Fails with `SessionNotFound`, or with `SessionExpired` after the session's lifetime, whatever its status. */
    const read = Effect.fnUntraced(function* (access: SessionAccess) {
      const { expired, ...session } = yield* orNotFound(repo.find(yield* sessionKey(access)))
      return expired ? yield* new SessionExpired() : session
    })

    /** Why an update changed no session. If the session is open, its progress would have been too large. */
    const whyNotUpdated = Effect.fnUntraced(function* (key: SessionKey) {
      yield* mustBeOpen(yield* orNotFound(repo.findState(key)))
      return yield* new ProgressTooLarge()
    })

    /**
     * Merges progress and sets the status atomically. Fails with `SessionNotFound`, `SessionNotUpdatable` if finished,
     * `SessionExpired` or `ProgressTooLarge`.
     */
    const update = Effect.fnUntraced(function* (access: SessionAccess, { progress, status }: Progress) {
      const key = yield* sessionKey(access)
      const updated = yield* repo.updateProgress(key, progress ?? {}, status)
      if (Option.isNone(updated)) return yield* whyNotUpdated(key)
      if (status === "failed" || status === "cancelled") kycSessions[status].add()
      return updated.value
    })

    /**
     * Finishes the session. A finished session stays unchanged and returns its original result, so a retry is safe; of
     * two requests at once, one wins. Fails with `SessionNotFound` or `SessionExpired`.
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
        redirectUrl: found.redirect_url ?? `${appUrl}/kyc/session/${found.id}/done`
      }
    })

    return { read, update, complete }
  })
}) {}
