import { createConnection, createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** One statement that a client had Postgres execute. */
export interface SentStatement {
  readonly text: string
  /** Under which it was prepared; undefined when it was sent as text (`Query`, no parameters). */
  readonly name: string | undefined
  /** Whether Postgres had to parse and plan it for this execution. */
  readonly parsed: boolean
}

export interface WireTap {
  /** The database of the given URL, reached through the tap. */
  readonly url: Redacted.Redacted<string>
  /** Everything executed so far; connections that listen for notifications are left out. */
  readonly statements: () => ReadonlyArray<SentStatement>
}

const text = (bytes: Buffer, from: number) => bytes.toString("utf8", from, bytes.indexOf(0, from))

/** Reads what a client sends (PostgreSQL documentation, 54.7 Message Formats). */
const reader = (execute: (statement: SentStatement) => void) => {
  const prepared = new Map<string, string>()
  const parsedNow = new Set<string>()
  let pending = Buffer.alloc(0)
  let started = false

  const message = (type: string, body: Buffer) => {
    if (type === "Q") execute({ text: text(body, 0), name: undefined, parsed: true })
    if (type === "P") {
      const name = text(body, 0)
      prepared.set(name, text(body, body.indexOf(0) + 1))
      parsedNow.add(name)
    }
    if (type === "B") {
      const name = text(body, body.indexOf(0) + 1)
      execute({ text: prepared.get(name) ?? "", name, parsed: parsedNow.delete(name) })
    }
  }

  return (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      // The very first message has a length but no type.
      const head = started ? 1 : 0
      if (pending.length < head + 4) return
      const length = pending.readUInt32BE(head)
      if (pending.length < head + length) return
      if (started) message(pending.toString("latin1", 0, 1), pending.subarray(5, 1 + length))
      started = true
      pending = pending.subarray(head + length)
    }
  }
}

/** A TCP proxy before the database that notes every statement, closed with the scope. */
export const wireTap = (
  databaseUrl: Redacted.Redacted<string>
): Effect.Effect<WireTap, never, Scope.Scope> => {
  const target = new URL(Redacted.value(databaseUrl))
  const log: Array<{ readonly statement: SentStatement; readonly client: Socket }> = []
  const listeners = new Set<Socket>()
  const sockets = new Set<Socket>()
  const listen = Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer((client) => {
      const upstream = createConnection({ host: target.hostname, port: Number(target.port || 5432) })
      const read = reader((statement) => {
        if (/^listen /i.test(statement.text)) listeners.add(client)
        log.push({ statement, client })
      })
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client]
      ] as const) {
        sockets.add(socket)
        socket.on("error", () => other.destroy())
        socket.on("close", () => other.destroy())
        socket.setNoDelay(true)
      }
      client.on("data", read)
      client.pipe(upstream)
      upstream.pipe(client)
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") throw new Error("The tap has no port")
      resume(Effect.succeed({ port: address.port, close: () => server.close() }))
    })
  })
  return Effect.acquireRelease(listen, ({ close }) =>
    Effect.sync(() => {
      close()
      for (const socket of sockets) socket.destroy()
    })
  ).pipe(
    Effect.map(({ port }) => {
      const url = new URL(target)
      url.hostname = "127.0.0.1"
      url.port = String(port)
      return {
        url: Redacted.make(url.href),
        statements: () => log.flatMap(({ client, statement }) => (listeners.has(client) ? [] : [statement]))
      }
    })
  )
}
