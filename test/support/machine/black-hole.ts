/** A loopback address that neither accepts nor refuses connections. */
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { Effect, type Scope } from "effect"
import { eventually } from "../eventually.ts"

/** A listener that never accepts a connection from its queue. */
const program = `
  postMessage(Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } }).port)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
`

/** More than the listener's queue can hold. */
const enough = 600

export interface BlackHole {
  readonly port: number
  /** How many sockets of this machine are still trying to connect to the address. */
  readonly dials: () => Promise<number>
}

/** Opens a black hole until the scope closes. */
export const openBlackHole: Effect.Effect<BlackHole, Error, Scope.Scope> = Effect.gen(function* () {
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(URL.createObjectURL(new Blob([program])))),
    (running) => Effect.sync(() => running.terminate())
  )
  const port = yield* Effect.promise(async () => Number((await once(worker, "message"))[0].data))
  // In /proc/net/tcp: the remote port in hexadecimal, and the state SYN-SENT.
  const dialling = `:${port.toString(16).toUpperCase().padStart(4, "0")} 02 `
  const dials = async () =>
    (await readFile("/proc/net/tcp", "utf8")).split("\n").filter((line) => line.includes(dialling)).length
  let taken = 0
  const sockets = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Array.from({ length: enough }, () =>
        connect({ host: "127.0.0.1", port }, () => taken++).on("error", () => {})
      )
    ),
    (opened) => Effect.sync(() => opened.forEach((socket) => void socket.destroy()))
  )
  yield* eventually(
    "the queue is full",
    Effect.promise(async () => taken > 0 && taken + (await dials()) === enough)
  )
  for (const socket of sockets) if (socket.connecting) socket.destroy()
  return { port, dials }
})
