import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { rows } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import type { Origins } from "./answers-model.ts"

const SourceRow = Schema.Struct({
  workflow: JsonObject,
  created_at: Schema.DateFromSelf,
  /** Those that it asks for; null for all. */
  steps: Schema.NullOr(Schema.Array(Schema.String)),
  /** After its creation, by the step's id. */
  step_seconds: Schema.Record({ key: Schema.String, value: Schema.Number })
})

/** A session and the sessions whose reviews asked for it, in Postgres. */
export class OriginRepo extends Effect.Service<OriginRepo>()("OriginRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decode = rows(Schema.typeSchema(SourceRow))

    return {
      /** Without workflow and times if the company has no such session. `offset 0`: one lookup for each session of a chain, which is short. */
      find: (companyId: string, sessionId: string) =>
        Effect.map(
          decode(sql`
            with recursive chain as (
              select id, previous_session_id, version_id, created_at, step_seconds, 1 as place from kyc_sessions
              where company_id = ${companyId} and id = ${sessionId}
              union all
              select p.id, p.previous_session_id, p.version_id, p.created_at, p.step_seconds, c.place + 1
              from chain c join kyc_sessions p on p.id = c.previous_session_id where p.company_id = ${companyId}
            )
            select v.workflow, v.steps, c.created_at, c.step_seconds
            from chain c cross join lateral (
              select workflow, steps from kyc_instance_versions where id = c.version_id offset 0
            ) as v order by c.place desc`),
          // The first session has all steps. The answer of a later one replaced the earlier one.
          (sources): Origins => {
            const answeredAt = new Map<string, Date>()
            for (const { created_at, step_seconds, steps } of sources) {
              for (const step of steps ?? []) answeredAt.delete(step)
              for (const [step, seconds] of Object.entries(step_seconds))
                answeredAt.set(step, new Date(created_at.getTime() + seconds * 1000))
            }
            return { workflow: sources[0]?.workflow ?? {}, answeredAt }
          }
        )
    }
  })
}) {}
