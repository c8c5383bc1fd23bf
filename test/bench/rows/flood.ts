/** How much longer valid calls wait during a flood of made-up keys or tokens, sent as fast as the server answers. */
import { Effect } from "effect"
import { onboard } from "../../support/client.ts"
import { flooding, madeUp } from "../../support/http/flood.ts"
import { atFixedRate } from "../fixed-rate.ts"
import { type Call, median } from "../load.ts"
import { publishedPath, subscribed } from "../published.ts"
import { baseline, doorlock, postgres } from "../servers.ts"
import { figure, rounds, seconds } from "../table.ts"

const floodAddress = "203.0.113.9"
const addresses = { "the flood's": floodAddress, another: "203.0.113.1" }

/** Valid requests a second: far below the maximum, so that the machine has time for the flood. */
const rate = 500

/** The noise between two measurements, in milliseconds, when the server, the load and the flood share two cores. */
const noise = 1.5

export const flood = Effect.gen(function* () {
  const databaseUrl = yield* postgres
  const service = { ...(yield* doorlock(databaseUrl, { TRUSTED_PROXIES: "127.0.0.1" })), databaseUrl }
  const { key, member, session } = yield* onboard(service)
  const upstream = yield* baseline("upstream", {})
  const token = yield* subscribed(service, member, upstream.url)
  const good = {
    "platform keys": { path: `/api/kyc/sessions/${session.id}`, headers: { "x-api-key": key.token } },
    "marketplace keys": { path: `${publishedPath}/things`, headers: { "x-api-key": token } },
    "session tokens": { path: `${session.path}?token=${session.token}`, headers: {} }
  }
  const p99 = (call: Call) =>
    Effect.map(
      Effect.promise(() => atFixedRate(call, rate, seconds)),
      ({ p99Millis }) => p99Millis
    )
  for (const kind of madeUp) {
    for (const [name, address] of Object.entries(addresses)) {
      const { headers, path } = good[kind]
      const call: Call = { url: service.url + path, headers: { ...headers, "x-forwarded-for": address } }
      const beside = Effect.scoped(
        Effect.gen(function* () {
          yield* flooding(service, { kind, address: floodAddress, connections: 32 })
          // Until its budget is spent.
          yield* Effect.sleep("1 second")
          return yield* p99(call)
        })
      )
      // A first run without a measurement: a new process is slow.
      yield* p99(call)
      yield* beside
      const pairs = yield* Effect.replicateEffect(Effect.all({ without: p99(call), beside }), rounds)
      const without = median(pairs.map((pair) => pair.without))
      const flooded = median(pairs.map((pair) => pair.beside))
      yield* figure(
        `p99 of good ${kind} from ${name} address, beside a flood of made-up ones`,
        `${flooded.toFixed(1)} ms, without it ${without.toFixed(1)} ms`,
        `20 % more, and ${noise} ms`,
        flooded <= without * 1.2 + noise
      )
    }
  }
})
