import { Effect } from "effect"
import { echo } from "../marketplace/catalog/echo-service.ts"
import type { Upstream } from "./upstream.ts"

const address = "127.0.0.1"

/** The demo API's upstream on loopback. Exempt from the address check; no publisher can name it. */
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
