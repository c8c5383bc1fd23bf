import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import type { Actor } from "../../audit/model.ts"
import { recordingEvents } from "../../db/outbox.ts"
import { onlyRow, orDie, row } from "../../db/sql.ts"
import { sessionEvents } from "./events-repo.ts"
import { SessionOverview, SessionState } from "./model.ts"

/** What is stored of a token: its hash, and what it is derived from besides `SECRET_KEY`. */
interface NewToken {
  readonly hash: Uint8Array
  readonly salt: Uint8Array
}

/** Changes of sessions by their company. The caller locks the session first, in a transaction. */
export class SessionLifecycleRepo extends Effect.Service<SessionLifecycleRepo>()("SessionLifecycleRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeState = row(Schema.Struct({ ...SessionState.fields, redacted: Schema.Boolean }))
    const decodeChanged = onlyRow(Schema.typeSchema(SessionOverview))

    const events = sessionEvents(sql)

    const columns = sql.literal(
      Object.keys(SessionOverview.fields)
        .map((name) => `s.${name}`)
        .join(", ")
    )

    return {
      /** Until the transaction ends, nothing else changes the session or begins a handoff of it. */
      lock: (companyId: string, id: string) =>
        decodeState(sql`
          select status, expires_at <= now() as expired, redacted_at is not null as redacted from kyc_sessions
          where company_id = ${companyId} and id = ${id}
          for no key update`),

      /** Ends the handoff that the session may have under way, and deletes its secrets. */
      endHandoffs: (id: string): Effect.Effect<void> =>
        sql`
          update kyc_handoffs set status = 'cancelled', sealed = null, code = null, ended_at = now()
          where session_id = ${id} and status in ('waiting', 'claimed')`.pipe(orDie, Effect.asVoid),

      cancel: (companyId: string, id: string) =>
        decodeChanged(sql`
          with s as (
            update kyc_sessions set status = 'cancelled', completed_at = now(), updated_at = now(),
              missing_steps = kyc_missing_steps(id, version_id, step_results), step_results = '{}'
            where company_id = ${companyId} and id = ${id}
            returning *
          ), recorded as (${events.finished})
          select ${columns} from s`).pipe(recordingEvents),

      /** Notes who is shown the new link. Without `expiresInSeconds`, the session expires when it would have expired anyway. */
      resume: (
        companyId: string,
        id: string,
        { hash, salt }: NewToken,
        shownTo: Actor,
        expiresInSeconds: number | undefined
      ) =>
        decodeChanged(sql`
          with s as (
            update kyc_sessions set token_hash = ${hash}, token_salt = ${salt}, updated_at = now(),
              link_shown_to = array_remove(array_remove(link_shown_to, ${shownTo.id}::uuid) || ${shownTo.id}::uuid, null)
              ${expiresInSeconds === undefined ? sql`` : sql`, expires_at = now() + make_interval(secs => ${expiresInSeconds})`}
            where company_id = ${companyId} and id = ${id}
            returning *
          ), recorded as (${events.resumed})
          select ${columns} from s`).pipe(recordingEvents)
    }
  })
}) {}
