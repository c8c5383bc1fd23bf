/** Who may call each route of events and webhooks, and what everybody else is told. */
import { describe, expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createKey, field, join, type SendOptions, send, text } from "../support/client.ts"
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
type Prepared = Effect.Effect.Success<typeof prepared>

interface Route {
  readonly scope: "events:read" | "webhooks:read" | "webhooks:write"
  readonly path: (ids: Pick<Prepared, "event" | "endpoint" | "delivery">) => string
  readonly json?: object
  /** The status for those who may call it. */
  readonly good: 200 | 201 | 202
  /** What an id gets that the company does not have. */
  readonly absent?: string
}

const noEndpoint = "Webhook endpoint not found"
const noDelivery = "Delivery not found"
const url = "https://hooks.upstream.test/"

/** The routes of the feed and of webhooks, by method and path. `remove` is last because it deletes the endpoint. */
const routes: Readonly<Record<string, Route>> = {
  "GET /api/events": { scope: "events:read", path: () => "/api/events", good: 200 },
  "GET /api/events/:id": {
    scope: "events:read",
    path: ({ event }) => `/api/events/${event}`,
    good: 200,
    absent: "Event not found"
  },
  "GET /api/webhook-endpoints": { scope: "webhooks:read", path: () => "/api/webhook-endpoints", good: 200 },
  "POST /api/webhook-endpoints": {
    scope: "webhooks:write",
    path: () => "/api/webhook-endpoints",
    json: { url },
    good: 201
  },
  "PATCH /api/webhook-endpoints/:id": {
    scope: "webhooks:write",
    path: ({ endpoint }) => `/api/webhook-endpoints/${endpoint}`,
    json: { description: "x" },
    good: 200,
    absent: noEndpoint
  },
  "POST /api/webhook-endpoints/:id/secret/rotate": {
    scope: "webhooks:write",
    path: ({ endpoint }) => `/api/webhook-endpoints/${endpoint}/secret/rotate`,
    good: 201,
    absent: noEndpoint
  },
  "POST /api/webhook-endpoints/:id/test": {
    scope: "webhooks:write",
    path: ({ endpoint }) => `/api/webhook-endpoints/${endpoint}/test`,
    good: 202,
    absent: noEndpoint
  },
  "POST /api/webhook-endpoints/:id/drill": {
    scope: "webhooks:write",
    path: ({ endpoint }) => `/api/webhook-endpoints/${endpoint}/drill`,
    good: 200,
    absent: noEndpoint
  },
  "POST /api/webhook-endpoints/:id/recover": {
    scope: "webhooks:write",
    path: ({ endpoint }) => `/api/webhook-endpoints/${endpoint}/recover`,
    json: { since: new Date(Date.now() - 3_600_000).toISOString() },
    good: 202,
    absent: noEndpoint
  },
  "GET /api/webhook-endpoints/:id/deliveries": {
    scope: "webhooks:read",
    path: ({ endpoint }) => `/api/webhook-endpoints/${endpoint}/deliveries`,
    good: 200,
    absent: noEndpoint
  },
  "GET /api/webhook-deliveries/:id": {
    scope: "webhooks:read",
    path: ({ delivery }) => `/api/webhook-deliveries/${delivery}`,
    good: 200,
    absent: noDelivery
  },
  "POST /api/webhook-deliveries/:id/retry": {
    scope: "webhooks:write",
    path: ({ delivery }) => `/api/webhook-deliveries/${delivery}/retry`,
    good: 202,
    absent: noDelivery
  },
  "POST /api/webhook-endpoints/:id/remove": {
    scope: "webhooks:write",
    path: ({ endpoint }) => `/api/webhook-endpoints/${endpoint}/remove`,
    good: 200,
    absent: noEndpoint
  }
}

const scopes = ["events:read", "webhooks:read", "webhooks:write"]

suite(WebhookServer.layer)("The routes of events and webhooks (contract.md#webhook-endpoints)", (it) => {
  for (const [name, { absent, good, json, path, scope }] of Object.entries(routes)) {
    const method = name.split(" ")[0] ?? ""
    const isRead = scope.endsWith(":read")

    it.scoped(
      `${name} is for keys with ${scope} and for ${isRead ? "every user" : "members and owners"}`,
      () =>
        Effect.gen(function* () {
          const given = yield* prepared
          const { member, server } = given
          const by = (headers: SendOptions["headers"] = {}, at = path(given)) =>
            Effect.map(
              send(server, method, at, { headers, ...(json === undefined ? {} : { json }) }),
              statusAndBody
            )
          const withKey = (scopes: ReadonlyArray<string>) =>
            Effect.flatMap(createKey(server, member, { scopes }), ({ token }) => by({ "x-api-key": token }))
          expect(yield* by()).toStrictEqual(refusal(401, "Unauthorized"))
          expect(yield* by({ "x-api-key": "dlk_wrong" })).toStrictEqual(refusal(401, "Invalid API key"))
          expect(yield* by({ cookie: "session=wrong" })).toStrictEqual(refusal(401, "Unauthorized"))
          expect(yield* withKey(scopes.filter((other) => other !== scope))).toStrictEqual(
            refusal(403, `API key does not have the scope ${scope}`)
          )
          const viewer = yield* by({ cookie: (yield* join(server, member, "viewer")).cookie })
          if (isRead) expect(viewer.status).toBe(good)
          else expect(viewer).toStrictEqual(refusal(403, "Your role does not allow this"))

          if (absent !== undefined) {
            const ids = [unknownId, `evt_${unknownId.replaceAll("-", "")}`, "x", "%00"]
            for (const id of ids) {
              const at = path({ event: id, endpoint: id, delivery: id })
              expect(yield* by({ cookie: member.cookie }, at)).toStrictEqual(refusal(404, absent))
            }
          }
          if (!name.endsWith("/remove")) {
            expect((yield* by({ cookie: (yield* join(server, member, "member")).cookie })).status).toBe(good)
          }
          expect((yield* withKey([scope])).status).toBe(good)
        })
    )
  }

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
  describe("is refused with 400, and an existing one is not changed:", () => {
    for (const [url, message] of [
      ["http://localhost:8080/", "url must be an https URL"],
      ["http://127.0.0.1:8080/", "url must be an https URL"],
      ["https://localhost/", "url must not have a private address"],
      ["https://127.0.0.1/", "url must not have a private address"],
      ["https://2130706433/", "url must not have a private address"],
      ["https://10.1.2.3/hooks", "url must not have a private address"],
      ["https://169.254.169.254/", "url must not have a private address"],
      ["https://[::1]/", "url must not have a private address"],
      ["https://[fd00::1]/", "url must not have a private address"],
      ["https://[::ffff:192.168.0.1]/", "url must not have a private address"],
      ["https://93.184.215.14:22/", "url must not have a port of another protocol"]
    ] as const) {
      it.effect(url, () =>
        Effect.gen(function* () {
          const { add, ask } = yield* Effect.provideServiceEffect(hooked, WebhookServer, StrictServer)
          const { path } = yield* add("https://hooks.upstream.test/")
          const refused = refusal(400, message)
          expect(statusAndBody(yield* ask("POST", "/api/webhook-endpoints", { url }))).toStrictEqual(refused)
          expect(statusAndBody(yield* ask("PATCH", path, { url }))).toStrictEqual(refused)
          const { body } = yield* ask("GET", "/api/webhook-endpoints")
          expect(field(body, "endpoints")).toMatchObject([{ id: anId, url: "https://hooks.upstream.test/" }])
          expect(field(body, "endpoints")).toHaveLength(1)
        })
      )
    }
  })
})
