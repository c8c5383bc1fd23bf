import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"

/**
 * The condition that a row `s` is the company's and has one of these ids, by one lookup for each id. The company is compared as text, which no
 * index knows: Postgres 15 would otherwise look for the ids among all rows of the company.
 */
export const ofCompanyAmong = (
  sql: SqlClient.SqlClient,
  companyId: string,
  ids: Statement.Fragment
): Statement.Fragment => sql`s.company_id::text = ${companyId} and s.id = any (${ids})`
