import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { NotReady } from "./errors.ts"

export class Readiness extends Effect.Service<Readiness>()("Readiness", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** Fails with `NotReady` if the database does not respond within a second. */
    databaseAnswers: Effect.asVoid(
      sql`select 1`.pipe(
        Effect.timeout("1 second"),
        Effect.mapError(() => new NotReady())
      )
    )
  }))
}) {}
