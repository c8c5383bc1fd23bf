/** An API that can be called through the gateway. */
import { Effect } from "effect"
import type { Member } from "../client.ts"
import type { RunningServer } from "../server.ts"
import { addPlan, addVersion, becomePublisher, publish } from "./publisher.ts"
import { subscribed, subscriberOf } from "./subscriptions.ts"

/** An upstream that reads each request and answers it with `ok`. */
export const okUpstream = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        idleTimeout: 0,
        fetch: async (request) => {
          await request.bytes()
          return new Response("ok")
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  ),
  ({ port }) => `http://127.0.0.1:${port}`
)

/**
 * Publishes an unlimited API of the member's company and subscribes the same company to it. Returns the API's
 * path and a key.
 */
export const callableApi = (server: RunningServer, member: Member) =>
  Effect.gen(function* () {
    const publisher = yield* becomePublisher(server, member)
    const api = yield* publisher.newApi()
    yield* addVersion(publisher, api, { upstreamUrl: yield* okUpstream })
    const planId = yield* addPlan(publisher, api)
    yield* publish(publisher, api)
    const { token } = subscribed(yield* subscriberOf(server, member).subscribe({ id: api.id, planId }))
    return { path: `/gateway/${publisher.slug}/${api.slug}/v/1/any`, token }
  })
