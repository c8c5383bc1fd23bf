/** The `SqlClient` of `@effect/sql`, with the dialect of `@effect/sql-pg`, on the pool's connections. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Effectable, FiberRef, identity, type Scope, Stream } from "effect"
import type { Shape } from "./columns.ts"
import type { Executor, Reserved } from "./execution.ts"
import type { ConnectionPool } from "./pool.ts"
import { Shapes, type Template } from "./template.ts"

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

const shapes = new Shapes()

/** A statement, or a part of one. Executed, it takes the transaction's connection, or else any. */
class SqlTemplate extends Effectable.Class<ReadonlyArray<unknown>, SqlError> implements Template {
  readonly strings: TemplateStringsArray
  readonly args: ReadonlyArray<never>
  readonly #client: SqlClient.SqlClient
  readonly #pooled: Connection

  constructor(
    strings: TemplateStringsArray,
    args: ReadonlyArray<never>,
    client: SqlClient.SqlClient,
    pooled: Connection
  ) {
    super()
    this.strings = strings
    this.args = args
    this.#client = client
    this.#pooled = pooled
  }

  get [Statement.FragmentId]() {
    return identity<never>
  }

  /** The library's statement, for what is not done often. */
  get #usual(): Statement.Statement<never> {
    return this.#client<never>(this.strings, ...this.args)
  }

  get segments() {
    return this.#usual.segments
  }

  get raw() {
    return this.#usual.raw
  }

  get withoutTransform() {
    return this.#usual.withoutTransform
  }

  get stream() {
    return this.#usual.stream
  }

  get values() {
    return this.#usual.values
  }

  get unprepared() {
    return this.#usual.unprepared
  }

  compile(): readonly [text: string, values: ReadonlyArray<unknown>] {
    return shapes.compiled(this, () => this.#usual.compile())
  }

  commit(): Effect.Effect<ReadonlyArray<unknown>, SqlError> {
    return Effect.withFiberRuntime((fiber) => {
      // The library creates a span and a scope per statement, even if tracing is off.
      if (fiber.getFiberRef(FiberRef.currentTracerEnabled)) return this.#usual
      const [text, values] = this.compile()
      const transaction = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
      const connection = transaction._tag === "None" ? this.#pooled : transaction.value[0]
      return connection.execute(text, values, undefined)
    })
  }
}

/** @param begin the text that begins a transaction */
export const clientOf = (pool: ConnectionPool, begin: string): Effect.Effect<SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const pooled = connectionOn(pool)
    const client = yield* SqlClient.make({
      acquirer: Effect.succeed(pooled),
      transactionAcquirer: reserve(pool),
      beginTransaction: begin,
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    /** With a string, it returns an identifier, like the library's client. */
    const sql = (strings: TemplateStringsArray | string, ...args: ReadonlyArray<never>) =>
      typeof strings === "string" ? client(strings) : new SqlTemplate(strings, args, client, pooled)
    // The cast: one function here implements the client's two overloads.
    const made = Object.assign(sql, client) as unknown as SqlClient.SqlClient
    return Object.assign(made, { safe: made, withoutTransforms: () => made })
  }).pipe(Effect.provide(Reactivity.layer))
