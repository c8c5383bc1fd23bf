import type { Cause } from "effect"
import { isPassing } from "../../db/sql.ts"
import type { DirectError } from "./direct.ts"

/** The same error as 503, if the same request may succeed in seconds (contract.md#database-failures). */
export const unexpected = <E extends DirectError>(error: E, cause: Cause.Cause<unknown>) =>
  isPassing(cause) ? { ...error, status: 503, headers: { "retry-after": "2" } } : error
