/** Whether the way to the database, maybe through a pooler, keeps what doorlock promises. */
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, Schema } from "effect"
import { Changes } from "../../db/changes.ts"
import { connect } from "../../db/connection.ts"
import * as Database from "../../db/database.ts"
import { pathOf, poolsTransactions } from "../../db/pooler.ts"
import type { Access } from "../../db/postgres.ts"
import { onlyRow } from "../../db/sql.ts"
import { messageOf } from "../../shared/error.ts"
import { Timing } from "../../shared/timing.ts"
import { doubtful, type Finding, failed, well } from "../check.ts"

const unset = "Unset DATABASE_POOLER, so that doorlock detects the pooler."

/** How doorlock reaches the database, and whether `DATABASE_POOLER` is right about it. */
export const pooler = ({ pooling, url }: Access): Effect.Effect<Finding, Error> =>
  Effect.scoped(
    Effect.gen(function* () {
      const found = yield* pathOf(yield* connect(url), undefined)
      if (pooling === "none" && found.pooling !== "none") {
        return failed("DATABASE_POOLER is none, but DATABASE_URL goes through a pooler.", unset)
      }
      if (pooling === "session" && (yield* poolsTransactions(url))) {
        return failed("DATABASE_POOLER is session, but the pooler pools transactions.", unset)
      }
      if (pooling !== undefined && pooling !== "none" && found.pooling === "none") {
        return doubtful(`DATABASE_POOLER is ${pooling}, but DATABASE_URL goes through no pooler.`, unset)
      }
      if (found.pooling === "none") return well("DATABASE_URL goes through no pooler.")
      return well(
        pooling === "session" || found.keepsStatements
          ? "DATABASE_URL goes through a pooler that keeps prepared statements."
          : "DATABASE_URL goes through a pooler that keeps no prepared statements: Postgres parses each one anew."
      )
    })
  )

/** Whether changes that other connections notify of arrive; caches are off without them. */
export const changes = ({ listenUrl, pooling, url }: Access): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const { isTrusted, whyUntrusted } = yield* Changes
    const { spaced, within } = yield* Timing
    yield* within(
      "cli.diagnosis",
      Effect.repeat(Effect.sync(isTrusted), {
        until: (trusted) => trusted,
        schedule: spaced("cli.changes")
      })
    )
    const why = whyUntrusted()
    return why === undefined
      ? well("Revocations by other processes arrive.")
      : failed(
          `Revocations by other processes do not arrive, so nothing is cached: ${why}.`,
          "Set DATABASE_LISTEN_URL to a direct connection to the same server and database as DATABASE_URL."
        )
  }).pipe(Effect.provide(Changes.Default({ url, listenUrl, pooling })), Effect.scoped)

const decodeLimit = onlyRow(Schema.Struct({ limit: Schema.String }))

/** Whether the server ends statements that take too long, also after this process has died. */
export const timeLimits = ({ pooling, url }: Access): Effect.Effect<Finding, Error> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { limit } = yield* decodeLimit(sql`select current_setting(${"statement_timeout"}) as limit`)
    return limit === "0"
      ? failed(
          "Postgres has no time limit for doorlock's statements: the pooler ignores what doorlock sets.",
          "Unset DATABASE_POOLER, or remove statement_timeout from ignore_startup_parameters of the pooler."
        )
      : well(`Postgres ends statements of doorlock after ${limit}.`)
  }).pipe(
    Effect.catchSomeDefect((defect) =>
      defect instanceof SqlError
        ? Option.some(Effect.succeed(failed(`Statements fail: ${messageOf(defect.cause)}.`, unset)))
        : Option.none()
    ),
    Effect.provide(Database.layer({ url, pooling, maxConnections: 1 }))
  )
