import { createHash } from "node:crypto"
import { Client, type ClientConfig, DatabaseError } from "pg"

/** A statement did not answer in time; its connection has been given up. */
export class QueryTimeout extends Error {
  override readonly name = "QueryTimeout"
}

/**
 * Beyond these bounds statements are sent without a name. Written-out SQL stays far below them; they keep
 * statements of ever-changing text (lists spelled out parameter by parameter) from filling our memory and
 * that of every server process.
 */
const maxNames = 1_000
const maxNamedLength = 8_192

const names = new Map<string, string>()

const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= maxNames || text.length > maxNamedLength) return undefined
  // Postgres cuts names at 63 bytes; 128 bits make two texts with one name impossible in practice.
  const name = `doorlock_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`
  names.set(text, name)
  return name
}

/**
 * The server no longer has the statement (`DISCARD ALL`, `DEALLOCATE`), or has it with columns that a
 * migration changed. Both are reported before anything is executed.
 */
export const isStaleStatement = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  (error.code === "26000" || (error.code === "0A000" && error.routine === "RevalidateCachedQuery"))

interface Call {
  readonly text: string
  readonly values: unknown
  readonly rowMode: "array" | undefined
}

/**
 * A connection that prepares its statements and never waits for one without an end.
 *
 * `@effect/sql-pg` sends text and values only, so that Postgres parses and plans each statement every time.
 * This client gives each statement that has values a name made from its text, under which node-postgres
 * prepares it once per connection. Statements without values go unnamed, since they may be several in one
 * text; cursors and promise-style calls pass through untouched.
 *
 * After `queryTimeoutMillis` the connection is destroyed: node-postgres would leave it busy with the lost
 * statement.
 */
export class PreparingClient extends Client {
  readonly #queryTimeoutMillis: number
  /** How often a statement had to be prepared anew on this connection; the count becomes part of its name. */
  readonly #renewals = new Map<string, number>()
  #inFlight = 0

  constructor(config: ClientConfig | undefined, queryTimeoutMillis: number) {
    super(config)
    this.#queryTimeoutMillis = queryTimeoutMillis
    // Not an override: `query` has seven overloads, all of which one would have to repeat. The driver calls
    // it dynamically anyway.
    Object.defineProperty(this, "query", { value: (...args: ReadonlyArray<unknown>) => this.#query(args) })
  }

  /** Whether a statement is still unanswered, so that the connection must not be handed to anyone else. */
  get isBusy(): boolean {
    return this.#inFlight > 0
  }

  #query(args: ReadonlyArray<unknown>): unknown {
    const callback = args.at(-1)
    const call = callOf(args)
    if (call === undefined || typeof callback !== "function") return this.#send(args)

    const started = this.#renewals.get(call.text)
    const timer = setTimeout(() => {
      const seconds = this.#queryTimeoutMillis / 1_000
      this.connection.stream.destroy(new QueryTimeout(`The statement was not answered within ${seconds} s`))
    }, this.#queryTimeoutMillis)
    const settle = (error: unknown, result: unknown) => {
      clearTimeout(timer)
      this.#inFlight--
      callback(error, result)
    }
    this.#inFlight++
    this.#dispatch(call, (error, result) => {
      if (!isStaleStatement(error)) return settle(error, result)
      this.#renewals.set(call.text, (started ?? 0) + 1)
      // Inside a transaction the error has already ended it, so only whoever began it can try again.
      if (this.getTransactionStatus() !== "I") return settle(error, result)
      this.#dispatch(call, settle)
    })
  }

  #dispatch({ text, values, rowMode }: Call, callback: (error: unknown, result: unknown) => void): void {
    const base = Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined
    const renewals = this.#renewals.get(text)
    const name = base === undefined || renewals === undefined ? base : `${base}_${renewals}`
    this.#send([{ name, text, values, rowMode }, callback])
  }

  #send(args: ReadonlyArray<unknown>): unknown {
    return Reflect.apply(Client.prototype.query, this, args)
  }
}

/**
 * The statement of the two call forms `@effect/sql-pg` uses, `(text, values, callback)` and `(config,
 * callback)`.
 */
const callOf = ([first, second]: ReadonlyArray<unknown>): Call | undefined => {
  if (typeof first === "string") {
    return { text: first, values: Array.isArray(second) ? second : undefined, rowMode: undefined }
  }
  if (typeof first !== "object" || first === null || "submit" in first || "name" in first) return undefined
  if (!("text" in first) || typeof first.text !== "string") return undefined
  return {
    text: first.text,
    values: "values" in first ? first.values : undefined,
    rowMode: "rowMode" in first && first.rowMode === "array" ? "array" : undefined
  }
}
