import { Effect, type Redacted } from "effect"
import { execute } from "../postgres.ts"

/** An SQL expression for a new id, as a process makes it at this time. */
export const idAt = (time: string): string =>
  `(left(first_id_of(${time})::text, 14) || '7' || right(gen_random_uuid()::text, 21))::uuid`

/** The first moment (UTC) of the month so many months ago, an SQL expression. */
const monthAgo = (months: number | string): string =>
  `((date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${months})) at time zone 'UTC')`

/** The name of the partition with the sessions of the month so many months ago. */
export const partitionAgo = (months: number): string => {
  const now = new Date()
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))
  return `kyc_sessions_${month.toISOString().slice(0, 7).replace("-", "")}`
}

/** Gives each of the last months its partition, as if doorlock had run all the time, in a database without sessions. */
export const partitionsOfBefore = (url: Redacted.Redacted, months: number) =>
  execute(
    url,
    `do $$
     declare
       ago int;
       part regclass;
     begin
       drop table kyc_sessions_first;
       create table kyc_sessions_first (like kyc_sessions including defaults including constraints);
       execute format('alter table kyc_sessions attach partition kyc_sessions_first for values from (minvalue) to (%L)', first_id_of(${monthAgo(months)}));
       for ago in 1..${months} loop
         execute format('create table %I partition of kyc_sessions for values from (%L) to (%L)',
           'kyc_sessions_' || to_char(${monthAgo("ago")} at time zone 'UTC', 'YYYYMM'), first_id_of(${monthAgo("ago")}), first_id_of(${monthAgo("ago - 1")}));
       end loop;
       for part in select inhrelid::regclass from pg_inherits where inhparent = 'kyc_sessions'::regclass loop
         execute format('alter table %s owner to %s', part, (select relowner::regrole from pg_class where oid = 'kyc_sessions'::regclass));
       end loop;
     end
     $$`
  )

/**
 * Makes a session, with all that hangs on it, one of the month so many months ago. One that continues an earlier session cannot be moved.
 *
 * @returns it with its new id
 */
export const movedAgo = <S extends { readonly id: string; readonly path: string }>(
  url: Redacted.Redacted,
  session: S,
  months: number
) =>
  Effect.gen(function* () {
    const time = `${monthAgo(months)} + interval '9 days'`
    const [row] = yield* execute(url, `select ${idAt(time)} as id`)
    const id = String(row?.id)
    const { id: old } = session
    const tables = yield* execute(
      url,
      `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where a.attname = 'session_id' and not a.attisdropped and c.relkind = 'r' and c.relname ~ '^kyc_'`
    )
    yield* execute(
      url,
      [
        `update kyc_sessions set id = '${id}', created_at = ${time}, completed_at = case when completed_at is not null then ${time} end,
           expires_at = ${time} + interval '1 hour' where id = '${old}'`,
        `update kyc_sessions set previous_session_id = '${id}' where previous_session_id = '${old}'`,
        `update kyc_dedup_records set first_session_id = '${id}' where first_session_id = '${old}'`,
        `update kyc_dedup_records set last_session_id = '${id}' where last_session_id = '${old}'`,
        ...tables.map(({ name }) => `update ${name} set session_id = '${id}' where session_id = '${old}'`)
      ].join(";\n")
    )
    return { ...session, id, path: session.path.replace(old, id) }
  })
