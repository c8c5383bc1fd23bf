import { Effect } from "effect"
import { echo } from "../marketplace/catalog/echo-service.ts"
import { randomBase62 } from "../secrets/token.ts"
import type { Upstream } from "./upstream.ts"

const address = "127.0.0.1"

/** The demo API's upstream on loopback. Exempt from the address check; no publisher can name it. */
export class EchoUpstream extends Effect.Service<EchoUpstream>()("EchoUpstream", {
  scoped: Effect.gen(function* () {
    /** Only this process knows it: the other users of the machine get 404. */
    const basePath = `/${randomBase62(43)}`
    let opened: { readonly upstream: Upstream; readonly close: () => Promise<void> } | undefined
    yield* Effect.addFinalizer(() => Effect.promise(async () => opened?.close()))

    const open = () => {
      const server = Bun.serve({ hostname: address, port: 0, fetch: (request) => echo(request, basePath) })
      const origin = {
        href: "doorlock:echo",
        host: "echo",
        hostname: address,
        port: server.port ?? 0,
        secure: false,
        address
      }
      return { upstream: { origin, basePath }, close: () => server.stop(true) }
    }

    return {
      /** Listens from the first call of the demo API on. */
      upstream: (): Upstream => {
        opened ??= open()
        return opened.upstream
      }
    }
  })
}) {}
