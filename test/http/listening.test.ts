/** Where the service listens: `HOST`, and who can reach it there. */
import { connect } from "node:net"
import { networkInterfaces } from "node:os"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startServer } from "../support/server.ts"

const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])

/** Whether a connection to the address is taken. */
const takes = (host: string, port: number) =>
  Effect.async<boolean>((resume) => {
    const socket = connect({ host, port }, () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.on("error", () => resume(Effect.succeed(false)))
  })

it.scopedLive("HOST=localhost: both loopback addresses on one port, and no other address", () =>
  Effect.gen(function* () {
    const { url } = yield* startServer({ HOST: "localhost" })
    const port = Number(new URL(url).port)
    for (const { address } of addresses.filter(({ scopeid }) => scopeid === undefined || scopeid === 0)) {
      const isLoopback = address === "127.0.0.1" || address === "::1"
      expect([address, yield* takes(address, port)]).toEqual([address, isLoopback])
    }
  })
)

it.scopedLive("HOST=0.0.0.0: every IPv4 address", () =>
  Effect.gen(function* () {
    const { url } = yield* startServer({ HOST: "0.0.0.0" })
    const port = Number(new URL(url).port)
    for (const { address } of addresses.filter(({ family }) => family === "IPv4")) {
      expect([address, yield* takes(address, port)]).toEqual([address, true])
    }
  })
)
