/** The `SqlClient` of `@effect/sql`, with the dialect of `@effect/sql-pg`, on the pool's connections. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, FiberRef, type Scope, Stream } from "effect"
import type { Shape } from "./columns.ts"
import type { Executor, Reserved } from "./execution.ts"
import type { ConnectionPool } from "./pool.ts"

const failed = (cause: unknown) =>
  Effect.fail(new SqlError({ cause, message: "Failed to execute statement" }))

const connectionOn = (executor: Executor): Connection => {
  const run = (text: string, values: ReadonlyArray<unknown>, shape: Shape, isPrepared = true) =>
    Effect.async<ReadonlyArray<never>, SqlError>((resume) => {
      const abandon = executor.execute({
        text,
        values,
        shape,
        isPrepared,
        settle: (error, rows) =>
          // The cast: the reader of the rows decodes them.
          resume(error ? failed(error) : Effect.succeed(rows as ReadonlyArray<never>))
      })
      return Effect.sync(abandon)
    })
  const executing =
    (isPrepared: boolean): Connection["execute"] =>
    (text, values, transform) => {
      const found = run(text, values, "object", isPrepared)
      return transform === undefined ? found : Effect.map(found, transform)
    }
  const execute = executing(true)
  return {
    execute,
    executeUnprepared: executing(false),
    executeRaw: (text, values) => run(text, values, "object"),
    executeValues: (text, values) => run(text, values, "array"),
    executeStream: (text, values, transform) =>
      Stream.unwrap(Effect.map(execute(text, values, transform), Stream.fromIterable))
  }
}

const reserve = (pool: ConnectionPool): Effect.Effect<Connection, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<Reserved, SqlError>((resume) => {
        pool.reserve((error, reserved) =>
          resume(reserved === undefined ? failed(error) : Effect.succeed(reserved))
        )
      }),
      ({ release }) => Effect.sync(release)
    ),
    connectionOn
  )

export const clientOf = (pool: ConnectionPool): Effect.Effect<SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const pooled = connectionOn(pool)
    const client = yield* SqlClient.make({
      acquirer: Effect.succeed(pooled),
      transactionAcquirer: reserve(pool),
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    /** With a string, it returns an identifier, like the library's client. */
    const sql = (strings: TemplateStringsArray | string, ...args: Array<never>) => {
      if (typeof strings === "string") return client(strings)
      const statement = client<never>(strings, ...args)
      const commit = () =>
        Effect.withFiberRuntime<ReadonlyArray<unknown>, SqlError>((fiber) => {
          // The library creates a span and a scope per statement, even if tracing is off.
          if (fiber.getFiberRef(FiberRef.currentTracerEnabled)) return client<never>(strings, ...args)
          const [text, values] = statement.compile()
          const transaction = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
          const connection = transaction._tag === "None" ? pooled : transaction.value[0]
          return connection.execute(text, values, undefined)
        })
      return Object.assign(statement, { commit })
    }
    // The cast: one function here implements the client's two overloads.
    const made = Object.assign(sql, client) as unknown as SqlClient.SqlClient
    return Object.assign(made, { safe: made, withoutTransforms: () => made })
  }).pipe(Effect.provide(Reactivity.layer))
