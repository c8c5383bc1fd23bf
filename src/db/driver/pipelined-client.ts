import { Client, type ClientConfig, type Connection, DatabaseError, Query } from "pg"
import { statementDuration, statementsFailed } from "../../observability/metrics.ts"
import { Columns, type Field, type Shape } from "./columns.ts"
import { isShortRead, type Statement, statementOf, took } from "./statements.ts"
import { Outbox } from "./wire-buffer.ts"

/** A statement did not answer in time; its connection has been given up. */
export class QueryTimeout extends Error {
  override readonly name = "QueryTimeout"
}

/**
 * The server no longer has the statement (`DISCARD ALL`, `DEALLOCATE`), or has it with columns that a
 * migration changed. Both are reported before anything is executed.
 */
export const isStaleStatement = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  (error.code === "26000" || (error.code === "0A000" && error.routine === "RevalidateCachedQuery"))

/** A statement to be executed. */
export interface Call {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  readonly shape: Shape
  /** Whether it is planned once and for all, or, as `statement.unprepared`, each time for what it is asked. */
  readonly isPrepared: boolean
  /** Called once: with the rows, of several statements in one text the rows of each, or with what failed. */
  readonly settle: (error: unknown, rows: ReadonlyArray<unknown>) => void
}

/** The statement under whose name it is executed, if it has one. */
const namedOf = ({ isPrepared, text, values }: Call): Statement | undefined =>
  isPrepared && values.length > 0 ? statementOf(text) : undefined

/** What node-postgres keeps of the statements of a connection, by name; its types leave it out. */
interface KnownStatements {
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
}

/** One execution of a prepared statement, in the driver's line of queries. */
class Execution extends Query {
  /** The driver notes it as parsed under this name. */
  readonly name: string
  readonly text: string
  readonly #call: Call
  readonly #client: PreparingClient
  readonly #done: Call["settle"]
  readonly #rows: Array<unknown> = []
  #columns: Columns | undefined
  #broken: unknown

  constructor(client: PreparingClient, name: string, call: Call, done: Call["settle"]) {
    super(call.text)
    this.name = name
    this.text = call.text
    this.#call = call
    this.#client = client
    this.#done = done
    this.#columns = client.columns.get(name)
  }

