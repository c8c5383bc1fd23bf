import { createHash } from "node:crypto"

/** What this process knows of a statement that it sends by name. */
export interface Statement {
  readonly name: string
  /**
   * Whether it only reads and takes no lock: it then waits for no other transaction. Told from its text: it begins with
   * `select`, has no `into` and locks no rows, and calls by name nothing that may do something. That is every function of
   * `pg_` but `pg_backend_pid`, and the others of Postgres that act, by a list that is held against the functions that the
   * database has (`db/statements`). What a function of an extension does, it does not know.
   */
  readonly isRead: boolean
  /** Milliseconds for one execution of late. Of a new one the worst is expected. */
  millis: number
}

/**
 * Beyond these bounds statements are sent without a name. Written-out SQL stays far below them; they keep
 * statements of ever-changing text (lists spelled out parameter by parameter) from filling our memory and
 * that of every server process.
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

/** The statement of a text with parameters; undefined for one that is not to be prepared. */
export const statementOf = (text: string): Statement | undefined => {
  const known = statements.get(text)
  if (known !== undefined) return known
  if (statements.size >= maxStatements || text.length > maxTextLength) return undefined
  const made = {
    // Postgres cuts names at 63 bytes; 128 bits make two texts with one name impossible in practice.
    name: `doorlock_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`,
    isRead: query.test(text) && !more.test(text) && !acting.test(text),
    millis: 8 * short
  }
  statements.set(text, made)
  return made
}

/**
 * Notes how long an execution took that succeeded. It rises by so much that one of 40 ms tells at once, and those to which a
 * busy process adds a little do not. It falls sooner than that, but not by one that found nothing to do.
 */
export const took = (statement: Statement, millis: number): void => {
  const difference = millis - statement.millis
  statement.millis += difference < 0 ? difference / 4 : difference / 8
}

/** Whether others may wait behind it for a connection that they could have had at once: it reads, and is soon done. */
export const isShortRead = ({ isRead, millis }: Statement): boolean => isRead && millis < short
