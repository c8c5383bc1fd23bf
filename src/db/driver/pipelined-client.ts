import { connect } from "node:net"
import { Client, type ClientConfig } from "pg"
import type { Columns } from "./columns.ts"
import { isStaleStatement, QueryTimeout } from "./errors.ts"
import { type Call, Execution, type Session } from "./execution.ts"
import { cancelRequest, type Settings, set } from "./messages.ts"
import { isShortRead, recordDuration, type Statement, statementOf } from "./statements.ts"

export type OnAnswer = (seconds: number, isFailure: boolean) => void

/**
 * What a connection must do without if a pooler gives each transaction another server connection. Everything that
 * it sets then ends with the transaction.
 */
export interface Pooled {
  /** Whether the pooler prepares statements again on the server connection that executes them. */
  readonly keepsStatements: boolean
  /** Set with each statement that is its own transaction. */
  readonly settings: Settings
}

/**
 * A prepared statement is planned once for all values (`db/plans` checks that this plan is good). Left to itself, Postgres would plan a statement
 * about a partitioned table each time, because a plan for all values seems to read all partitions, although those that cannot have a row are
 * left out when it begins.
 */
export const prepared = { plan_cache_mode: "force_generic_plan" } as const

/** Of statements that are not prepared. */
const unprepared = { plan_cache_mode: "force_custom_plan" } as const

/** A statement that was sent and has no reply yet. */
interface Running {
  readonly sentAt: number
  /** Nobody waits for the reply any more. */
  isAbandoned: boolean
}

const preparedFor = ({ isPrepared, text, values }: Call): Statement | undefined =>
  isPrepared && values.length > 0 ? statementOf(text) : undefined

/** A statement without values has one plan. */
const isPlannedAnew = ({ isPrepared, values }: Call): boolean => !isPrepared && values.length > 0

/** Milliseconds after which the server connection is closed instead. */
const cancelTimeout = 2_000

const toBeFlushed: Array<PipelinedClient> = []

const flushAll = () => {
  for (const client of toBeFlushed.splice(0)) client.flush()
}

/**
 * A connection that prepares its statements and pipelines them, without waiting for replies.
 *
 * A statement with values is prepared once per connection, under a name derived from its text. Two kinds have
 * no name: statements without values, since one text may contain several, and those marked
 * `statement.unprepared`, because a plan for all companies may be bad for the largest one. Everything sent
 * within one turn of the event loop leaves in one write. Outside a transaction block each statement is its
 * own transaction, so its failure affects no other.
 *
 * Behind a pooler (`Pooled`), the server is told the time limit with each statement, and if the pooler does not keep
 * prepared statements, none has a name.
 *
 * pg connects, authenticates, parses replies, and fails unanswered statements when the connection is lost.
 */
