/** Ids and addresses that routes of events and webhooks refuse. */
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createKey, field, send, text } from "../support/client.ts"
import { refusal, statusAndBody, unknownId } from "../support/kyc/partner.ts"
import { startServer } from "../support/server.ts"
import { anId, anInstant } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"
import { hooked, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** A company with a delivered event, and other credentials of it. */
const prepared = Effect.gen(function* () {
  const { add, ask, attemptDue, happen, member, server } = yield* hooked
  const receiver = yield* startReceiver
  const { id: endpoint, path } = yield* add(receiver.url)
  const keyId = yield* happen
  const { body } = yield* ask("GET", "/api/events")
  yield* attemptDue
  const deliveries = yield* ask("GET", `${path}/deliveries`)
  return {
    server,
    member,
    keyId,
    event: text(body, "events", 0, "id"),
    endpoint,
    delivery: text(deliveries.body, "deliveries", 0, "id"),
    receiver
  }
})
suite(WebhookServer.layer)("The routes of events and webhooks (contract.md#webhook-endpoints)", (it) => {
  it.scoped("answer 404 to an unknown id", () =>
    Effect.gen(function* () {
      const { ask } = yield* hooked
      const noEndpoint = "Webhook endpoint not found"
      const noDelivery = "Delivery not found"
      for (const [method, path, error] of [
        ["GET", "/api/events/:id", "Event not found"],
        ["PATCH", "/api/webhook-endpoints/:id", noEndpoint],
        ["POST", "/api/webhook-endpoints/:id/secret/rotate", noEndpoint],
        ["POST", "/api/webhook-endpoints/:id/test", noEndpoint],
        ["POST", "/api/webhook-endpoints/:id/drill", noEndpoint],
        ["POST", "/api/webhook-endpoints/:id/recover", noEndpoint],
        ["GET", "/api/webhook-endpoints/:id/deliveries", noEndpoint],
        ["POST", "/api/webhook-endpoints/:id/remove", noEndpoint],
        ["GET", "/api/webhook-deliveries/:id", noDelivery],
        ["POST", "/api/webhook-deliveries/:id/retry", noDelivery]
      ] as const) {
        for (const id of [unknownId, `evt_${unknownId.replaceAll("-", "")}`, "x", "%00"]) {
          const at = path.replace(":id", id)
          const answer = yield* ask(method, at, method === "GET" ? undefined : { since: new Date() })
          expect([at, statusAndBody(answer)]).toStrictEqual([at, refusal(404, error)])
        }
      }
    })
  )

  it.scoped("need a key's own scope", () =>
    Effect.gen(function* () {
      const { member, server } = yield* hooked
      for (const [scope, method, path, wanted] of [
        ["webhooks:write", "GET", "/api/events", "events:read"],
        ["events:read", "GET", "/api/webhook-endpoints", "webhooks:read"],
        ["webhooks:read", "POST", "/api/webhook-endpoints", "webhooks:write"]
      ] as const) {
        const { token } = yield* createKey(server, member, { scopes: [scope] })
        const answer = yield* send(server, method, path, { headers: { "x-api-key": token } })
        expect(statusAndBody(answer)).toStrictEqual(refusal(403, `API key does not have the scope ${wanted}`))
      }
    })
  )

  it.scoped("read one event as the feed and the delivery have it", () =>
    Effect.gen(function* () {
      const { event, keyId, member, receiver, server } = yield* prepared
      const answer = yield* send(server, "GET", `/api/events/${event}`, {
        headers: { cookie: member.cookie }
      })
      expect(statusAndBody(answer)).toStrictEqual({
        status: 200,
        body: {
          event: {
            id: event,
            type: "api_key.created",
            timestamp: anInstant,
            data: { id: keyId, status: "active", url: "/api/api-keys" }
          }
        }
      })
      expect(JSON.stringify(field(answer.body, "event"))).toBe(receiver.received[0]?.body)
    })
  )
})

/** A server as it is by default with a database of one's own. */
class StrictServer extends Context.Tag("StrictServer")<StrictServer, WebhookServer["Type"]>() {
  static readonly layer = Layer.scoped(
    StrictServer,
    Effect.orDie(startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "false" }))
  )
}

suite(StrictServer.layer)("Where upstreams must have public addresses, an endpoint", (it) => {
  it.effect("is refused with 400, and an existing one is not changed", () =>
    Effect.gen(function* () {
      const { add, ask } = yield* Effect.provideServiceEffect(hooked, WebhookServer, StrictServer)
      const { path } = yield* add("https://hooks.upstream.test/")
      const isPrivate = "url must not have a private address"
      for (const [url, message] of [
        ["http://localhost:8080/", "url must be an https URL"],
        ["http://127.0.0.1:8080/", "url must be an https URL"],
        ["https://localhost/", isPrivate],
        ["https://127.0.0.1/", isPrivate],
        ["https://2130706433/", isPrivate],
        ["https://10.1.2.3/hooks", isPrivate],
        ["https://169.254.169.254/", isPrivate],
        ["https://[::1]/", isPrivate],
        ["https://[fd00::1]/", isPrivate],
        ["https://[::ffff:192.168.0.1]/", isPrivate],
        ["https://93.184.215.14:22/", "url must not have a port of another protocol"]
      ] as const) {
        const refused = refusal(400, message)
        expect(statusAndBody(yield* ask("POST", "/api/webhook-endpoints", { url })), url).toStrictEqual(
          refused
        )
        expect(statusAndBody(yield* ask("PATCH", path, { url })), url).toStrictEqual(refused)
      }
      const { body } = yield* ask("GET", "/api/webhook-endpoints")
      expect(field(body, "endpoints")).toMatchObject([{ id: anId, url: "https://hooks.upstream.test/" }])
    })
  )
})
