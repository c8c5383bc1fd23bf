import { Client, type ClientConfig } from "pg"
import type { Columns } from "./columns.ts"
import { isStaleStatement, QueryTimeout } from "./errors.ts"
import { type Call, Execution, type Session } from "./execution.ts"
import { isShortRead, recordDuration, type Statement, statementOf } from "./statements.ts"

/** Called for every answered statement, with its duration and whether it failed. */
export type OnAnswer = (seconds: number, isFailure: boolean) => void

/** A statement that was sent and has no reply yet. */
interface Running {
  readonly sentAt: number
  /** Nobody waits for the reply any more. */
  isAbandoned: boolean
}

/** The prepared statement for a call, if the call should be prepared. */
const preparedFor = ({ isPrepared, text, values }: Call): Statement | undefined =>
  isPrepared && values.length > 0 ? statementOf(text) : undefined

const toBeFlushed: Array<PipelinedClient> = []

const flushAll = () => {
  for (const client of toBeFlushed.splice(0)) client.flush()
}

/**
 * A connection that prepares its statements and pipelines them: it sends the next before the reply to the last.
 *
 * A statement with values is parsed, planned and described once per connection, under a name derived from its text. Two kinds are sent
 * without a name: statements without values, since one text may contain several, and those marked `statement.unprepared`, because a plan
 * for all companies may be bad for the largest one. Everything sent within one turn of the event loop leaves in one write. Outside a
 * transaction block, each statement is a transaction of its own, so a failure does not affect the next statement.
 *
 * pg does the rest: it connects, authenticates, parses replies, and fails unanswered statements when the connection is lost.
 */
export class PipelinedClient extends Client implements Session {
  readonly unsent: Array<Buffer> = []
  readonly columns = new Map<string, Columns>()
  readonly #onAnswer: OnAnswer
  /** How often each statement, by text, had to be prepared again on this connection. The count becomes part of the statement's name. */
  readonly #renewals = new Map<string, number>()
  /** In the order of sending, which is also the order of the replies. */
  readonly #running: Array<Running> = []
  #abandoned = 0
  /** When the last reply arrived, in monotonic time. */
  #answeredAt = 0
  /** Number of unanswered statements that are not short reads. */
  #others = 0

  constructor(config: ClientConfig, onAnswer: OnAnswer) {
    super({ ...config, pipeline: true })
    this.#onAnswer = onAnswer
  }

  get load(): number {
    return this.#running.length
  }

  /** Whether anybody waits for a reply. */
  get isAwaited(): boolean {
    return this.#running.length > this.#abandoned
  }

  /** When the oldest unanswered statement was sent, in monotonic time. */
  get busySince(): number | undefined {
    return this.#running[0]?.sentAt
  }

  /** Whether the statement can share a write with others and be answered soon: it and all unanswered statements are short reads. */
  canJoin(call: Call): boolean {
    if (this.unsent.length === 0 || this.#others > 0) return false
    const statement = preparedFor(call)
    return statement !== undefined && isShortRead(statement)
  }

  /** Sends a statement. The returned function marks the reply as abandoned. */
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
      // Execution started when the previous statement was answered. The duration of a failure says nothing about successful executions.
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
      // The error has already aborted an open transaction, so only the transaction's owner can retry.
      if (this.getTransactionStatus() !== "I") return settle(error, rows)
      this.#dispatch(call, statement, settle)
    })
    return () => {
      if (running.isAbandoned) return
      running.isAbandoned = true
      this.#abandoned++
    }
  }

  /**
   * Closes the connection if a reply has been pending since before `time`. pg itself would leave the connection busy with the lost
   * statement.
   */
  closeIfBusySince(time: number): void {
    const { busySince } = this
    if (busySince === undefined || busySince > time) return
    const seconds = Math.round(performance.now() - busySince) / 1_000
    this.connection.stream.destroy(new QueryTimeout(`The statement was not answered within ${seconds} s`))
  }

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

  /** Sends a statement the way pg does, after the collected messages. */
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
