import { type Cause, Chunk, Effect } from "effect"
import { type Actor, operator } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { afterCommit } from "../../db/sql.ts"
import { retentionFailures } from "../../observability/metrics.ts"
import { idOr } from "../../shared/found.ts"
import { Timing } from "../../shared/timing.ts"
import { WorkSignal } from "../../work/signal-service.ts"
import { noSession, type SessionNotFound } from "../sessions/errors.ts"
import { SessionMonthRepo } from "./months-repo.ts"
import { type Due, RedactionRepo } from "./repo.ts"

/** The actor in the audit trail when the time of a session is over. */
const ownName = "doorlock"

/** Of how many versions the sessions are looked up at once. */
const rulesAtOnce = 1_000

/** After so many failures, the rest of these versions waits for the next hour. */
const mostFailures = 100

/** What failed, so that it is not tried twice in a round. */
interface Failed {
  readonly ids: Set<string>
  /** Whether the round stopped before it had tried all. */
  stopped: boolean
}

/** Destroys the personal data of sessions (docs/privacy.md#redaction). */
export class Redaction extends Effect.Service<Redaction>()("Redaction", {
  dependencies: [RedactionRepo.Default, SessionMonthRepo.Default],
  effect: Effect.gen(function* () {
    const { retention } = yield* Config
    const repo = yield* RedactionRepo
    const months = yield* SessionMonthRepo
    const audit = yield* Audit
    const { wake } = yield* WorkSignal
    const { spaced } = yield* Timing
    const failed: Readonly<Record<"data" | "files", Failed>> = {
      data: { ids: new Set(), stopped: false },
      files: { ids: new Set(), stopped: false }
    }

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

    const retire = ({ company_id, id }: Due) =>
      // None: it was resumed, or deleted, after it was found.
      Effect.catchTag(redact(operator(company_id, ownName), id, true), "SessionNotFound", () => Effect.void)

    const removeFiles = ({ company_id, id }: Due) =>
      repo.deleteFiles(id).pipe(
        Effect.zipLeft(afterCommit(wake)),
        audit.recording(operator(company_id, ownName), (files) =>
          files > 0 ? [{ action: "kyc_session.files_deleted", id, name: null, details: { files } }] : []
        )
      )

    /** Acts on each, some at a time with pauses, until no more are due. What fails is counted and left for a later round. */
    const actOn = Effect.fnUntraced(function* (
      what: keyof typeof failed,
      find: (except: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Due>>,
      act: (due: Due) => Effect.Effect<unknown>
    ) {
      const { ids } = failed[what]
      const mostIds = ids.size + mostFailures
      const failing = (id: string, cause: Cause.Cause<never>) =>
        Effect.logWarning(`Retention failed for the ${what} of a session; trying again later`, cause).pipe(
          Effect.annotateLogs({ session: id }),
          Effect.zipLeft(
            Effect.sync(() => {
              ids.add(id)
              retentionFailures[what].add()
            })
          )
        )
      const some = Effect.tap(
        Effect.suspend(() => find([...ids])),
        (found) =>
          Effect.forEach(found, (due) => Effect.catchAllCause(act(due), (cause) => failing(due.id, cause)), {
            discard: true
          })
      )
      yield* Effect.repeat(some, {
        while: (found) => found.length > 0 && ids.size < mostIds,
        schedule: spaced("kyc.between_batches")
      })
      if (ids.size >= mostIds) failed[what].stopped = true
    })

    /** After a round that stopped, the next one first tries the others: those that failed would stop it at the same place. */
    const beginRound = Effect.sync(() => {
      for (const one of Object.values(failed)) {
        if (!one.stopped) one.ids.clear()
        one.stopped = false
      }
    })

    /** Destroys the data of sessions, and deletes files, that were stored long enough (docs/privacy.md#retention). */
    const retain = Effect.gen(function* () {
      yield* beginRound
      const all = yield* repo.rules(retention)
      const each = (
        setting: keyof typeof repo.due,
        what: keyof typeof failed,
        act: (due: Due) => Effect.Effect<unknown>
      ) => {
        const rules = all.flatMap(({ endedBefore, version_id, [setting]: days }) => {
          // Files go with the data.
          const before = what === "data" ? endedBefore : null
          return days === null && before === null ? [] : [{ version_id, days, before }]
        })
        return Effect.forEach(
          Chunk.chunksOf(Chunk.fromIterable(rules), rulesAtOnce),
          (some) => actOn(what, (except) => repo.due[setting](Chunk.toReadonlyArray(some), except), act),
          { discard: true }
        )
      }
      yield* each("finishedDays", "data", retire)
      yield* each("unfinishedDays", "data", retire)
      yield* each("filesDays", "files", removeFiles)
      // A month that is dropped has no data of anybody, whatever the instances say.
      if (retention.sessionsMonths === undefined) return
      for (const month of yield* months.due(retention.sessionsMonths)) {
        yield* actOn("data", (except) => repo.finishedIn(month, except), retire)
        yield* actOn("data", (except) => repo.expiredIn(month, except), retire)
      }
    })

    return { redact, retain }
  })
}) {}
