import { SqlError } from "@effect/sql/SqlError"
import { DatabaseError } from "pg"
import { isReadOnlyServer, ServerAway } from "./servers.ts"

/** A statement got no reply in time, and its connection was closed. */
export class QueryTimeout extends Error {
  override readonly name = "QueryTimeout"
}

/** All connections were in use for too long, although the server answered others meanwhile. Nothing was sent. */
export class Overloaded extends Error {
  override readonly name = "Overloaded"
}

/** The statement was dropped (`DISCARD ALL`) or a migration changed its columns; nothing was executed. */
export const isStaleStatement = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  (error.code === "26000" || (error.code === "0A000" && error.routine === "RevalidateCachedQuery"))

const causeOf = (error: unknown): unknown => (error instanceof SqlError ? error.cause : undefined)

/** Whether another server may take the place of the one that failed, so that the same may succeed soon. */
export const isServerAway = (error: unknown): boolean => causeOf(error) instanceof ServerAway

/** Whether a statement was never sent because this process asks more than the server can answer. */
export const isOverloaded = (error: unknown): boolean => causeOf(error) instanceof Overloaded

export const violatedConstraint = (error: unknown): string | undefined => {
  const cause = causeOf(error)
  return cause instanceof DatabaseError && cause.code?.startsWith("23") === true
    ? cause.constraint
    : undefined
}

/** serialization_failure and deadlock_detected: Postgres has rolled back, and the client should retry. */
const conflicts = new Set(["40001", "40P01"])

/** Whether a retry of the transaction may succeed. */
export const isRepeatable = (error: unknown): boolean => {
  const cause = causeOf(error)
  return isStaleStatement(cause) || (cause instanceof DatabaseError && conflicts.has(cause.code ?? ""))
}

/** read_only_sql_transaction: the database takes no writes, as after a failover to a standby that is not promoted yet. */
export const isReadOnly = (error: unknown): boolean => {
  const cause = causeOf(error)
  return isReadOnlyServer(cause) || (cause instanceof ServerAway && cause.reasons.some(isReadOnlyServer))
}

/**
 * Whether Postgres refuses the data (class 22) or a constraint does (23): the same data would be refused again. A row without a partition
 * violates no named constraint, and is accepted once the partition exists.
 */
export const isRefused = (error: unknown): boolean => {
  const cause = causeOf(error)
  if (!(cause instanceof DatabaseError)) return false
  const lacksPartition = cause.code === "23514" && cause.constraint === undefined
  return /^2[23]/.test(cause.code ?? "") && !lacksPartition
}
