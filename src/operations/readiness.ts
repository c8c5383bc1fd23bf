import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { Changes } from "../db/changes.ts"
import { NotReady } from "./errors.ts"

export class Readiness extends Effect.Service<Readiness>()("Readiness", {
  effect: Effect.map(Effect.all([SqlClient.SqlClient, Changes]), ([sql, { whyUntrusted }]) => ({
    /** What makes the service slower than it should be, as a sentence without a full stop. */
    warning: whyUntrusted,
    /** Fails with `NotReady` if the database does not respond within a second. */
    databaseAnswers: Effect.asVoid(
      sql`select 1`.pipe(
        Effect.timeout("1 second"),
        Effect.mapError(() => new NotReady())
      )
    )
  }))
}) {}
