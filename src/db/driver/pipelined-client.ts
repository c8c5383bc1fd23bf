import { Client, type ClientConfig } from "pg"
import type { Columns } from "./columns.ts"
import { isStaleStatement, QueryTimeout } from "./errors.ts"
import { type Call, Execution, type Session } from "./execution.ts"
import { isShortRead, recordDuration, type Statement, statementOf } from "./statements.ts"

/** Hears of every statement that has been answered: how long it took, and whether it failed. */
export type OnAnswer = (seconds: number, isFailure: boolean) => void

/** A statement that has been sent and not been answered. */
interface Running {
  readonly sentAt: number
  /** Nobody waits for the answer any more. */
  isAbandoned: boolean
}

/** The prepared statement that a call executes, if it is to be prepared. */
const preparedFor = ({ isPrepared, text, values }: Call): Statement | undefined =>
  isPrepared && values.length > 0 ? statementOf(text) : undefined

const toBeFlushed: Array<PipelinedClient> = []

const flushAll = () => {
  for (const client of toBeFlushed.splice(0)) client.flush()
}

/**
 * A connection that prepares its statements, and sends the next before the last has been answered.
 *
 * A statement with values is parsed, planned and described once per connection, under a name made from its text. Sent without a name
 * are statements without values, since they may be several in one text, and those that ask for it (`statement.unprepared`), because a
 * plan for all companies may be a bad one for the largest. Everything that is sent within one turn of the event loop leaves in one
 * write. Each statement is a transaction of its own unless one has been begun, so one that fails does not affect the next.
 *
 * pg does the rest: it connects, authenticates, parses the answers, and fails what is unanswered when the connection is lost.
 */
export class PipelinedClient extends Client implements Session {
  readonly unsent: Array<Buffer> = []
  readonly columns = new Map<string, Columns>()
  readonly #onAnswer: OnAnswer
  /** How often a statement had to be prepared anew on this connection, by its text. The count becomes part of its name. */
  readonly #renewals = new Map<string, number>()
  /** In the order in which they were sent, which is that of the answers. */
  readonly #running: Array<Running> = []
  #abandoned = 0
  /** When the last answer came, on the monotonic clock. */
  #answeredAt = 0
  /** How many unanswered statements are not short reads. */
  #others = 0

  constructor(config: ClientConfig, onAnswer: OnAnswer) {
    super({ ...config, pipeline: true })
    this.#onAnswer = onAnswer
  }

  /** How many statements are unanswered. */
  get load(): number {
    return this.#running.length
  }

  /** Whether somebody waits for an answer. */
  get isAwaited(): boolean {
    return this.#running.length > this.#abandoned
  }

  /** When the oldest unanswered statement was sent, on the monotonic clock. */
  get busySince(): number | undefined {
    return this.#running[0]?.sentAt
  }

  /** Whether the statement can leave in one write with others, and be answered soon: it and all that is unanswered are short reads. */
  canJoin(call: Call): boolean {
    if (this.unsent.length === 0 || this.#others > 0) return false
    const statement = preparedFor(call)
    return statement !== undefined && isShortRead(statement)
  }

  /** Sends a statement. The function it returns tells that nobody waits for the answer any more. */
  execute(call: Call): () => void {
    const statement = preparedFor(call)
    const running: Running = { sentAt: performance.now(), isAbandoned: false }
    const isOther = statement === undefined || !isShortRead(statement)
    if (isOther) this.#others++
    const settle = (error: unknown, rows: ReadonlyArray<unknown>) => {
      this.#running.splice(this.#running.indexOf(running), 1)
      if (isOther) this.#others--
      if (running.isAbandoned) this.#abandoned--
      const now = performance.now()
      this.#onAnswer((now - running.sentAt) / 1_000, Boolean(error))
      // Its execution began when the one before it had been answered. How soon one fails says nothing of those that succeed.
      if (!error && statement !== undefined)
        recordDuration(statement, now - Math.max(running.sentAt, this.#answeredAt))
      this.#answeredAt = now
      call.settle(error, rows)
    }
    this.#running.push(running)
    const renewals = this.#renewals.get(call.text) ?? 0
    this.#dispatch(call, statement, (error, rows) => {
      if (!isStaleStatement(error)) return settle(error, rows)
      this.#renewals.set(call.text, renewals + 1)
      // Inside a transaction the error has already ended it, so only whoever began it can try again.
      if (this.getTransactionStatus() !== "I") return settle(error, rows)
      this.#dispatch(call, statement, settle)
    })
    return () => {
      if (running.isAbandoned) return
      running.isAbandoned = true
      this.#abandoned++
    }
  }

  /** Closes the connection when it has owed an answer since before `time`. pg itself would leave it busy with the lost statement. */
  closeIfBusySince(time: number): void {
    const { busySince } = this
    if (busySince === undefined || busySince > time) return
    const seconds = Math.round(performance.now() - busySince) / 1_000
    this.connection.stream.destroy(new QueryTimeout(`The statement was not answered within ${seconds} s`))
  }

  /** Sends what has been collected. */
  flush(): void {
    const messages = this.unsent.splice(0)
    if (messages.length > 0 && this.connection.stream.writable) {
      this.connection.stream.write(Buffer.concat(messages))
    }
  }

  #dispatch(call: Call, statement: Statement | undefined, settle: Call["settle"]): void {
    if (statement === undefined) {
      this.#sendUnnamed(call, settle)
      return
    }
    if (this.unsent.length === 0 && toBeFlushed.push(this) === 1) setImmediate(flushAll)
    const renewals = this.#renewals.get(call.text)
    const name = renewals === undefined ? statement.name : `${statement.name}_${renewals}`
    this.query(new Execution(this, name, call, settle))
  }

  /** Sends a statement as pg does, behind what has been collected. */
  #sendUnnamed({ shape, text, values }: Call, settle: Call["settle"]): void {
    this.flush()
    this.query(
      {
        text,
        ...(values.length > 0 ? { values: [...values] } : {}),
        ...(shape === "array" ? { rowMode: "array" } : {})
      },
      (error: unknown, result: unknown) => {
        if (error) settle(error, [])
        else settle(undefined, Array.isArray(result) ? result.map(rowsOf) : rowsOf(result))
      }
    )
  }
}

const rowsOf = (result: unknown): ReadonlyArray<unknown> =>
  typeof result === "object" && result !== null && "rows" in result && Array.isArray(result.rows)
    ? result.rows
    : []
