/** Runs the audit trail alone, for tests that need no server. */
import { Effect, Layer, Redacted } from "effect"
import type { Actor, AuditEntry } from "../../../src/audit/model.ts"
import { AuditRepo } from "../../../src/audit/repo.ts"
import { Audit } from "../../../src/audit/service.ts"
import { SecretKey } from "../../../src/secrets/secret-key.ts"
import { execute } from "../postgres.ts"

/** The key of the tests' servers. */
export const testKey = "a secret key for tests, 32 bytes at least"

/** The audit trail on a database, with the tests' key or another key, and with a previous key if given. */
export const audited = (key = testKey, previous?: string) =>
  Audit.Default.pipe(
    Layer.provideMerge(AuditRepo.Default),
    Layer.provideMerge(
      SecretKey.layer(Redacted.make(key), previous === undefined ? undefined : Redacted.make(previous))
    )
  )

/** Writes an audit event without any other change. */
export const recorded = (audit: Audit, by: Actor, entry: AuditEntry): Effect.Effect<void> =>
  audit.recording(by, () => [entry])(Effect.void)

/**
 * Changes audit trails as the role that owns the tables can: with triggers disabled. `$company` is the quoted
 * id.
 */
export const tamper = (
  url: Redacted.Redacted<string>,
  companyId: string,
  ...statements: ReadonlyArray<string>
) =>
  execute(
    url,
    `begin;
     alter table audit_events disable trigger all;
     alter table audit_heads disable trigger all;
     ${statements.map((statement) => statement.replaceAll("$company", `'${companyId}'`)).join(";\n")};
     alter table audit_events enable always trigger audit_events_append;
     alter table audit_events enable always trigger audit_events_kept;
     alter table audit_heads enable always trigger audit_heads_kept;
     alter table audit_heads enable always trigger audit_heads_moved;
     commit`
  )
