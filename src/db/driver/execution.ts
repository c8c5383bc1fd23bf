import { type Connection, Query } from "pg"
import { Columns, type Field, type Shape, type TypeParsers } from "./columns.ts"
import { bind, describe, executeAndSync, parse } from "./messages.ts"

/** A statement to be executed. */
export interface Call {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  readonly shape: Shape
  /** False for `statement.unprepared`: it is then planned each time, for the values at hand. */
  readonly isPrepared: boolean
  /** Called once, with the rows or with what failed. For a text of several statements there are the rows of each. */
  readonly settle: (error: unknown, rows: ReadonlyArray<unknown>) => void
}

/** Somewhere to execute statements. */
export interface Executor {
  /**
   * Executes a statement. The function it returns gives up the answer, and has the server cancel the statement. A cancellation hits
   * whatever the connection executes when it arrives. So that it hits nobody else's statement, the connection is closed.
   */
  readonly execute: (call: Call) => () => void
}

/** A connection that nobody else uses until it is released. */
export interface Reserved extends Executor {
  readonly release: () => void
}

/** What an execution needs of its connection. */
export interface Session extends TypeParsers {
  /** Messages that have not been sent yet. */
  readonly unsent: Array<Buffer>
  /** By the name of a prepared statement, once the server has described it. */
  readonly columns: Map<string, Columns>
}

/** What pg keeps of the prepared statements of a connection, by name. Its types leave this out. */
interface KnownStatements {
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
}

/** One execution of a prepared statement, in pg's queue of queries. */
export class Execution extends Query {
  /** pg records that the statement of this name has been parsed. */
  readonly name: string
  readonly text: string
  readonly #call: Call
  readonly #session: Session
  readonly #settle: Call["settle"]
  readonly #rows: Array<unknown> = []
  #columns: Columns | undefined
  #readError: unknown

  constructor(session: Session, name: string, call: Call, settle: Call["settle"]) {
    super(call.text)
    this.name = name
    this.text = call.text
    this.#call = call
    this.#session = session
    this.#settle = settle
    this.#columns = session.columns.get(name)
  }

  /** Returns the error when a value cannot be encoded. Nothing is sent then. */
  override submit = (connection: Connection): unknown => {
    // The cast: see `KnownStatements`.
    const { parsedStatements, submittedNamedStatements } = connection as Connection & KnownStatements
    const { unsent } = this.#session
    const { name, text } = this
    let bound: Buffer
    try {
      bound = bind(name, this.#call.values)
    } catch (error) {
      return error
    }
    if (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined) {
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
    this.#session.columns.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { readonly fields: ReadonlyArray<string | null> }): void {
    try {
      this.#rows.push(this.#columns?.row(fields, this.#call.shape))
    } catch (error) {
      // The rest of the answer still has to be read from the connection.
      this.#readError = error
    }
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handleError(error: unknown): void {
    this.#settle(error, [])
  }

  handleReadyForQuery(): void {
    this.#settle(this.#readError, this.#rows)
  }
}
