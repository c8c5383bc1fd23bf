import * as SqlClient from "@effect/sql/SqlClient"
import { Duration, Effect } from "effect"
import { NotReady } from "./errors.ts"

/** A database that takes longer than this to respond cannot serve. */
const patience = Duration.seconds(1)

/** Whether the process's dependencies are available. */
export class Readiness extends Effect.Service<Readiness>()("Readiness", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** Fails with `NotReady` if the database does not respond within a second. */
    databaseAnswers: Effect.asVoid(
      sql`select 1`.pipe(
        Effect.timeout(patience),
        Effect.mapError(() => new NotReady())
      )
    )
  }))
}) {}
