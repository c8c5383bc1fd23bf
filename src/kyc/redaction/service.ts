import { Effect, Schedule } from "effect"
import { type Actor, operator } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { afterCommit } from "../../db/sql.ts"
import { idOr } from "../../shared/found.ts"
import { WorkSignal } from "../../work/signal-service.ts"
import { noSession, type SessionNotFound } from "../sessions/errors.ts"
import { RedactionRepo } from "./repo.ts"

/** The actor in the audit trail when the time of a session is over. */
const ownName = "doorlock"

const pause = "50 millis"

/** Destroys the personal data of sessions (docs/privacy.md#redaction). */
export class Redaction extends Effect.Service<Redaction>()("Redaction", {
  dependencies: [RedactionRepo.Default],
  effect: Effect.gen(function* () {
    const { retention } = yield* Config
    const repo = yield* RedactionRepo
    const audit = yield* Audit
    const { wake } = yield* WorkSignal

    /**
     * From the commit on, nobody can read the session's data. The contents of its files are deleted afterwards, by `removal`. A second call
     * changes nothing. Fails with `SessionNotFound`, also for a session of another company.
     * @param ended only if it has ended; otherwise it also fails with `SessionNotFound`
     */
    const redact = (by: Actor, sessionId: string, ended = false): Effect.Effect<void, SessionNotFound> =>
      idOr(sessionId, noSession).pipe(
        Effect.flatMap((id) => repo.redact(by.companyId, id, ended)),
        Effect.flatMap(([redacted]) =>
          redacted === undefined ? Effect.fail(noSession()) : Effect.succeed(redacted)
        ),
        Effect.zipLeft(afterCommit(wake)),
        audit.recording(by, ({ id, now }) =>
          now ? [{ action: "kyc_session.redacted", id, name: null, details: {} }] : []
        ),
        Effect.asVoid
      )

    /** Acts on what `find` finds until it finds nothing more, with pauses in which requests have priority. */
    const untilNone = (
      find: ReturnType<typeof repo.dueFiles>,
      act: (due: {
        readonly id: string
        readonly company_id: string
      }) => Effect.Effect<unknown, SessionNotFound>
    ): Effect.Effect<void, SessionNotFound> =>
      Effect.asVoid(
        Effect.repeat(
          Effect.tap(find, (found) => Effect.forEach(found, act, { discard: true })),
          { while: (found) => found.length > 0, schedule: Schedule.spaced(pause) }
        )
      )

    const retire = ({ company_id, id }: { readonly id: string; readonly company_id: string }) =>
      // None: it was resumed, or deleted, after it was found.
      Effect.catchTag(redact(operator(company_id, ownName), id, true), "SessionNotFound", () => Effect.void)

    /** Destroys the data of sessions, and deletes files, that were stored long enough (docs/privacy.md#retention). */
    const retain = Effect.gen(function* () {
      yield* untilNone(repo.dueFinished(retention.finishedDays), retire)
      yield* untilNone(repo.dueUnfinished(retention.unfinishedDays), retire)
      yield* untilNone(repo.dueFiles(retention.filesDays), ({ id }) =>
        Effect.zipLeft(repo.deleteFiles(id), Effect.sync(wake))
      )
    })

    return { redact, retain }
  })
}) {}
