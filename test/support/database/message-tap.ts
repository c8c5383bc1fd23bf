/** Observes the messages between a client and Postgres. */
import { createConnection, createServer, type Socket } from "node:net"
import { Effect, Redacted, type Scope } from "effect"
import { listeningAt } from "../postgres.ts"

/** Called with a message's type, its body, and its connection. */
export type OnMessage = (type: string, body: Buffer, connection: object) => void

/** Splits a stream into its messages (PostgreSQL documentation, 54.7 Message Formats). */
const reader = (onMessage: (type: string, body: Buffer) => void, isClient: boolean) => {
  let pending = Buffer.alloc(0)
  // A client's first message has a length but no type.
  let typed = !isClient
  return (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const head = typed ? 1 : 0
      if (pending.length < head + 4) return
      const length = pending.readUInt32BE(head)
      if (pending.length < head + length) return
      if (typed) onMessage(pending.toString("latin1", 0, 1), pending.subarray(5, 1 + length))
      typed = true
      pending = pending.subarray(head + length)
    }
  }
}

/** The text before the next zero byte. */
export const textAt = (bytes: Buffer, from: number) => bytes.toString("utf8", from, bytes.indexOf(0, from))

/** A TCP proxy in front of the database, and the database's URL through it; closed with the scope. */
export const messageTap = (
  databaseUrl: Redacted.Redacted<string>,
  { fromClient, fromServer }: { readonly fromClient?: OnMessage; readonly fromServer?: OnMessage }
): Effect.Effect<Redacted.Redacted<string>, never, Scope.Scope> => {
  const target = new URL(Redacted.value(databaseUrl))
  const sockets = new Set<Socket>()
  const listen = Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer((client) => {
      const upstream = createConnection(listeningAt(databaseUrl))
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client]
      ] as const) {
        sockets.add(socket)
        socket.on("error", () => other.destroy())
        socket.on("close", () => other.destroy())
        socket.setNoDelay(true)
      }
      if (fromClient !== undefined)
        client.on(
          "data",
          reader((type, body) => fromClient(type, body, client), true)
        )
      if (fromServer !== undefined)
        upstream.on(
          "data",
          reader((type, body) => fromServer(type, body, client), false)
        )
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
      url.host = `127.0.0.1:${port}`
      return Redacted.make(url.href)
    })
  )
}
