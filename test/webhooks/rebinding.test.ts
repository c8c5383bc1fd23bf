/** Private addresses of endpoints, also of a name that changes its address after the endpoint was registered. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Resolver } from "../../src/gateway/resolve.ts"
import { DeadlineClock } from "../../src/limits/deadlines.ts"
import { field } from "../support/client.ts"
import { refusal, statusAndBody } from "../support/kyc/partner.ts"
import { rawUpstream } from "../support/marketplace/gateway.ts"
import { startServer } from "../support/server.ts"
import { hooked, WebhookServer } from "../support/webhooks/receiver.ts"

it.scopedLive("a private address, or a name that has one, is refused, and an endpoint does not get it", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "false" }).pipe(
      Effect.provideService(Resolver, async (name) => [
        name.endsWith(".upstream.test") ? "93.184.215.14" : "10.0.0.1"
      ])
    )
    const { add, ask } = yield* Effect.provideService(hooked, WebhookServer, server)
    const { path } = yield* add("https://hooks.upstream.test/")
    for (const [url, message] of [
      ["http://127.0.0.1:8080/", "url must be an https URL"],
      ["https://internal.test/", "url must not have a private address"],
      ["https://localhost/", "url must not have a private address"],
      ["https://169.254.169.254/", "url must not have a private address"],
      ["https://[::1]/", "url must not have a private address"],
      ["https://93.184.215.14:22/", "url must not have a port of another protocol"]
    ] as const) {
      const refused = refusal(400, message)
      expect(statusAndBody(yield* ask("POST", "/api/webhook-endpoints", { url })), url).toStrictEqual(refused)
      expect(statusAndBody(yield* ask("PATCH", path, { url })), url).toStrictEqual(refused)
    }
    const { body } = yield* ask("GET", "/api/webhook-endpoints")
    expect(field(body, "endpoints")).toMatchObject([{ url: "https://hooks.upstream.test/" }])
  })
)

it.scopedLive("a name that has a private address since its registration gets no connection", () =>
  Effect.gen(function* () {
    let [addresses, time] = [["93.184.215.14"], 0]
    const server = yield* startServer().pipe(
      Effect.provideService(Resolver, async () => addresses),
      // Addresses are remembered for ten seconds.
      Effect.provideService(DeadlineClock, () => time)
    )
    const { add, ask, attemptDue, happen } = yield* Effect.provideService(hooked, WebhookServer, server)
    const endpoint = yield* rawUpstream({})
    const { path } = yield* add(`https://rebound.test:${new URL(endpoint.url).port}/`)
    addresses = ["127.0.0.1"]
    time += 60_000
    yield* happen
    yield* ask("GET", "/api/events")
    yield* attemptDue
    const listed = yield* ask("GET", `${path}/deliveries`)
    const delivery = `/api/webhook-deliveries/${field(listed.body, "deliveries", 0, "id")}`
    const refused = { status: null, reason: "The address is private; nothing was sent." }
    const refusals: Array<unknown> = [refused]
    for (const address of [
      "127.0.0.1",
      "169.254.169.254",
      "10.0.0.1",
      "::1",
      "::ffff:127.0.0.1",
      "fd00::1"
    ]) {
      addresses = ["93.184.215.14", address]
      time += 60_000
      yield* ask("POST", `${delivery}/retry`)
      yield* attemptDue
      refusals.push(refused)
    }
    const { body: shown } = yield* ask("GET", delivery)
    expect(field(shown, "delivery", "tried")).toMatchObject(refusals)
    const drilled = yield* ask("POST", `${path}/drill`)
    expect(field(drilled.body, "report", "steps")).toMatchObject(Array(5).fill(refused))
    expect(endpoint.connections()).toBe(0)
  })
)
