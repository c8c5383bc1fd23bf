import { createHash } from "node:crypto"

/** What this process knows about a prepared statement. */
export interface Statement {
  readonly name: string
  /**
   * Whether it only reads and takes no lock, by its text: it begins with `select`, has no `into`, locks no
   * rows, and calls no function in `sideEffects`, which a test compares with a real database.
   */
  readonly isRead: boolean
  /** Moving average of its execution time (ms). A new statement is assumed to be slow. */
  millis: number
}

/** Beyond these limits, nothing is prepared: ever-changing text would fill the memory here and on the server. */
const maxStatements = 1_000
const maxTextLength = 8_192

/** A statement is short up to this many milliseconds. */
const short = 5

const statements = new Map<string, Statement>()

const select = /^\s*select\b/i
const intoOrLock = /\binto\b|\bfor\s+(?:update|share|no\s+key|key)\b/i
const sideEffects =
  /\b(?:pg_(?!backend_pid\b)\w+|nextval|setval|set_config|setseed|lo_\w+|loread|lowrite|(?:query|cursor)_to_xml\w*|ts_stat|ts_rewrite|brin_\w+|gin_\w+|binary_upgrade_\w+|take_events|drop_session_month)"?\s*\(/i

/** The named statement for an SQL text with parameters; undefined if it should not be prepared. */
export const statementOf = (text: string): Statement | undefined => {
  const known = statements.get(text)
  if (known !== undefined) return known
  if (statements.size >= maxStatements || text.length > maxTextLength) return undefined
  const statement = {
    // Postgres truncates names to 63 bytes. 128 bits make collisions impossible in practice.
    name: `doorlock_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`,
    isRead: select.test(text) && !intoOrLock.test(text) && !sideEffects.test(text),
    millis: 8 * short
  }
  statements.set(text, statement)
  return statement
}

/** One execution of 40 ms makes the statement long; a few milliseconds of a busy process do not. */
export const recordDuration = (statement: Statement, millis: number): void => {
  const difference = millis - statement.millis
  statement.millis += difference < 0 ? difference / 4 : difference / 8
}

/** Whether other statements may queue behind it even if another connection is free. */
export const isShortRead = ({ isRead, millis }: Statement): boolean => isRead && millis < short
