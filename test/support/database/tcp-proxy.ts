/** A network link between the service and its database that a test can break. */
import { connect, createServer, type Socket } from "node:net"
import { Effect, Redacted, type Scope } from "effect"
import { listeningAt } from "../postgres.ts"

export interface TcpProxy {
  /** The database's URL through the proxy. */
  readonly url: Redacted.Redacted<string>
  /** Cuts every connection, but accepts new ones. */
  readonly cut: Effect.Effect<void>
  /** Cuts every connection and refuses new ones until `forward`. */
  readonly refuse: Effect.Effect<void>
  readonly forward: Effect.Effect<void>
  /** Holds back everything that the database sends, until `release`. */
  readonly hold: Effect.Effect<void>
  readonly release: Effect.Effect<void>
  /** From now on, the service is not told that the database has closed a connection. */
  readonly concealEnds: Effect.Effect<void>
}

/**
 * A proxy in front of the database with that URL. The proxy and all its connections close with the scope.
 *
 * @param before runs before each new connection is forwarded; if it fails, the connection is cut
 */
export const proxied = (
  database: Redacted.Redacted<string>,
  before: () => Promise<void> = () => Promise.resolve()
): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const target = new URL(Redacted.value(database))
    const pairs = new Set<readonly [Socket, Socket]>()
    let refusing = false
    let holding = false
    let concealing = false

    const cut = () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      pairs.clear()
    }
    const accept = (inner: Socket) => {
      inner.on("error", () => {})
      before().then(
        () => pass(inner),
        () => inner.destroy()
      )
    }
    const pass = (inner: Socket) => {
      if (refusing || inner.destroyed) return void inner.destroy()
      const outer = connect(listeningAt(database))
      const pair = [inner, outer] as const
      pairs.add(pair)
      for (const [from, to] of [
        [inner, outer],
        [outer, inner]
      ] as const) {
        from.on("data", (chunk) => void to.write(chunk))
        from.on("error", () => {})
        from.on("close", () => {
          if (concealing && from === outer) return
          to.destroy()
          pairs.delete(pair)
        })
      }
      if (holding) outer.pause()
    }
    const server = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<ReturnType<typeof createServer>>((resolve) => {
            const listening = createServer(accept).listen(0, "127.0.0.1", () => resolve(listening))
          })
      ),
      (listening) =>
        Effect.sync(() => {
          refusing = true
          cut()
          listening.close()
        })
    )
    const address = server.address()
    if (typeof address !== "object" || address === null) throw new Error("The proxy has no port")
    const url = new URL(target)
    url.host = `127.0.0.1:${address.port}`
    return {
      url: Redacted.make(url.href),
      cut: Effect.sync(cut),
      refuse: Effect.sync(() => {
        refusing = true
        cut()
      }),
      forward: Effect.sync(() => {
        refusing = false
      }),
      hold: Effect.sync(() => {
        holding = true
        for (const [, outer] of pairs) outer.pause()
      }),
      release: Effect.sync(() => {
        holding = false
        for (const [, outer] of pairs) outer.resume()
      }),
      concealEnds: Effect.sync(() => {
        concealing = true
      })
    }
  })
