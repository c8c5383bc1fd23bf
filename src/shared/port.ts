import { createServer } from "node:net"
import { Effect, Schedule } from "effect"

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

/**
 * A free port of 127.0.0.1. It is below the ports of outgoing connections, so no connection takes it while its server
 * restarts.
 */
export const freePort: Effect.Effect<number> = Effect.suspend(() =>
  probePort("127.0.0.1", 20_000 + Math.floor(Math.random() * 12_000))
).pipe(Effect.retry(Schedule.recurs(100)), Effect.orDie)
