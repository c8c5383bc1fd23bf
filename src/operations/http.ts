import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Api } from "../api.ts"
import { Lifecycle } from "../http/lifecycle.ts"
import { ok } from "../model.ts"
import { NotReady } from "./errors.ts"

/** A database that takes longer than this to say anything cannot serve. */
const patience = Duration.seconds(1)

/** The routes of `OperationsApi`. */
export const layer = HttpApiBuilder.group(Api, "operations", (handlers) =>
  Effect.gen(function* () {
    const lifecycle = yield* Lifecycle
    const sql = yield* SqlClient.SqlClient
    const databaseAnswers = sql`select 1`.pipe(
      Effect.timeout(patience),
      Effect.mapError(() => new NotReady())
    )
    return handlers
      .handle("health", () => Effect.succeed(ok))
      .handle("ready", () =>
        Effect.as(
          Effect.suspend(() => (lifecycle.isDraining() ? Effect.fail(new NotReady()) : databaseAnswers)),
          ok
        )
      )
  })
)
