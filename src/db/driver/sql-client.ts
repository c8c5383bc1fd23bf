/** `SqlClient` of `@effect/sql`, with the SQL dialect of `@effect/sql-pg`, on the connections of the pool. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as FiberRef from "effect/FiberRef"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
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
          // The cast: whoever reads the rows decodes them.
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

/** A connection of one's own, until the scope ends. */
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

/** A statement that is executed on the connection of its transaction, or on any connection when it is in none. */
class PooledStatement<A>
  extends Effectable.Class<ReadonlyArray<A>, SqlError>
  implements Statement.Statement<A>
{
  readonly #statement: Statement.Statement<A>
  readonly #pooled: Connection

  constructor(statement: Statement.Statement<A>, pooled: Connection) {
    super()
    this.#statement = statement
    this.#pooled = pooled
  }

  override commit(): Effect.Effect<ReadonlyArray<A>, SqlError> {
    return Effect.withFiberRuntime((fiber) => {
      // The library makes a span and a scope for each statement, even when nothing is traced.
      if (fiber.getFiberRef(FiberRef.currentTracerEnabled)) return this.#statement
      const [text, values] = this.#statement.compile()
      const transaction = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
      const connection = transaction._tag === "None" ? this.#pooled : transaction.value[0]
      return connection.execute(text, values, undefined)
    })
  }

  get segments() {
    return this.#statement.segments
  }

  [Statement.FragmentId](): Statement.FragmentId {
    return Statement.FragmentId
  }

  get withoutTransform() {
    return this.#statement.withoutTransform
  }

  get raw() {
    return this.#statement.raw
  }

  get stream() {
    return this.#statement.stream
  }

  get values() {
    return this.#statement.values
  }

  get unprepared() {
    return this.#statement.unprepared
  }

  compile(withoutTransform?: boolean) {
    return this.#statement.compile(withoutTransform)
  }
}

/** The client of a pool. */
export const clientOf = (pool: ConnectionPool): Effect.Effect<SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const pooled = connectionOn(pool)
    const client = yield* SqlClient.make({
      acquirer: Effect.succeed(pooled),
      transactionAcquirer: reserve(pool),
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    /** Called with a string it makes an identifier, as the library's client does. */
    const sql = (strings: TemplateStringsArray | string, ...args: Array<never>) =>
      typeof strings === "string"
        ? client(strings)
        : new PooledStatement(client<never>(strings, ...args), pooled)
    // The cast: the two overloads of a client are one function here.
    const made = Object.assign(sql, client) as unknown as SqlClient.SqlClient
    return Object.assign(made, { safe: made, withoutTransforms: () => made })
  }).pipe(Effect.provide(Reactivity.layer))
