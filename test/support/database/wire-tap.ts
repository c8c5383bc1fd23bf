import { Effect, type Redacted, type Scope } from "effect"
import { messageTap, textAt } from "./message-tap.ts"

/** One statement that Postgres executed for a client. */
interface SentStatement {
  readonly text: string
  /** The name of the prepared statement; undefined if it was sent as text (`Query`, no parameters). */
  readonly name: string | undefined
  /** Whether Postgres had to parse and plan the statement for this execution. */
  readonly parsed: boolean
}

export interface WireTap {
  /** The database of the given URL, through the tap. */
  readonly url: Redacted.Redacted<string>
  /** All statements so far, except those on connections that listen for notifications, or send heartbeats to them. */
  readonly statements: () => ReadonlyArray<SentStatement>
  /** The bytes of each row returned so far, on the same connections. */
  readonly rows: () => ReadonlyArray<number>
}

/** The statements that a connection has prepared. */
interface Prepared {
  readonly texts: Map<string, string>
  readonly now: Set<string>
}

/**
 * A proxy in front of the database that records every statement and the size of every row; closed with the
 * scope.
 */
export const wireTap = (
  databaseUrl: Redacted.Redacted<string>
): Effect.Effect<WireTap, never, Scope.Scope> => {
  const log: Array<{ readonly statement: SentStatement; readonly connection: object }> = []
  const rows: Array<{ readonly bytes: number; readonly connection: object }> = []
  const listeners = new Set<object>()
  const connections = new Map<object, Prepared>()
  const fromClient = (type: string, body: Buffer, connection: object) => {
    const prepared = connections.get(connection) ?? { texts: new Map(), now: new Set() }
    connections.set(connection, prepared)
    const execute = (statement: SentStatement) => {
      if (/^listen |pg_postmaster_start_time/i.test(statement.text)) listeners.add(connection)
      log.push({ statement, connection })
    }
    if (type === "Q") execute({ text: textAt(body, 0), name: undefined, parsed: true })
    if (type === "P") {
      const name = textAt(body, 0)
      prepared.texts.set(name, textAt(body, body.indexOf(0) + 1))
      prepared.now.add(name)
    }
    if (type === "B") {
      const name = textAt(body, body.indexOf(0) + 1)
      execute({ text: prepared.texts.get(name) ?? "", name, parsed: prepared.now.delete(name) })
    }
  }
  const fromServer = (type: string, body: Buffer, connection: object) => {
    if (type === "D") rows.push({ bytes: body.length, connection })
  }
  return Effect.map(messageTap(databaseUrl, { fromClient, fromServer }), (url) => ({
    url,
    rows: () => rows.flatMap(({ bytes, connection }) => (listeners.has(connection) ? [] : [bytes])),
    statements: () =>
      log.flatMap(({ connection, statement }) => (listeners.has(connection) ? [] : [statement]))
  }))
}
