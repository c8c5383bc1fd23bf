import * as Effect from "effect/Effect"
import { echo } from "../marketplace/catalog/echo-service.ts"
import type { Upstream } from "./upstream.ts"

const address = "127.0.0.1"

/**
 * The upstream of the demo API, which is in the product itself: a listener on the loopback, at a port of the system's
 * choosing, so that calls of the demo API take the way of all others. It may be dialled whatever other private addresses
 * may; no publisher can name it.
 */
export class EchoUpstream extends Effect.Service<EchoUpstream>()("EchoUpstream", {
  scoped: Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ hostname: address, port: 0, fetch: echo })),
      (server) => Effect.promise(() => server.stop(true))
    )
    const upstream: Upstream = {
      origin: {
        href: "doorlock:echo",
        host: "echo",
        hostname: address,
        port: server.port ?? 0,
        secure: false,
        address
      },
      basePath: ""
    }
    return { upstream }
  })
}) {}
