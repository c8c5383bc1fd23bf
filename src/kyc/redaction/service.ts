import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { afterCommit } from "../../db/sql.ts"
import { idOr } from "../../shared/found.ts"
import { WorkSignal } from "../../work/signal-service.ts"
import { noSession, type SessionNotFound } from "../sessions/errors.ts"
import { RedactionRepo } from "./repo.ts"

/** Destroys the personal data of sessions (docs/privacy.md#redaction). */
export class Redaction extends Effect.Service<Redaction>()("Redaction", {
  dependencies: [RedactionRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* RedactionRepo
    const audit = yield* Audit
    const { wake } = yield* WorkSignal

    /**
     * From the commit on, nobody can read the session's data. The contents of its files are deleted afterwards, by `removal`. A second call
     * changes nothing. Fails with `SessionNotFound`, also for a session of another company.
     */
    const redact = (by: Actor, sessionId: string): Effect.Effect<void, SessionNotFound> =>
      idOr(sessionId, noSession).pipe(
        Effect.flatMap((id) => repo.redact(by.companyId, id)),
        Effect.flatMap(([redacted]) =>
          redacted === undefined ? Effect.fail(noSession()) : Effect.succeed(redacted)
        ),
        Effect.zipLeft(afterCommit(wake)),
        audit.recording(by, ({ id, now }) =>
          now ? [{ action: "kyc_session.redacted", id, name: null, details: {} }] : []
        ),
        Effect.asVoid
      )

    return { redact }
  })
}) {}
