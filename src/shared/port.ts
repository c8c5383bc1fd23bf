import { createServer } from "node:net"
import { Effect } from "effect"

/** Listens on a port for a moment, and returns it; for port 0, a free one. Fails if it is taken. */
export const probePort = (host: string, port: number): Effect.Effect<number, Error> =>
  Effect.async((resume) => {
    const probe = createServer()
    probe.on("error", (error) => resume(Effect.fail(error)))
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address()
      const found = typeof address === "object" && address !== null ? address.port : port
      probe.close(() => resume(Effect.succeed(found)))
    })
  })
