import { Effect } from "effect"
import { dial, Trust } from "./dial.ts"
import { UpstreamFault } from "./faults.ts"
import { UpstreamAddresses } from "./resolve.ts"
import { upstreamOf } from "./upstream.ts"

/** In milliseconds. */
const connectTimeout = 3_000

/** Checks whether upstreams can be dialled the way the gateway dials them. */
export class Reachability extends Effect.Service<Reachability>()("Reachability", {
  dependencies: [UpstreamAddresses.Default],
  effect: Effect.gen(function* () {
    const addresses = yield* UpstreamAddresses
    const trust = yield* Trust

    /** Connects to the first address of an upstream, with TLS for https, and sends nothing. */
    const check = (url: URL): Effect.Effect<void, UpstreamFault> =>
      Effect.tryPromise({
        try: async () => {
          const { origin } = upstreamOf(url)
          const [address = origin.hostname] = await addresses.of(origin.hostname, "doctor")
          const connection = await dial(origin, address, trust, connectTimeout, undefined, () => {})
          connection.destroy()
        },
        catch: (fault) =>
          fault instanceof UpstreamFault ? fault : new UpstreamFault("destination_unavailable")
      })

    return { check }
  })
}) {}
