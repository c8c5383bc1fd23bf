import type { Distribution } from "./shapes.ts"

/**
 * The tables that grow with sessions, and the column by which Citus would distribute each (docs/citus.md). All other tables are on the
 * coordinator.
 */
export const distribution: Distribution = new Map([
  ["kyc_sessions", "id"],
  ["kyc_session_keys", "session_id"],
  ["kyc_files", "session_id"],
  ["kyc_file_uploads", "session_id"],
  ["kyc_handoffs", "session_id"],
  ["kyc_reviews", "session_id"],
  ["kyc_session_notes", "session_id"],
  ["kyc_checks", "session_id"],
  ["kyc_browser_marks", "session_id"],
  ["kyc_readings", "session_id"],
  ["kyc_dedup_records", "key_hmac"],
  ["kyc_dedup_sightings", "key_hmac"],
  ["audit_events", "company_id"],
  ["audit_heads", "company_id"],
  ["audit_seals", "company_id"]
])

/** Small tables that every node would have a copy of, because statements on the ones above join them. */
export const reference: ReadonlySet<string> = new Set([
  "companies",
  "users",
  "kyc_instances",
  "kyc_instance_versions"
])
