import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { Changes } from "../db/changes.ts"
import { Timing } from "../shared/timing.ts"
import { NotReady } from "./errors.ts"

export class Readiness extends Effect.Service<Readiness>()("Readiness", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { whyUntrusted } = yield* Changes
    const { withinOr } = yield* Timing
    return {
      /** What makes the service slower than it should be, as a sentence without a full stop. */
      warning: whyUntrusted,
      /** Fails with `NotReady` if the database does not respond in time. */
      databaseAnswers: withinOr("operations.readiness", sql`select 1`, () => new NotReady()).pipe(
        Effect.mapError(() => new NotReady()),
        Effect.asVoid
      )
    }
  })
}) {}
