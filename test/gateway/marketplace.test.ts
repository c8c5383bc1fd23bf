/** Calls with keys of real subscriptions to published APIs. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { operator } from "../../src/audit/model.ts"
import { DeadlineClock } from "../../src/limits/deadlines.ts"
import { publishDemo } from "../../src/marketplace/catalog/demo.ts"
import { newToken } from "../../src/secrets/token.ts"
import { field, type Member, send, signUp, text } from "../support/client.ts"
import { withoutTable } from "../support/database/outage.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { call, linesOf, type Message, rawUpstream, stoppedDeadlines } from "../support/marketplace/gateway.ts"
import {
  addPlan,
  addVersion,
  publish,
  publisherOn,
  type TestPublisher
} from "../support/marketplace/publisher.ts"
import { createdKey, subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { type RunningServer, startServer, startServerOn, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const environment = { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }

/** A response's status, body and `Proxy-Status`, if any. */
const statusBodyProxyStatus = (message: Message) => [
  message.start.split(" ", 2)[1],
  message.body.toString(),
  linesOf(message, "proxy-status")[0]
]

const invalid = ["401", '{"error":"Invalid API key"}', "doorlock; error=http_request_denied"]
const notSubscribed = [
  "403",
  '{"error":"API key is not subscribed to this API"}',
  "doorlock; error=http_request_denied"
]
const notFound = ["404", '{"error":"API not found"}', "doorlock; error=destination_not_found"]

interface Offer {
  readonly requestsPerMinute?: number
  readonly requestsPerMonth?: number
  /** Fields of the version in addition to its upstream. */
  readonly version?: object
}

