import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { execute } from "../postgres.ts"
import type { RunningServer } from "../server.ts"

const admin = (statement: string) => execute(Redacted.make(inject("postgres").adminUrl), statement)

const databaseOf = ({ databaseUrl }: Pick<RunningServer, "databaseUrl">) =>
  new URL(Redacted.value(databaseUrl)).pathname.slice(1)

/** Makes the database unreachable while `during` runs: cuts connections and refuses new ones. */
export const withoutDatabase = <A, E, R>(
  server: Pick<RunningServer, "databaseUrl">,
  during: Effect.Effect<A, E, R>
) => {
  const name = databaseOf(server)
  return Effect.acquireUseRelease(
    Effect.zipRight(
      admin(`alter database ${name} with allow_connections false`),
      admin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    ),
    () => during,
    () => Effect.orDie(admin(`alter database ${name} with allow_connections true`))
  )
}

/** Makes one table unavailable while `during` runs. */
export const withoutTable = <A, E, R>(
  { databaseUrl }: Pick<RunningServer, "databaseUrl">,
  table: string,
  during: Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    execute(databaseUrl, `alter table ${table} rename to ${table}_away`),
    () => during,
    () => Effect.orDie(execute(databaseUrl, `alter table ${table}_away rename to ${table}`))
  )
