import { createHash } from "node:crypto"

/** What this process knows about a statement that it prepares under a name. */
export interface Statement {
  readonly name: string
  /**
   * Whether it only reads and takes no lock, so it never waits for another transaction. Its text decides: it begins with `select`, has no
   * `into`, locks no rows, and calls no function that may change anything. Such functions are those with names that begin with `pg_`
   * (except `pg_backend_pid`), and the ones listed in `acting`. A test compares the list with the functions of a real database. Functions
   * of extensions are not covered.
   */
  readonly isRead: boolean
  /** A moving average of its execution time in milliseconds. A new statement is assumed to be slow. */
  millis: number
}

/**
 * Statements beyond these bounds are sent without a name. SQL written in the source stays far below them. The bounds keep statements with
 * ever-changing text (lists with one parameter per element) from filling the memory of this process and of the server.
 */
const maxStatements = 1_000
const maxTextLength = 8_192

/** A statement is short up to this many milliseconds. */
const short = 5

const statements = new Map<string, Statement>()

const query = /^\s*select\b/i
const more = /\binto\b|\bfor\s+(?:update|share|no\s+key|key)\b/i
const acting =
  /\b(?:pg_(?!backend_pid\b)\w+|nextval|setval|set_config|setseed|lo_\w+|loread|lowrite|(?:query|cursor)_to_xml\w*|ts_stat|ts_rewrite|brin_\w+|gin_\w+|binary_upgrade_\w+)"?\s*\(/i

/** The statement for this text, which has parameters. Undefined if it should not be prepared. */
export const statementOf = (text: string): Statement | undefined => {
  const known = statements.get(text)
  if (known !== undefined) return known
  if (statements.size >= maxStatements || text.length > maxTextLength) return undefined
  const statement = {
    // Postgres truncates names to 63 bytes. With 128 bits, two texts never share a name in practice.
    name: `doorlock_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`,
    isRead: query.test(text) && !more.test(text) && !acting.test(text),
    millis: 8 * short
  }
  statements.set(text, statement)
  return statement
}

/**
 * Records the duration of a successful execution. The average rises fast enough that one execution of 40 ms makes the statement long, but a
 * few milliseconds of a busy process do not. It falls faster than it rises, but not within one execution.
 */
export const recordDuration = (statement: Statement, millis: number): void => {
  const difference = millis - statement.millis
  statement.millis += difference < 0 ? difference / 4 : difference / 8
}

/** Whether other statements may wait behind it even if another connection is free: it only reads, and finishes soon. */
export const isShortRead = ({ isRead, millis }: Statement): boolean => isRead && millis < short
