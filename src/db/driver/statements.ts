import { createHash } from "node:crypto"

/** What this process knows of a statement that it prepares under a name. */
export interface Statement {
  readonly name: string
  /**
   * Whether it only reads and takes no lock, so that it never waits for another transaction. Its text decides: it begins with
   * `select`, has no `into`, locks no rows, and calls no function that may change something. Such functions are those whose names
   * begin with `pg_` (except `pg_backend_pid`) and the ones listed in `acting`; a test compares the list with the functions of a
   * real database. Functions of extensions are not known here.
   */
  readonly isRead: boolean
  /** A moving average of how long it takes to execute, in milliseconds. A new statement is assumed to be slow. */
  millis: number
}

/**
 * Statements beyond these bounds are sent without a name. SQL that is written in the source stays far below them. The bounds keep
 * statements whose text always changes (lists with one parameter per element) from filling our memory and the server's.
 */
const maxStatements = 1_000
const maxTextLength = 8_192

/** Up to this many milliseconds a statement is short. */
const short = 5

const statements = new Map<string, Statement>()

const query = /^\s*select\b/i
const more = /\binto\b|\bfor\s+(?:update|share|no\s+key|key)\b/i
const acting =
  /\b(?:pg_(?!backend_pid\b)\w+|nextval|setval|set_config|setseed|lo_\w+|loread|lowrite|(?:query|cursor)_to_xml\w*|ts_stat|ts_rewrite|brin_\w+|gin_\w+|binary_upgrade_\w+)"?\s*\(/i

/** The statement with this text, which has parameters. Undefined for one that is not to be prepared. */
export const statementOf = (text: string): Statement | undefined => {
  const known = statements.get(text)
  if (known !== undefined) return known
  if (statements.size >= maxStatements || text.length > maxTextLength) return undefined
  const statement = {
    // Postgres cuts names at 63 bytes. With 128 bits, two texts never share a name in practice.
    name: `doorlock_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`,
    isRead: query.test(text) && !more.test(text) && !acting.test(text),
    millis: 8 * short
  }
  statements.set(text, statement)
  return statement
}

/**
 * Records how long a successful execution took. The average rises fast enough that one execution of 40 ms makes the statement long,
 * but a few milliseconds of a busy process do not. It falls faster than it rises, but not within one execution.
 */
export const recordDuration = (statement: Statement, millis: number): void => {
  const difference = millis - statement.millis
  statement.millis += difference < 0 ? difference / 4 : difference / 8
}

/** Whether other statements may wait behind it although another connection is free: it reads, and is soon done. */
export const isShortRead = ({ isRead, millis }: Statement): boolean => isRead && millis < short
