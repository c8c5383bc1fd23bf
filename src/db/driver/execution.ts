import { type Connection, Query } from "pg"
import { Columns, type Field, type Shape, type TypeParsers } from "./columns.ts"
import { bind, describe, executeAndSync, parse } from "./messages.ts"

export interface Call {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  readonly shape: Shape
  /** False for `statement.unprepared`: Postgres then plans for the actual values each time. */
  readonly isPrepared: boolean
  /** Called once. A text of several statements returns the rows of each. */
  readonly settle: (error: unknown, rows: ReadonlyArray<unknown>) => void
}

export interface Executor {
  /**
   * The returned function abandons the reply and cancels the statement. A cancellation hits whatever the
   * connection is executing, so the connection is closed to protect other callers.
   */
  readonly execute: (call: Call) => () => void
}

/** A connection for exclusive use until it is released. */
export interface Reserved extends Executor {
  readonly release: () => void
}

export interface Session extends TypeParsers {
  /** Sent before a statement, in the same implicit transaction; returns one row, which is not the statement's. */
  readonly prefaceOf: (call: Call) => Buffer | undefined
  readonly unsent: Array<Buffer>
  /** Of each prepared statement that the server has described, by name. */
  readonly columns: Map<string, Columns>
}

/** pg's record of a connection's prepared statements, by name; its types omit it. */
interface KnownStatements {
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
}

/** One execution of a prepared statement, in pg's query queue. Without a name, it is prepared for this execution alone. */
export class Execution extends Query {
  readonly name: string
  readonly text: string
  readonly #call: Call
  readonly #session: Session
  readonly #settle: Call["settle"]
  readonly #rows: Array<unknown> = []
  #columns: Columns | undefined
  #readError: unknown
  /** Whether the reply to the preface is still to come. */
  #isPrefaced = false

  constructor(session: Session, name: string, call: Call, settle: Call["settle"]) {
    super(call.text)
    this.name = name
    this.text = call.text
    this.#call = call
    this.#session = session
    this.#settle = settle
    this.#columns = name === "" ? undefined : session.columns.get(name)
  }

  /** Returns the error if a value cannot be encoded; nothing is then sent. */
  override submit = (connection: Connection): unknown => {
    // The cast: see `KnownStatements`.
    const { parsedStatements, submittedNamedStatements } = connection as Connection & KnownStatements
    const { unsent } = this.#session
    const preface = this.#session.prefaceOf(this.#call)
    const { name, text } = this
    let bound: Buffer
    try {
      bound = bind(name, this.#call.values)
    } catch (error) {
      return error
    }
    if (preface !== undefined) {
      this.#isPrefaced = true
      unsent.push(preface)
    }
    if (name === "") unsent.push(parse(name, text))
    else if (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined) {
      submittedNamedStatements[name] = text
      unsent.push(parse(name, text))
    }
    unsent.push(bound)
    if (this.#columns === undefined) unsent.push(describe)
    unsent.push(executeAndSync)
    return undefined
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<Field> }): void {
    this.#columns = new Columns(this.#session, fields)
    if (this.name !== "") this.#session.columns.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { readonly fields: ReadonlyArray<string | null> }): void {
    if (this.#isPrefaced) return
    try {
      this.#rows.push(this.#columns?.row(fields, this.#call.shape))
    } catch (error) {
      // The rest of the reply must still be read from the connection.
      this.#readError = error
    }
  }

  handleCommandComplete(): void {
    this.#isPrefaced = false
  }

  handleEmptyQuery(): void {}

  handleError(error: unknown): void {
    this.#settle(error, [])
  }

  handleReadyForQuery(): void {
    this.#settle(this.#readError, this.#rows)
  }
}
