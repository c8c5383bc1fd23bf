import { Effect } from "effect"
import type { Client } from "pg"
import { messageOf } from "../../shared/error.ts"
import { Timing } from "../../shared/timing.ts"
import { MigrationError } from "./files.ts"

/** Arbitrary; no other advisory lock of this service uses it. */
const advisoryLock = 4_702_111_234

/** Tries after which the log says who has the turn. */
const triesBeforeWarning = 50

const rowOf = (client: Client, text: string): Effect.Effect<Record<string, unknown>, MigrationError> =>
  Effect.tryPromise({
    try: async () => {
      const results: unknown = await client.query<Record<string, unknown>>(text)
      // A text of several statements has several results.
      const last: unknown = Array.isArray(results) ? results.at(-1) : results
      return (last as { readonly rows: ReadonlyArray<Record<string, unknown>> }).rows[0] ?? {}
    },
    catch: (cause) =>
      new MigrationError({ message: `The migrations could not be applied: ${messageOf(cause)}.`, cause })
  })

const holder = `select pid, coalesce(nullif(application_name, ''), usename) as name from pg_locks left join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) + objid::bigint = ${advisoryLock}
    and database = (select oid from pg_database where datname = current_database())`

/** Who has the turn; undefined: nobody. */
const holderOfTurn = (client: Client) =>
  Effect.map(rowOf(client, holder), ({ name, pid }) =>
    pid === undefined ? undefined : { pid: Number(pid), name: String(name) }
  )

/**
 * Begins a transaction that no other process's migration or grant runs beside. The lock ends with the transaction, so
 * a pooler keeps none, and a process that waits has no transaction open. Returns the server's process id.
 */
export const beginTurn = (client: Client): Effect.Effect<number, MigrationError> =>
  Effect.gen(function* () {
    const { sleep } = yield* Timing
    for (let tries = 1; ; tries++) {
      const { is_turn, pid } = yield* rowOf(
        client,
        `begin; set local statement_timeout = 0;
          select pg_try_advisory_xact_lock(${advisoryLock}) as is_turn, pg_backend_pid() as pid`
      )
      if (is_turn === true) return Number(pid)
      yield* rowOf(client, "rollback")
      if (tries === triesBeforeWarning) {
        const other = yield* holderOfTurn(client)
        if (other !== undefined) {
          yield* Effect.logWarning(`Waiting for the migrations of ${other.name} (process ${other.pid}).`)
        }
      }
      yield* sleep("db.migration_turn")
    }
  })
