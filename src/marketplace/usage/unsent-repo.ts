import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { onlyRow, orDie, rows } from "../../db/sql.ts"
import { newId } from "../../shared/identifier.ts"
import { UsageRow } from "./rows-model.ts"

const LeftRows = Schema.Struct({ id: Schema.String, rows: Schema.Array(UsageRow) })

/** Rows of usage that wait in Postgres until ClickHouse takes them. */
export class UnsentUsageRepo extends Effect.Service<UnsentUsageRepo>()("UnsentUsageRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeLeft = rows(LeftRows)
    const decodeCount = onlyRow(Schema.Struct({ waiting: Schema.Number }))

    return {
      leave: (some: ReadonlyArray<UsageRow>) =>
        orDie(
          sql`insert into api_usage_unsent (id, rows) values (${newId()}, ${JSON.stringify(some)}::text::jsonb)`
        ),

      /** None or one. */
      oldest: decodeLeft(sql`select id, rows from api_usage_unsent order by id limit 1`),

      remove: (id: string) => orDie(sql`delete from api_usage_unsent where id = ${id}`),

      waiting: Effect.map(
        decodeCount(
          sql`select coalesce(sum(jsonb_array_length(rows)), 0)::int as waiting from api_usage_unsent`
        ),
        ({ waiting }) => waiting
      )
    }
  })
}) {}
