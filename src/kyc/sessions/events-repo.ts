import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { recordEvents } from "../../db/outbox.ts"

/**
 * The parts of statements that record the events of sessions. Each is named after what happened to the sessions, and says of which CTE it
 * reads them. They are built once, because they are the same in each request.
 */
export const sessionEvents = (sql: SqlClient.SqlClient) => {
  const dataWith = (more: string) =>
    sql.literal(`jsonb_build_object('id', id, 'instance_id', instance_id, 'status', status,
    'mode', mode, 'external_reference', external_reference, 'url', '/api/kyc/sessions/' || id${more})`)
  const data = dataWith("")
  const typeOfStatus = sql.literal(
    "'kyc.session.' || case status when 'running' then 'started' else status end"
  )
  const record = (
    from: Statement.Fragment,
    type: Statement.Fragment | string = typeOfStatus,
    its: Statement.Fragment = data,
    at?: Statement.Fragment
  ) => recordEvents(sql, type, { at, companyId: sql`company_id`, data: its, from })
  return {
    /** Of `created`. */
    created: record(sql`created`),
    /** Of `changed`: sessions that were started, failed or cancelled. */
    changed: record(sql`changed`),
    /** Of `s`. */
    finished: record(
      sql`s`,
      typeOfStatus,
      dataWith(", 'failed_rules', nullif(to_jsonb(failed_rules), '[]')"),
      sql`completed_at`
    ),
    /** Of `s`. */
    resumed: record(sql`s`, "kyc.session.resumed"),
    /** Of `expired`. */
    expired: record(sql`expired`, "kyc.session.expired")
  }
}
