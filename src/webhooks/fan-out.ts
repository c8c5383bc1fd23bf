import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { LogFollower } from "../db/outbox.ts"
import { orDie } from "../db/sql.ts"
import { fanOut, rollPartitions } from "./fan-out-repo.ts"

/**
 * Events that reach the log go to webhook endpoints too. First creates the partitions that this needs: the service may not have run for weeks.
 * Without them, no event would reach the log, and no attempt could be settled.
 */
export const layer = Layer.effect(
  LogFollower,
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    orDie(rollPartitions(sql)).pipe(
      Effect.catchAllCause((cause) =>
        Effect.logWarning("The tables of webhook deliveries could not be prepared", cause)
      ),
      Effect.as(fanOut)
    )
  )
)
