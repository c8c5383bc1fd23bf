import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Duration, Effect } from "effect"
import { Changes } from "../db/changes.ts"
import { NotReady } from "./errors.ts"

/** How long the database may take to respond. */
export class ReadinessTimeout extends Context.Reference<ReadinessTimeout>()(
  "doorlock/operations/ReadinessTimeout",
  {
    defaultValue: () => Duration.seconds(1)
  }
) {}

export class Readiness extends Effect.Service<Readiness>()("Readiness", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { whyUntrusted } = yield* Changes
    const timeout = yield* ReadinessTimeout
    return {
      /** What makes the service slower than it should be, as a sentence without a full stop. */
      warning: whyUntrusted,
      /** Fails with `NotReady` if the database does not respond in time. */
      databaseAnswers: Effect.asVoid(
        sql`select 1`.pipe(
          Effect.timeout(timeout),
          Effect.mapError(() => new NotReady())
        )
      )
    }
  })
}) {}
