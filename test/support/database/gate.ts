import { Effect, type Redacted } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { eventually } from "../eventually.ts"

/** What waits at a gate in a statement: a shared lock that whoever closes the gate holds. */
export const atGate = "perform pg_advisory_lock_shared(1); perform pg_advisory_unlock_shared(1);"

/**
 * A gate in the statements of other connections, open at first.
 *
 * @param place SQL that lets statements wait (`atGate`)
 */
export const gateIn = (databaseUrl: Redacted.Redacted, place: string) =>
  Effect.gen(function* () {
    const holder = yield* connect(databaseUrl)
    const run = (statement: string) => Effect.promise(() => holder.query(statement))
    yield* run(place)
    const waiting = run(
      "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"
    )
    return {
      /** Runs a statement on the gate's own connection. */
      run,
      close: run("select pg_advisory_lock(1)"),
      open: run("select pg_advisory_unlock_all()"),
      /** Those that wait may pass; it is closed for the next. */
      letPass: run("select pg_advisory_unlock(1); select pg_advisory_lock(1)"),
      oneWaits: eventually(
        "one statement waits at the gate",
        Effect.map(waiting, ({ rowCount }) => rowCount === 1)
      )
    }
  })

/**
 * A gate after reads of these tables, in statements whose text has this part. The tables become views: the database has to be the test's
 * own.
 */
export const gateAfterReads = (databaseUrl: Redacted.Redacted, tables: ReadonlyArray<string>, part: string) =>
  gateIn(
    databaseUrl,
    `create function gate() returns boolean language plpgsql as $$
     begin
       if current_query() like '%${part}%' then ${atGate} end if;
       return true;
     end $$;
     ${tables
       .map(
         (table) => `
           alter table ${table} rename to stored_${table};
           create view ${table} as select * from stored_${table} where gate();`
       )
       .join("")}`
  )
