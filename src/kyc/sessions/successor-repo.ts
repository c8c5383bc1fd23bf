import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import type { Actor } from "../../audit/model.ts"
import { recordingEvents } from "../../db/outbox.ts"
import { json, onlyRow, orDie, row } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { sessionEvents } from "./events-repo.ts"
import { keptKeyColumns, keptKeyFields, keptKeyJoin } from "./keys-repo.ts"
import { StoredFields } from "./repo.ts"
import type { Restricted } from "./restricted-workflow-model.ts"
import type { Sealed, SealedKey } from "./sealing-model.ts"
import type { StepResults } from "./step-results-model.ts"

const PreviousRow = Schema.typeSchema(
  Schema.Struct({
    id: Schema.String,
    company_id: Schema.String,
    ...StoredFields,
    ...keptKeyFields,
    /** Of the version with all steps. */
    config: JsonObject,
    workflow: JsonObject,
    missing_steps: Schema.NullOr(Schema.Array(Schema.String)),
    file_ids: Schema.Array(Schema.String)
  })
)

/** Its workflow is restricted from the one with all steps, also after several resubmissions. */
interface NewSuccessor extends Restricted {
  readonly id: string
  readonly previousId: string
  /** Who is shown the link. */
  readonly shownTo: Actor
  /** For the version with the restricted workflow, unless there is one already. */
  readonly versionId: string
  /** Sealed, as `metadata`, by `key`. */
  readonly progress: JsonObject
  /** Of the progress. */
  readonly results: StepResults
  /** Whether the dedup checks of the previous session are of answers that are carried over. */
  readonly carriesSightings: boolean
  readonly metadata: Sealed
  readonly key: SealedKey
  readonly tokenHash: Uint8Array
  readonly expiresInSeconds: number
}

/** Sessions that ask for some steps of an earlier session again. */
export class SuccessorRepo extends Effect.Service<SuccessorRepo>()("SuccessorRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeCreated = onlyRow(Schema.Struct({ id: Schema.String }))
    const decodePrevious = row(PreviousRow)
    const events = sessionEvents(sql)

    return {
      findPrevious: (id: string) =>
        decodePrevious(sql`
          with recursive chain as (
            select id, previous_session_id from kyc_sessions where id = ${id}
            union all
            select p.id, p.previous_session_id from chain c join kyc_sessions p on p.id = c.previous_session_id
          )
          select s.id, s.company_id, s.progress, s.result, s.metadata, s.missing_steps, ${sql.literal(keptKeyColumns)},
            whole.config, whole.workflow, array(
              select f.id::text from chain c cross join lateral (select id from kyc_files where session_id = c.id offset 0) as f
            ) as file_ids
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
            join kyc_instance_versions whole on whole.id = coalesce(v.restricted_from, v.id) ${sql.literal(keptKeyJoin)}
          where s.id = ${id}`),

      /**
       * For a transaction that holds a lock on the previous session's review: at most one successor.
       */
      insert: ({
        carriesSightings,
        expiresInSeconds,
        id,
        key,
        metadata,
        previousId,
        progress,
        results,
        shownTo,
        steps,
        tokenHash,
        versionId,
        workflow
      }: NewSuccessor) =>
        orDie(sql`
          insert into kyc_instance_versions (id, instance_id, company_id, config, workflow, restricted_from, steps)
          select ${versionId}, v.instance_id, v.company_id, v.config, ${json(workflow)}, coalesce(v.restricted_from, v.id), ${steps}::text[]
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id where s.id = ${previousId}
          on conflict (restricted_from, steps) do nothing`).pipe(
          Effect.zipRight(
            decodeCreated(sql`
              with previous as (
                update kyc_sessions set next_session_id = ${id} where id = ${previousId} and next_session_id is null returning *
              ), created as (
                insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference,
                  success_redirect_url, failure_redirect_url, metadata, progress, step_results, flags, token_hash, expires_at, previous_session_id,
                  link_shown_to)
                select ${id}, s.instance_id, s.company_id, v.id, s.mode, s.external_reference, s.success_redirect_url,
                  s.failure_redirect_url, ${json(metadata ?? undefined)}, ${json(progress)}, ${json(results)},
                  -- With the sightings; the other flags are found anew.
                  array(select 'dedup_match' where ${carriesSightings} and 'dedup_match' = any (s.flags)), ${tokenHash},
                  now() + make_interval(secs => ${expiresInSeconds}), s.id, -- Its answers are carried over from sessions whose links others were shown.
                  array_remove(array_remove(s.link_shown_to, ${shownTo.id}::uuid) || ${shownTo.id}::uuid, null)
                from previous s join kyc_instance_versions own on own.id = s.version_id
                  join kyc_instance_versions v
                    on v.restricted_from = coalesce(own.restricted_from, own.id) and v.steps = ${steps}::text[]
                returning *
              ), keyed as (
                insert into kyc_session_keys (session_id, sealed_key, sealed_with)
                select id, ${key.sealed_key}, ${key.sealed_with} from created
              ), recorded as (${events.created}), seen as (
                insert into kyc_dedup_sightings (session_id, key_hmac, seen_at, carried)
                select created.id, d.key_hmac, d.seen_at, true from created, kyc_dedup_sightings d
                where d.session_id = ${previousId} and ${carriesSightings}
              )
              select id from created`).pipe(recordingEvents)
          ),
          Effect.asVoid
        )
    }
  })
}) {}