  /** Answers what cannot be sent, such as a value that is no JSON; nothing of it is sent then. */
  override submit = (connection: Connection): unknown => {
    // The cast: see `KnownStatements`.
    const { parsedStatements, submittedNamedStatements } = connection as Connection & KnownStatements
    const { outbox } = this.#client
    const { name, text } = this
    const before = outbox.length
    const isNew = parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined
    try {
      if (isNew) outbox.parse(name, text)
      outbox.bind(name, this.#call.values)
    } catch (error) {
      outbox.cut(before)
      return error
    }
    if (isNew) submittedNamedStatements[name] = text
    if (this.#columns === undefined) outbox.describe()
    outbox.executeAndSync()
    return undefined
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<Field> }): void {
    this.#columns = new Columns(this.#client, fields)
    this.#client.columns.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { readonly fields: ReadonlyArray<string | null> }): void {
    try {
      this.#rows.push(this.#columns?.row(fields, this.#call.shape))
    } catch (error) {
      // The answer goes on; only its reading has failed.
      this.#broken = error
    }
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handleError(error: unknown): void {
    this.#done(error, [])
  }

  handleReadyForQuery(): void {
    this.#done(this.#broken, this.#rows)
  }
}

/** What has been sent and not been answered. */
interface Running {
  readonly sentAt: number
  /** Nobody waits for the answer any more. */
  abandoned: boolean
}

const toBeFlushed: Array<PreparingClient> = []

const flushAll = () => {
  for (const client of toBeFlushed.splice(0)) client.flush()
}

/**
 * A connection that prepares its statements, and sends the next before the last has been answered.
 *
 * Each statement that has values gets a name made from its text, under which it is parsed, planned and described once
 * per connection. Statements without values go unnamed, since they may be several in one text, and so do those that ask
 * for it (`statement.unprepared`): a plan for all companies may be a bad one for the largest. What is sent within one turn of
 * the event loop leaves in one write. Each statement is a transaction of its own, unless one has been begun: that one fails
 * does not concern the next.
 *
 * node-postgres does the rest: it connects, authenticates, reads the answers, and fails what is unanswered when the
 * connection is lost.
 */
export class PreparingClient extends Client {
  readonly outbox = new Outbox()
  /** By a statement's name, once it has been described. */
  readonly columns = new Map<string, Columns>()
  /** How often a statement had to be prepared anew on this connection; the count becomes part of its name. */
  readonly #renewals = new Map<string, number>()
  /** In the order of sending, which is that of the answers. */
  readonly #running: Array<Running> = []
  #abandoned = 0
  /** When the last answer came, on the monotonic clock. */
  #answeredAt = 0
  /** How many statements are unanswered that are no short reads. */
  #others = 0

  constructor(config: ClientConfig) {
    super({ ...config, pipeline: true })
  }

  /** How many statements are unanswered. */
  get load(): number {
    return this.#running.length
  }

  /** Whether somebody waits for an answer. */
  get isAwaited(): boolean {
    return this.#running.length > this.#abandoned
  }

  /** When the statement that is executed now was sent, on the monotonic clock. */
  get busySince(): number | undefined {
    return this.#running[0]?.sentAt
  }

  /**
   * Whether the statement can leave in one write with what has been collected for that, and be answered soon: all that is before
   * it, and it itself, are short reads.
   */
  canJoin(call: Call): boolean {
    if (this.outbox.length === 0 || this.#others > 0) return false
    const statement = namedOf(call)
    return statement !== undefined && isShortRead(statement)
  }

  /** Sends a statement; what is returned abandons its answer. */
  execute(call: Call): () => void {
    const statement = namedOf(call)
    const running: Running = { sentAt: performance.now(), abandoned: false }
    const isOther = statement === undefined || !isShortRead(statement)
    if (isOther) this.#others++
    const settle = (error: unknown, rows: ReadonlyArray<unknown>) => {
      this.#running.splice(this.#running.indexOf(running), 1)
      if (isOther) this.#others--
      if (running.abandoned) this.#abandoned--
      const now = performance.now()
      statementDuration.observe((now - running.sentAt) / 1_000)
      // It was executed when the one before it had been; how soon one fails says nothing of those that succeed.
      if (!error && statement !== undefined) took(statement, now - Math.max(running.sentAt, this.#answeredAt))
      this.#answeredAt = now
      if (error) statementsFailed.add()
      call.settle(error, rows)
    }
    this.#running.push(running)
    const started = this.#renewals.get(call.text)
    this.#dispatch(call, statement, (error, rows) => {
      if (error === undefined || error === null || !isStaleStatement(error)) return settle(error, rows)
      this.#renewals.set(call.text, (started ?? 0) + 1)
      // Inside a transaction the error has already ended it, so only whoever began it can try again.
      if (this.getTransactionStatus() !== "I") return settle(error, rows)
      this.#dispatch(call, statement, settle)
    })
    return () => {
      if (running.abandoned) return
      running.abandoned = true
      this.#abandoned++
    }
  }

  /**
   * Gives the connection up when it owes an answer since before `time`: node-postgres would leave it busy with the lost
   * statement.
   */
  giveUpIfBusySince(time: number): void {
    const { busySince } = this
    if (busySince === undefined || busySince > time) return
    const seconds = Math.round(performance.now() - busySince) / 1_000
    this.connection.stream.destroy(new QueryTimeout(`The statement was not answered within ${seconds} s`))
  }

  /** Sends what has been collected. */
  flush(): void {
    if (this.outbox.length > 0 && this.connection.stream.writable) {
      this.connection.stream.write(this.outbox.take())
    }
  }

  #dispatch(call: Call, statement: Statement | undefined, done: Call["settle"]): void {
    if (statement === undefined) {
      this.#send(call, done)
      return
    }
    if (this.outbox.length === 0 && toBeFlushed.push(this) === 1) setImmediate(flushAll)
    const renewals = this.#renewals.get(call.text)
    const name = renewals === undefined ? statement.name : `${statement.name}_${renewals}`
    this.query(new Execution(this, name, call, done))
  }

  /** Sends a statement as node-postgres does, behind what has been collected. */
  #send({ shape, text, values }: Call, done: Call["settle"]): void {
    this.flush()
    this.query(
      {
        text,
        ...(values.length > 0 ? { values: [...values] } : {}),
        ...(shape === "array" ? { rowMode: "array" } : {})
      },
      (error: unknown, result: unknown) => {
        if (error) done(error, [])
        else done(undefined, Array.isArray(result) ? result.map(rowsOf) : rowsOf(result))
      }
    )
  }
}

const rowsOf = (result: unknown): ReadonlyArray<unknown> =>
  typeof result === "object" && result !== null && "rows" in result && Array.isArray(result.rows)
    ? result.rows
    : []