export class PipelinedClient extends Client implements Session {
  readonly unsent: Array<Buffer> = []
  readonly columns = new Map<string, Columns>()
  readonly #onAnswer: OnAnswer
  readonly #pooled: Pooled | undefined
  /** Sent before statements. */
  readonly #preface: {
    readonly prepared: Buffer | undefined
    readonly unprepared: Buffer
    readonly preparedAgain: Buffer
  }
  /** Whether the transaction has executed a statement that is planned anew, so that the next one would be, too. */
  #plansAnew = false
  /** How often each text had to be prepared again on this connection; part of the statement's name. */
  readonly #renewals = new Map<string, number>()
  /** In the order of sending, and so of the replies. */
  readonly #running: Array<Running> = []
  #abandoned = 0
  /** When the last reply arrived (monotonic). */
  #answeredAt = 0
  /** Unanswered statements that are not short reads. */
  #others = 0

  constructor(config: ClientConfig, onAnswer: OnAnswer, pooled?: Pooled) {
    super({ ...config, pipeline: true })
    this.#pooled = pooled
    this.#preface = {
      prepared: pooled && set(pooled.settings),
      unprepared: set({ ...pooled?.settings, ...unprepared }),
      preparedAgain: set(prepared)
    }
    this.#onAnswer = onAnswer
  }

  /**
   * What pg sends when it connects. Not within `options`: what DATABASE_URL or PGOPTIONS have there is the operator's.
   */
  getStartupConf(): object {
    // pg's types omit it.
    const { getStartupConf } = Client.prototype as unknown as { getStartupConf: (this: Client) => object }
    return { ...getStartupConf.call(this), ...(this.#pooled === undefined ? prepared : {}) }
  }

  get #isInTransaction(): boolean {
    const status = this.getTransactionStatus()
    return status === "T" || status === "E"
  }

  /** A transaction sets what prepared statements need when it begins. What is set for another statement in it stays until its end. */
  prefaceOf(call: Call): Buffer | undefined {
    if (!this.#isInTransaction) return isPlannedAnew(call) ? this.#preface.unprepared : this.#preface.prepared
    if (!isPlannedAnew(call) && !this.#plansAnew) return undefined
    this.#plansAnew = isPlannedAnew(call)
    return this.#plansAnew ? this.#preface.unprepared : this.#preface.preparedAgain
  }

  get isPooled(): boolean {
    return this.#pooled !== undefined
  }

  get load(): number {
    return this.#running.length
  }

  get isAwaited(): boolean {
    return this.#running.length > this.#abandoned
  }

  /** When the oldest unanswered statement was sent (monotonic). */
  get busySince(): number | undefined {
    return this.#running[0]?.sentAt
  }

  /** Whether the statement and all unanswered ones are short reads, so that it can share their write. */
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
      // Execution starts with the previous reply. The duration of a failure says nothing about successes.
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
      // The error has aborted an open transaction, which only its owner can retry.
      if (this.getTransactionStatus() !== "I") return settle(error, rows)
      this.#dispatch(call, statement, settle)
    })
    return () => {
      if (running.isAbandoned) return
      running.isAbandoned = true
      this.#abandoned++
    }
  }

  /** Closes a connection that pg would leave busy with a statement unanswered since before `time`. */
  closeIfBusySince(time: number): void {
    const { busySince } = this
    if (busySince === undefined || busySince > time) return
    const seconds = Math.round(performance.now() - busySince) / 1_000
    this.connection.stream.destroy(new QueryTimeout(`The statement was not answered within ${seconds} s`))
  }

  /**
   * Asks the other end to cancel what this connection executes. Only a pooler knows on which server connection that is.
   * Calls `onSent` once the server has been signalled; never if that cannot be known.
   */
  requestCancel(onSent: () => void): void {
    const { host, port } = this
    const socket = connect(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    socket.setTimeout(cancelTimeout, () => socket.destroy())
    socket.on("error", () => {})
    // pg's types omit both.
    const { processID, secretKey } = this as unknown as { processID: number; secretKey: number }
    socket.once("connect", () => socket.write(cancelRequest(processID, secretKey)))
    // The other side closes it when it has sent the signal.
    socket.once("end", onSent)
    socket.resume()
  }

  flush(): void {
    const messages = this.unsent.splice(0)
    if (messages.length > 0 && this.connection.stream.writable) {
      this.connection.stream.write(Buffer.concat(messages))
    }
  }

  #dispatch(call: Call, statement: Statement | undefined, settle: Call["settle"]): void {
    if (!this.#isInTransaction) this.#plansAnew = false
    if (statement === undefined && !this.#hasPreface(call)) {
      this.#sendUnnamed(call, settle)
      return
    }
    if (this.unsent.length === 0 && toBeFlushed.push(this) === 1) setImmediate(flushAll)
    const renewals = this.#renewals.get(call.text)
    const isUnnamed = statement === undefined || this.#pooled?.keepsStatements === false
    const name = isUnnamed ? "" : renewals === undefined ? statement.name : `${statement.name}_${renewals}`
    this.query(new Execution(this, name, call, settle))
  }

  /**
   * Of a statement that is not prepared. A text of several statements cannot have one. Neither must BEGIN, whose transaction would keep what
   * is set before it.
   */
  #hasPreface(call: Call): boolean {
    if (call.text.includes(";")) return false
    return isPlannedAnew(call) || (this.isPooled && !this.#isInTransaction)
  }

  /** Sends a statement as pg does, after the collected messages. */
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