/** An upstream that answers 200 with its name, and counts the paths requested. */
const namedUpstream = (name: string) =>
  Effect.map(
    rawUpstream({
      whole: (socket) =>
        void socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${name.length}\r\n\r\n${name}`
        )
    }),
    ({ requests, url }) => ({ url, paths: () => requests.map(({ start }) => start.split(" ")[1]) })
  )

/** A published API with one plan, from its own publisher. */
const offered = (server: RunningServer, upstreamUrl: string, offer: Offer = {}) =>
  Effect.gen(function* () {
    const publisher = yield* publisherOn(server)
    const api = yield* publisher.newApi()
    yield* addVersion(publisher, api, { upstreamUrl, ...offer.version })
    const { requestsPerMinute = null, requestsPerMonth = null } = offer
    const planId = yield* addPlan(publisher, api, { requestsPerMinute, requestsPerMonth })
    yield* publish(publisher, api)
    return {
      publisher,
      api,
      id: api.id,
      planId,
      path: `/gateway/${publisher.slug}/${api.slug}/v/1`
    }
  })

/** A company with a subscription to an API, and its first key. */
const customer = (
  server: RunningServer,
  api: { readonly id: string; readonly planId: string },
  member?: Member
) =>
  Effect.gen(function* () {
    const subscriber = subscriberOf(server, member ?? (yield* signUp(server)))
    return { ...subscriber, ...subscribed(yield* subscriber.subscribe(api)) }
  })

const unpublish = ({ ask }: TestPublisher, id: string) => ask("POST", `/apis/${id}/unpublish`)

suite(TestServer.layer)("a call through the gateway", (it) => {
  const scene = (offer?: Offer) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const upstream = yield* namedUpstream("live")
      const api = yield* offered(server, `${upstream.url}/base`, offer)
      return { ...(yield* customer(server, api)), upstream, api }
    })

  it.scoped("goes to the version's upstream, below its base path, right after the subscribe", () =>
    Effect.gen(function* () {
      const { api, server, token, upstream } = yield* scene()
      const answer = yield* call(server, `${api.path}/v1/health?a=b`, { key: token })
      expect(statusBodyProxyStatus(answer)).toStrictEqual(["200", "live", undefined])
      expect(upstream.paths()).toStrictEqual(["/base/v1/health?a=b"])
    })
  )

  describe("401 Invalid API key", () => {
    // `marketplace/subscriptions/verification` has the forms of a bad key.
    it.scoped("for no key, a made-up one, and one in the query, in Authorization, or twice", () =>
      Effect.gen(function* () {
        const { api, server, token, upstream } = yield* scene()
        for (const [path, options, reason] of [
          [api.path, { key: "" }, "key-missing"],
          [api.path, { key: newToken("dk_live_") }, "key-unknown"],
          [api.path, { key: newToken("dlk_") }, "wrong-kind-of-key"],
          [`${api.path}?x-api-key=${token}&api_key=${token}`, { key: "" }, "key-missing"],
          [api.path, { key: "", fields: [`Authorization: Bearer ${token}`] }, "key-missing"],
          [api.path, { key: token, fields: [`x-api-key: ${token}`] }, "key-malformed"],
          // Nobody learns without a key which APIs exist.
          ["/gateway/no/such/v/1/x", { key: "x" }, "key-malformed"]
        ] as const) {
          const answer = yield* call(server, path, options)
          expect(statusBodyProxyStatus(answer)).toStrictEqual(invalid)
          expect(linesOf(answer, "doorlock-reason")).toStrictEqual([reason])
          expect(linesOf(answer, "www-authenticate")).toStrictEqual(['ApiKey realm="doorlock"'])
        }
        expect(upstream.paths()).toStrictEqual([])
      })
    )
  })

  describe("403 API key is not subscribed to this API", () => {
    it.scoped("for a key of a subscription to another API", () =>
      Effect.gen(function* () {
        const first = yield* scene()
        const second = yield* scene()
        const answer = yield* call(first.server, first.api.path, { key: second.token })
        expect(statusBodyProxyStatus(answer)).toStrictEqual(notSubscribed)
        expect(first.upstream.paths()).toStrictEqual([])
      })
    )
  })

  describe("404 API not found, with a valid key", () => {
    it.scoped("for an unknown publisher, API or version, and for a path that is not an API's", () =>
      Effect.gen(function* () {
        const { api, server, token } = yield* scene()
        const [, , publisherSlug, apiSlug] = api.path.split("/")
        for (const path of [
          `/gateway/nobody/${apiSlug}/v/1/x`,
          `/gateway/${publisherSlug}/nothing/v/1/x`,
          `/gateway/${publisherSlug}/${apiSlug}/v/2/x`,
          "/gateway/doorlock:echo/x/v/1"
        ]) {
          expect(statusBodyProxyStatus(yield* call(server, path, { key: token }))).toStrictEqual(notFound)
        }
      })
    )
  })

  describe("429, over the plan", () => {
    it.scoped("Rate limit exceeded: with Retry-After, and the limits on every response", () =>
      Effect.gen(function* () {
        const { api, server, token, upstream } = yield* scene({ requestsPerMinute: 2 })
        for (const left of [1, 0]) {
          const answer = yield* call(server, api.path, { key: token })
          expect(statusBodyProxyStatus(answer)[0]).toBe("200")
          expect(linesOf(answer, "ratelimit-policy")).toStrictEqual(['"minute";q=2;w=60'])
          expect(linesOf(answer, "ratelimit")[0]).toMatch(new RegExp(`^"minute";r=${left};t=\\d+$`))
        }
        const refused = yield* call(server, api.path, { key: token })
        expect(statusBodyProxyStatus(refused)).toStrictEqual([
          "429",
          '{"error":"Rate limit exceeded"}',
          "doorlock; error=http_request_denied"
        ])
        expect(Number(linesOf(refused, "retry-after")[0])).toBeGreaterThan(0)
        expect(linesOf(refused, "ratelimit")[0]).toMatch(/^"minute";r=0;t=\d+$/)
        expect(upstream.paths()).toHaveLength(2)
      })
    )

    it.scoped("cancelling and subscribing again, and test keys without a sandbox, give no extra calls", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const upstream = yield* namedUpstream("live")
        const api = yield* offered(server, upstream.url, { requestsPerMonth: 3 })
        const other = yield* addPlan(api.publisher, api.api, { name: "Other", requestsPerMonth: 4 })
        const member = yield* signUp(server)
        const statuses: Array<string | undefined> = []
        for (const planId of [api.planId, api.planId, other, api.planId]) {
          const {
            cancel,
            createKey: another,
            id,
            token
          } = yield* customer(server, { ...api, planId }, member)
          const test = createdKey(yield* another(id, { name: "test", mode: "test" }))
          for (const key of [test.token, token, test.token, token]) {
            statuses.push(statusBodyProxyStatus(yield* call(server, api.path, { key }))[0])
          }
          yield* cancel(id)
        }
        const refusedAll = Array.from({ length: 4 }, () => "429")
        expect(statuses).toStrictEqual([
          ...["200", "200", "200", "429"],
          ...refusedAll,
          // The other plan permits one more.
          ...["200", "429", "429", "429"],
          ...refusedAll
        ])
        expect(upstream.paths()).toHaveLength(4)
      })
    )
  })

  it.scoped("504 Upstream timed out after the version's own timeout", () =>
    Effect.gen(function* () {
      const clock = stoppedDeadlines()
      const server = yield* Effect.provideService(startServer(environment), DeadlineClock, clock.now)
      const upstream = yield* rawUpstream({ whole: () => {} })
      const api = yield* offered(server, upstream.url, { version: { timeoutSeconds: 60 } })
      const { token } = yield* customer(server, api)
      const answer = yield* Effect.fork(call(server, api.path, { key: token }))
      yield* eventually("the upstream is asked", () => upstream.requests.length === 1)
      yield* clock.pass(60_000)
      expect(statusBodyProxyStatus(yield* Fiber.join(answer))).toStrictEqual([
        "504",
        '{"error":"Upstream timed out"}',
        "doorlock; error=http_response_timeout"
      ])
    })
  )

  it.scoped(
    "test keys go to the version's sandbox upstream, with a count of their own if it is another",
    () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const [live, sandbox] = [yield* namedUpstream("live"), yield* namedUpstream("sandbox")]
        const limit = "429"
        for (const [sandboxUpstreamUrl, expected] of [
          [sandbox.url, ["sandbox", "live", limit, limit]],
          [live.url, ["live", limit, limit, limit]],
          [undefined, ["live", limit, limit, limit]]
        ] as const) {
          const version = sandboxUpstreamUrl === undefined ? {} : { sandboxUpstreamUrl }
          const api = yield* offered(server, live.url, { requestsPerMonth: 1, version })
          const { createKey: another, id, token } = yield* customer(server, api)
          const test = createdKey(yield* another(id, { name: "test", mode: "test" }))
          const answers = yield* Effect.forEach([test.token, token, test.token, token], (key) =>
            Effect.map(call(server, api.path, { key }), statusBodyProxyStatus)
          )
          expect(answers.map(([status, body]) => (status === limit ? limit : body))).toStrictEqual(expected)
        }
      })
  )

  it.scoped("calls are counted for both subscriber and publisher, and update the key's last use", () =>
    Effect.gen(function* () {
      const { api, ask, id, keys, server, token } = yield* scene({ requestsPerMinute: 3 })
      for (let times = 0; times < 4; times++) yield* call(server, api.path, { key: token })
      yield* (yield* TestServer).run("marketplace.usage")
      const { body } = yield* ask("GET", `/subscriptions/${id}/usage`)
      expect(field(body, "usage", "total", "calls")).toBe(4)
      expect(field(body, "usage", "total", "billed")).toBe(3)
      expect(field(body, "usage", "total", "outcomes", "rate_limited")).toBe(1)
      const seen = yield* api.publisher.ask("GET", `/apis/${api.id}/usage`)
      expect(field(seen.body, "usage", "total")).toStrictEqual(field(body, "usage", "total"))
      expect(field((yield* keys(id)).body, "apiKeys", 0, "last_used_at")).not.toBeNull()
    })
  )

  it.scoped("a warm call does not query the database", () =>
    Effect.gen(function* () {
      const { api, server, token } = yield* scene()
      yield* call(server, api.path, { key: token })
      const answer = yield* withoutTable(
        server,
        "marketplace_keys",
        withoutTable(server, "apis", call(server, api.path, { key: token }))
      )
      expect(statusBodyProxyStatus(answer)[0]).toBe("200")
    })
  )
})

describe("the demo API of the first start", () => {
  it.scopedLive(
    "can be called by a subscriber as the README says, even if private upstreams are refused",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "false" })
        const member = yield* signUp(server)
        yield* Effect.provide(publishDemo(operator(member.companyId, "test")), server.services)
        const { body } = yield* send(server, "GET", "/api/api-marketplace/apis")
        const { token } = yield* customer(server, {
          id: text(body, "apis", 0, "id"),
          planId: text(body, "apis", 0, "plans", 0, "id")
        })
        const health = yield* call(server, "/gateway/demo/echo/v/1/v1/health", { key: token })
        expect(statusBodyProxyStatus(health)).toStrictEqual(["200", '{"status":"ok"}', undefined])
        const echoed = yield* call(server, "/gateway/demo/echo/v/1/v1/echo/a%2Fb?c", { key: token })
        expect(JSON.parse(echoed.body.toString())).toMatchObject({ path: "/v1/echo/a%2Fb", query: "?c" })
      })
  )
})

// `keys/replicas` and `db/fenced-cache` have lost connections, and lookups that are under way.
it.scopedLive("another process soon knows that a key, a subscription or an API has ended", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const first = yield* startServerOn(databaseUrl, environment)
    const second = yield* startServerOn(databaseUrl, environment)
    const upstream = yield* namedUpstream("live")
    for (const [what, expected] of [
      ["a key is revoked", invalid],
      ["a key is rotated without grace", invalid],
      ["a key's grace ends", invalid],
      ["a subscription is cancelled", notSubscribed],
      ["an API is unpublished", notFound]
    ] as const) {
      const api = yield* offered(first, upstream.url)
      const { cancel, id, keyId, revoke, rotate, token } = yield* customer(first, api)
      const asked = Effect.map(call(second, api.path, { key: token }), statusBodyProxyStatus)
      // It is remembered.
      for (let calls = 0; calls < 2; calls++) expect((yield* asked)[0]).toBe("200")
      yield* {
        "a key is revoked": revoke(keyId),
        "a key is rotated without grace": rotate(keyId, { graceSeconds: 0 }),
        "a key's grace ends": rotate(keyId, { graceSeconds: 1 }),
        "a subscription is cancelled": cancel(id),
        "an API is unpublished": unpublish(api.publisher, api.id)
      }[what]
      yield* eventually(
        what,
        Effect.map(asked, (answer) => Bun.deepEquals(answer, expected))
      )
      expect(yield* asked).toStrictEqual(expected)
    }
  })
)
