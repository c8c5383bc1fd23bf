import { Effect, type Redacted } from "effect"
import type { Client } from "pg"
import { toError } from "../shared/error.ts"
import { connect } from "./connection.ts"

/**
 * How a URL's connections reach Postgres: each one is a connection of the server's, or a pooler gives it one for as
 * long as it lives, or for each transaction.
 */
export type Pooling = "none" | "session" | "transaction"

export interface Path {
  readonly pooling: Pooling
  /** Whether prepared statements work on it. */
  readonly keepsStatements: boolean
}

const rowOf = (client: Client, query: string | { readonly name: string; readonly text: string }) =>
  Effect.tryPromise({
    try: async () => (await client.query<Record<string, unknown>>(query)).rows[0] ?? {},
    catch: toError
  })

/**
 * Whether somebody else answers for the server. A pooler gives its clients keys of its own for cancelling, because
 * which server connection is theirs changes; Postgres' own has the process id.
 */
export const isPooled = (client: Client): Effect.Effect<boolean, Error> =>
  Effect.map(
    rowOf(client, "select pg_backend_pid() as pid"),
    ({ pid }) => !("processID" in client) || client.processID !== pid
  )

const probe = "doorlock_probe"

/** Poolers that keep prepared statements do so under names of their own: the statement does not find itself. */
const keepsStatements = (client: Client): Effect.Effect<boolean, Error> =>
  Effect.gen(function* () {
    // In a transaction, all of this is on one server connection, and none of it is left there.
    yield* rowOf(client, "begin")
    const { own } = yield* rowOf(client, {
      name: probe,
      text: `select exists (select from pg_prepared_statements where name = '${probe}') as own`
    })
    if (own === true) yield* rowOf(client, `deallocate ${probe}`)
    yield* rowOf(client, "commit")
    return own === false
  })

/** Whether two open connections were seen on one of the server's. False proves nothing. */
export const poolsTransactions = (url: Redacted.Redacted): Effect.Effect<boolean, Error> =>
  Effect.scoped(
    Effect.gen(function* () {
      const pid = (client: Client) =>
        Effect.map(rowOf(client, "select pg_backend_pid() as pid"), ({ pid }) => pid)
      const [one, other] = [yield* connect(url), yield* connect(url)]
      const first = yield* pid(one)
      yield* rowOf(other, "begin")
      const taken = yield* pid(other)
      yield* rowOf(other, "rollback")
      return taken === first
    })
  )

/**
 * How this connection, and others to the same URL, reach Postgres. Without a `setting`, every pooler counts as one
 * that pools transactions, because whether it does cannot be seen with certainty. Leaves nothing on the server.
 */
export const pathOf = (client: Client, setting: Pooling | undefined): Effect.Effect<Path, Error> =>
  Effect.gen(function* () {
    const pooling = setting ?? ((yield* isPooled(client)) ? "transaction" : "none")
    return { pooling, keepsStatements: pooling !== "transaction" || (yield* keepsStatements(client)) }
  })
