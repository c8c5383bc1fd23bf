import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { json, onlyRow, orDie } from "../../db/sql.ts"
import type { JsonObject } from "../../shared/schemas.ts"
import { sessionEvents } from "./events-repo.ts"
import type { Restricted } from "./restricted-workflow-model.ts"

interface NewSuccessor extends Restricted {
  readonly id: string
  readonly previousId: string
  /** For the version with the restricted workflow, unless there is one already. */
  readonly versionId: string
  readonly progress: JsonObject
  readonly metadata: JsonObject | null
  readonly tokenHash: Uint8Array
  readonly expiresInSeconds: number
}

/** Sessions that ask for some steps of an earlier session again. */
export class SuccessorRepo extends Effect.Service<SuccessorRepo>()("SuccessorRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeCreated = onlyRow(Schema.Struct({ id: Schema.String }))
    const events = sessionEvents(sql)

    return {
      /**
       * For a transaction that holds a lock on the previous session's review: at most one successor. The new session is not
       * its predecessor's duplicate, so it has the same sightings.
       */
      insert: ({
        expiresInSeconds,
        id,
        metadata,
        previousId,
        progress,
        steps,
        tokenHash,
        versionId,
        workflow
      }: NewSuccessor) =>
        orDie(sql`
          insert into kyc_instance_versions (id, instance_id, company_id, config, workflow, restricted_from, steps)
          select ${versionId}, v.instance_id, v.company_id, v.config, ${json(workflow)}, v.id, ${steps}::text[]
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id where s.id = ${previousId}
          on conflict (restricted_from, steps) do nothing`).pipe(
          Effect.zipRight(
            decodeCreated(sql`
              with created as (
                insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference,
                  success_redirect_url, failure_redirect_url, metadata, progress, token_hash, expires_at, previous_session_id)
                select ${id}, s.instance_id, s.company_id, v.id, s.mode, s.external_reference, s.success_redirect_url,
                  s.failure_redirect_url, ${json(metadata ?? undefined)}, ${json(progress)}, ${tokenHash},
                  now() + make_interval(secs => ${expiresInSeconds}), s.id
                from kyc_sessions s
                  join kyc_instance_versions v on v.restricted_from = s.version_id and v.steps = ${steps}::text[]
                where s.id = ${previousId}
                returning *
              ), recorded as (${events.created}), seen as (
                insert into kyc_dedup_sightings (session_id, key_hmac)
                select created.id, d.key_hmac from created, kyc_dedup_sightings d where d.session_id = ${previousId}
              )
              select id from created`)
          ),
          Effect.asVoid
        )
    }
  })
}) {}
