import { SqlError } from "@effect/sql/SqlError"
import { DatabaseError } from "pg"

/** A statement got no reply in time. Its connection has been closed. */
export class QueryTimeout extends Error {
  override readonly name = "QueryTimeout"
}

/**
 * The server no longer has the prepared statement (`DISCARD ALL`, `DEALLOCATE`), or a migration changed its columns. The server reports
 * both before it executes anything.
 */
export const isStaleStatement = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  (error.code === "26000" || (error.code === "0A000" && error.routine === "RevalidateCachedQuery"))

const causeOf = (error: unknown): unknown => (error instanceof SqlError ? error.cause : undefined)

/** The constraint (unique, foreign key, check) that a failed statement violated. */
export const violatedConstraint = (error: unknown): string | undefined => {
  const cause = causeOf(error)
  return cause instanceof DatabaseError && cause.code?.startsWith("23") === true
    ? cause.constraint
    : undefined
}

/** SQLSTATEs serialization_failure and deadlock_detected: Postgres has rolled back, and the client should retry. */
const conflicts = new Set(["40001", "40P01"])

/** Whether a transaction that failed with this error may succeed on retry. */
export const isRepeatable = (error: unknown): boolean => {
  const cause = causeOf(error)
  return isStaleStatement(cause) || (cause instanceof DatabaseError && conflicts.has(cause.code ?? ""))
}
