import { createHash } from "node:crypto"

/** What this process knows of a statement that it sends by name. */
export interface Statement {
  readonly name: string
  /** Whether it only reads and takes no lock: it then waits for no other transaction. */
  readonly isRead: boolean
  /**
   * Milliseconds for one execution, as short as they have been of late, since a busy process adds to them; infinite before the
   * first.
   */
  millis: number
}

/**
 * Beyond these bounds statements are sent without a name. Written-out SQL stays far below them; they keep
 * statements of ever-changing text (lists spelled out parameter by parameter) from filling our memory and
 * that of every server process.
 */
const maxStatements = 1_000
const maxTextLength = 8_192

const statements = new Map<string, Statement>()

const query = /^\s*select\b/i
const locking = /\bfor\s+(?:update|share|no\s+key|key)\b|\bpg_(?:try_)?advisory/i

/** The statement of a text with parameters; undefined for one that is not to be prepared. */
export const statementOf = (text: string): Statement | undefined => {
  const known = statements.get(text)
  if (known !== undefined) return known
  if (statements.size >= maxStatements || text.length > maxTextLength) return undefined
  const made = {
    // Postgres cuts names at 63 bytes; 128 bits make two texts with one name impossible in practice.
    name: `doorlock_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`,
    isRead: query.test(text) && !locking.test(text),
    millis: Number.POSITIVE_INFINITY
  }
  statements.set(text, made)
  return made
}

/** Notes how long an execution took: less counts at once, more by and by. */
export const took = (statement: Statement, millis: number): void => {
  statement.millis = millis < statement.millis ? millis : statement.millis + (millis - statement.millis) / 8
}

/** Up to this many milliseconds a statement is short. */
const short = 5

/** Whether others may wait behind it for a connection that they could have had at once: it reads, and is soon done. */
export const isShortRead = ({ isRead, millis }: Statement): boolean => isRead && millis < short
