import type { Client } from "pg"

/** The service's rights on a table. */
const usual = ["SELECT", "INSERT", "UPDATE", "DELETE"]

/** On these tables, it has no right to change the past or the schema. */
const narrower: Readonly<Record<string, ReadonlyArray<string>>> = {
  schema_migrations: ["SELECT"],
  // Never deleted: tables without a foreign key refer to them.
  companies: ["SELECT", "INSERT", "UPDATE"],
  kyc_instances: ["SELECT", "INSERT", "UPDATE"],
  kyc_instance_versions: ["SELECT", "INSERT", "UPDATE"],
  kyc_sessions: ["SELECT", "INSERT", "UPDATE"],
  subscriptions: ["SELECT", "INSERT", "UPDATE"],
  marketplace_keys: ["SELECT", "INSERT", "UPDATE"],
  audit_events: ["SELECT", "INSERT"],
  // Locking a row requires UPDATE. Triggers reject the update itself.
  audit_heads: ["SELECT", "UPDATE"],
  audit_setbacks: ["SELECT"],
  audit_seals: ["SELECT", "INSERT", "UPDATE"],
  kyc_browser_marks: ["SELECT", "INSERT", "DELETE"],
  kyc_session_notes: ["SELECT", "INSERT", "DELETE"],
  events: ["SELECT", "INSERT"],
  event_log_end: ["SELECT", "UPDATE"],
  event_watermarks: ["SELECT", "UPDATE"],
  dropped_session_months: ["SELECT", "UPDATE"],
  receipt_keys: ["SELECT", "INSERT", "UPDATE"],
  webhook_deliveries: ["SELECT", "INSERT", "UPDATE"],
  webhook_attempts: ["SELECT", "INSERT"],
  work_poison: ["SELECT", "INSERT", "DELETE"]
}

/** Statements that give a role exactly the rights that the service needs, also through PUBLIC; maybe none. */
export const lackingRights = async (client: Client, role: string): Promise<ReadonlyArray<string>> => {
  const { rows: tables } = await client.query<{ name: string; rights: ReadonlyArray<string> }>(
    `select c.relname as name, array(
        select p from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'])
          with ordinality as _ (p, place)
        where has_table_privilege($1, c.oid, p) order by place
      ) as rights
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition and pg_has_role(c.relowner, 'usage')
    order by c.relname`,
    [role]
  )
  const to = client.escapeIdentifier(role)
  return tables.flatMap(({ name, rights }) => {
    const wanted = (narrower[name] ?? usual).join(", ")
    if (rights.join(", ") === wanted) return []
    const table = client.escapeIdentifier(name)
    return [`revoke all on ${table} from ${to}, public`, `grant ${wanted} on ${table} to ${to}`]
  })
}
