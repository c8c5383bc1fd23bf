/** The CPU time of a service and of its Postgres. */
import { Effect, type Redacted } from "effect"
import { execute } from "../support/postgres.ts"
import { cpuMicros } from "./load.ts"

/** So far, in microseconds; without processes of Postgres that may end before they are read again. */
export const cpuSpent = (databaseUrl: Redacted.Redacted, pids: ReadonlyArray<number>) =>
  Effect.map(
    execute(
      databaseUrl,
      "select pid from pg_stat_activity where pid <> pg_backend_pid() and backend_type not like 'autovacuum%'"
    ),
    (backends) => {
      const sum = (of: ReadonlyArray<number>) => of.reduce((micros, pid) => micros + cpuMicros(pid), 0)
      return { service: sum(pids), postgres: sum(backends.map(({ pid }) => Number(pid))) }
    }
  )
