/** What a call through the gateway costs, against proxies that check nothing, and by how much it is slower than a direct one. */
import { Effect } from "effect"
import { signUp } from "../../support/client.ts"
import { atFixedRate } from "../fixed-rate.ts"
import { type Call, median } from "../load.ts"
import { publishedPath, subscribed } from "../published.ts"
import { baseline, doorlockOnItsOwn, nginx, type Server } from "../servers.ts"
import { compare, figure, mustAgree, rounds, say, seconds } from "../table.ts"

/** doorlock with a published API, its upstream, and a call of it through whichever server. */
const scene = Effect.gen(function* () {
  const service = yield* doorlockOnItsOwn
  const upstream = yield* baseline("upstream", {})
  const token = yield* subscribed(service, yield* signUp(service), upstream.url)
  const call: [Server, Call] = [
    service,
    { url: `${service.url}${publishedPath}/things?a=b`, headers: { "x-api-key": token } }
  ]
  const through = (server: Server): [Server, Call] => [
    server,
    { url: `${server.url}/things?a=b`, headers: { "x-api-key": token } }
  ]
  return { upstream, call, through }
})

export const gateway = Effect.gen(function* () {
  const { call, through, upstream } = yield* scene
  const what = "gateway call with a valid key"
  const bare = yield* baseline("proxy", { UPSTREAM: upstream.url })
  yield* mustAgree(call[1], through(bare)[1], false)
  yield* compare(what, "Bun fetch proxy", 0.9, call, through(bare))
  const front = yield* nginx(upstream.url)
  if (front === undefined) yield* say(`| ${what} | nginx | skipped: there is no nginx |`)
  else yield* compare(what, "nginx, one worker", 0.5, call, through(front))
})

export const latency = Effect.gen(function* () {
  const { call, through, upstream } = yield* scene
  const at = ([, request]: [Server, Call]) => Effect.promise(() => atFixedRate(request, 1000, seconds))
  // Once for nothing: what has just been started is slow.
  yield* at(call)
  const added = yield* Effect.forEach(Array.from({ length: rounds }), () =>
    Effect.zipWith(at(through(upstream)), at(call), (direct, called) => ({
      p50: called.p50Millis - direct.p50Millis,
      p99: called.p99Millis - direct.p99Millis
    }))
  )
  const p50 = median(added.map((pair) => pair.p50))
  const p99 = median(added.map((pair) => pair.p99))
  yield* figure(
    "the gateway adds, at 1,000 requests/s",
    `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    "p50 0.5 ms, p99 3 ms",
    p50 <= 0.5 && p99 <= 3
  )
})
