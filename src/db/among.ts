import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { uuid, uuidOrNull } from "./sql.ts"

/**
 * The condition that the id of `s` is not below the lowest of these, nor above the highest. Where a statement looks up many ids in a partitioned
 * table, it makes Postgres leave out the partitions that have none of them. Those that are no UUIDs count as unknown.
 *
 * A single id is named itself. With a range, Postgres 18 does not find a row of a later partition that another transaction has just changed, if
 * the statement locks or changes it by an id from another row: it has left out partitions by the range, and then by that id.
 */
export const amongIds = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>): Statement.Fragment => {
  const [only, ...others] = ids
  if (only !== undefined && others.length === 0) return sql`s.id = ${uuid(only)}`
  const known = ids.filter((id) => uuidOrNull(id) !== null).sort()
  return sql`s.id between ${known[0] ?? null}::uuid and ${known.at(-1) ?? null}::uuid`
}

/**
 * The condition that a row `s` is the company's and has one of these ids, by one lookup for each id. The company is compared as text, which no
 * index knows: Postgres 15 would otherwise look for the ids among all rows of the company.
 */
export const ofCompanyAmong = (
  sql: SqlClient.SqlClient,
  companyId: string,
  ids: Statement.Fragment
): Statement.Fragment => sql`s.company_id::text = ${companyId} and s.id = any (${ids})`

/**
 * The condition that the session with this id was not dropped with its month, an SQL expression. What hangs on such sessions is deleted
 * afterwards: a page of it would be short meanwhile, and look like the last. `is not null` makes Postgres expect that nearly all were kept.
 */
export const ofKeptMonth = (id: string): string => `(
  select true where not exists (
    select from dropped_session_months d where d.cleared_at is null and ${id} >= d.low and ${id} < d.high
  )
) is not null`
