/** `/metrics`: who may read it, and that what it says is so. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { newToken } from "../../src/secrets/token.ts"
import { isNear } from "../../src/shared/ip-address.ts"
import { createSession, onboard, send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { increases, metricsOf, parseMetrics } from "../support/http/metrics.ts"
import { secret, site, tokenWith, verify } from "../support/kyc/captcha.ts"
import { redis, withoutRedis } from "../support/machine/redis.ts"
import { answering, call, rawUpstream } from "../support/marketplace/gateway.ts"
import { addPlan, addVersion, publish, publisherOn } from "../support/marketplace/publisher.ts"
import { subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { runOn } from "../support/program.ts"
import { type RunningServer, startServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

/** A separate process: metrics belong to a process, not to one of its servers. */
class Measured extends Context.Tag("Measured")<Measured, RunningServer>() {
  static readonly layer = Layer.scoped(
    Measured,
    Effect.orDie(
      Effect.flatMap(freshDatabase, (url) =>
        runOn(url, {
          DATABASE_POOL: "5",
          SIGNUP: "open",
          SEED_DEMO: "false",
          GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
          CAPTCHA_JWT_SECRET: secret
        })
      )
    )
  )
}

describe("who may read it", () => {
  const token = "a-token-for-the-metrics"

  const answers = (server: RunningServer, headers: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const id = { "x-request-id": "the-same" }
      const [metrics, unknown] = yield* Effect.all([
        send(server, "GET", "/metrics", { headers: { ...headers, ...id } }),
        send(server, "GET", "/nothing", { headers: { ...headers, ...id } })
      ])
      const { date: _, ...like } = Object.fromEntries(unknown.headers)
      const { date: __, ...own } = Object.fromEntries(metrics.headers)
      return {
        status: metrics.status,
        isLikeUnknown: metrics.text === unknown.text && Bun.deepEquals(own, like)
      }
    })

  const served = { status: 200, isLikeUnknown: false }
  const hidden = { status: 404, isLikeUnknown: true }

  it.scopedLive("without METRICS_TOKEN: direct connections from nearby", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ TRUSTED_PROXIES: "192.0.2.1" })
      expect(yield* answers(server, {})).toEqual(served)
      expect(yield* answers(server, { authorization: `Bearer ${token}` })).toEqual(served)
      for (const [name, value] of [
        ["x-forwarded-for", "10.0.0.1"],
        ["x-forwarded-for", ""],
        ["x-forwarded-host", "doorlock.test"],
        ["x-forwarded-proto", "https"],
        ["x-real-ip", "10.0.0.1"],
        ["forwarded", "for=10.0.0.1"],
        ["cf-connecting-ip", "10.0.0.1"],
        ["true-client-ip", "10.0.0.1"],
        ["x-client-ip", "10.0.0.1"],
        ["via", "1.1 proxy"]
      ] as const) {
        expect([name, yield* answers(server, { [name]: value })]).toEqual([name, hidden])
      }
    })
  )

  it.scopedLive("without METRICS_TOKEN: never through a trusted proxy, whatever headers it sends", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ TRUSTED_PROXIES: "127.0.0.1" })
      for (const headers of [
        {},
        { "x-request-id": "1" },
        { "x-forwarded-for": "127.0.0.1" },
        { "x-forwarded-for": "127.0.0.2" },
        { "x-forwarded-for": "unknown" }
      ]) {
        expect([headers, yield* answers(server, headers)]).toEqual([headers, hidden])
      }
    })
  )

  it("nearby means this machine or a private network", () => {
    for (const address of ["127.0.0.1", "::1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"])
      expect([address, isNear(address)]).toEqual([address, true])
    for (const address of ["169.254.1.1", "fd00::1", "fe80::1"])
      expect([address, isNear(address)]).toEqual([address, true])
    for (const address of ["172.32.0.1", "100.64.0.1", "8.8.8.8", "2001:db8::1", ""])
      expect([address, isNear(address)]).toEqual([address, false])
  })

  it.scopedLive("with METRICS_TOKEN: anyone who has it, from anywhere", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ METRICS_TOKEN: token })
      expect(yield* answers(server, { authorization: `Bearer ${token}` })).toEqual(served)
      expect(
        yield* answers(server, { authorization: `Bearer ${token}`, "x-forwarded-for": "203.0.113.1" })
      ).toEqual(served)
      for (const wrong of [`${token}x`, token.slice(1), "", `x ${token}`])
        expect([wrong, yield* answers(server, { authorization: `Bearer ${wrong}` })]).toEqual([wrong, hidden])
      expect(yield* answers(server, { authorization: `Basic ${token}` })).toEqual(hidden)
      expect(yield* answers(server, {})).toEqual(hidden)
    })
  )
})

suite(Measured.layer)("the contents", (it) => {
  it.scoped("are in Prometheus' text format, with a type for every sample, and may not be cached", () =>
    Effect.gen(function* () {
      const server = yield* Measured
      const before = Date.now()
      const answer = yield* send(server, "GET", "/metrics")
      expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
      expect(answer.headers.get("cache-control")).toBe("no-store")
      const { kinds, text } = parseMetrics(answer.text)
      for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
        const name = /^[a-z_]+/.exec(line)?.[0] ?? ""
        expect([
          name,
          kinds.has(name) || kinds.get(name.replace(/_(bucket|sum|count)$/, "")) === "histogram"
        ]).toEqual([name, true])
      }
      const { value } = parseMetrics(text)
      expect(value("doorlock_build_info")).toBe(1)
      expect(value("process_resident_memory_bytes")).toBeGreaterThan(30e6)
      expect(value("doorlock_heap_used_bytes")).toBeGreaterThan(1e6)
      expect(value("process_cpu_seconds_total")).toBeGreaterThan(0)
      expect(value("doorlock_uptime_seconds")).toBeGreaterThan(0)
      const told = (value("process_start_time_seconds") ?? 0) + (value("doorlock_uptime_seconds") ?? 0)
      expect(told).toBeGreaterThanOrEqual(before / 1_000 - 1)
      expect(told).toBeLessThanOrEqual(Date.now() / 1_000 + 1)
    })
  )

  it.scoped("count and time requests by method, route pattern and status class, never by path", () =>
    Effect.gen(function* () {
      const server = yield* Measured
      const { session } = yield* onboard(server)
      const name = "doorlock_http_request_duration_seconds_count"
      const route = "/api/kyc/public/sessions/:sessionId"
      const growth = yield* increases(
        server,
        Effect.gen(function* () {
          for (let i = 0; i < 3; i++) yield* send(server, "GET", `${session.path}?token=${session.token}`)
          yield* send(server, "GET", `${session.path}?token=wrong`)
          yield* send(server, "GET", `/no/such/${session.id}`)
          yield* send(server, "PROPFIND", `/no/such/${session.id}`)
        }),
        [
          [name, { method: "GET", route, status: "2xx" }],
          [name, { method: "GET", route, status: "4xx" }],
          [name, { method: "GET", route: "unknown", status: "4xx" }],
          [name, { method: "other", route: "unknown", status: "4xx" }],
          [
            "doorlock_http_request_duration_seconds_bucket",
            { method: "GET", route, status: "2xx", le: "+Inf" }
          ],
          ["doorlock_http_request_duration_seconds_bucket", { method: "GET", route, status: "2xx", le: "30" }]
        ]
      )
      expect(growth).toEqual([3, 1, 1, 1, 3, 3])
      const { text, value } = yield* metricsOf(server)
      expect(value("doorlock_http_request_duration_seconds_sum", { route })).toBeGreaterThan(0)
      expect(text).not.toContain(session.id)
      expect(text).not.toContain("/no/such")
    })
  )

  it.scoped("count events of KYC sessions, captcha tokens, sign-ins and keys", () =>
    Effect.gen(function* () {
      const server = yield* Measured
      const { instance, key, member, session } = yield* onboard(server)
      const sessions = "doorlock_kyc_sessions_total"
      const captchas = "doorlock_captcha_verifications_total"
      const signIns = "doorlock_sign_ins_total"
      const refused = "doorlock_keys_refused_total"
      const login = (password: string) =>
        send(server, "POST", "/api/auth/login", { json: { email: member.email, password } })
      const end = ({ path, token }: typeof session, status: string) =>
        send(server, "POST", `${path}/complete`, { json: { token, status } })
      const growth = yield* increases(
        server,
        Effect.gen(function* () {
          const made = yield* Effect.replicateEffect(createSession(server, key.token, instance.id), 3)
          const [failing = session, cancelled = session, given = session] = made
          yield* verify({ server }, session, yield* Effect.promise(() => tokenWith({ sub: undefined })))
          yield* verify({ server }, session, "nonsense")
          yield* end(session, "completed")
          // A retry is no second completion.
          yield* end(session, "completed")
          yield* end(failing, "failed")
          yield* end(cancelled, "cancelled")
          yield* send(server, "POST", `${given.path}/progress`, {
            json: { token: given.token, status: "failed" }
          })
          yield* login(member.password)
          yield* login("wrong password")
          for (const token of [newToken("dlk_"), "nonsense"])
            yield* send(server, "POST", "/api/kyc/public/sessions", { headers: { "x-api-key": token } })
          yield* call(server, "/gateway/a/b/v/1/x", { key: newToken("dk_live_") })
        }),
        [
          [sessions, { event: "created" }],
          [sessions, { event: "completed" }],
          [sessions, { event: "failed" }],
          [sessions, { event: "cancelled" }],
          [captchas, { verdict: "success" }],
          [captchas, { verdict: "MALFORMED" }],
          [signIns, { result: "success" }],
          [signIns, { result: "refused" }],
          [refused, { family: "platform" }],
          [refused, { family: "marketplace" }]
        ]
      )
      expect(growth).toEqual([3, 1, 2, 1, 1, 1, 1, 1, 2, 1])
    })
  )

  it.scoped("count gateway calls by outcome, and time the upstream and the gateway itself", () =>
    Effect.gen(function* () {
      const server = yield* Measured
      const publisher = yield* publisherOn(server)
      const upstream = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      const broken = yield* rawUpstream({ whole: (socket) => void socket.destroy() })
      const api = yield* publisher.newApi()
      yield* addVersion(publisher, api, { upstreamUrl: upstream.url })
      yield* addVersion(publisher, api, { version: "2", upstreamUrl: broken.url })
      const planId = yield* addPlan(publisher, api, { requestsPerMinute: 3 })
      yield* publish(publisher, api)
      const subscriber = subscriberOf(server, yield* signUp(server))
      const { token } = subscribed(yield* subscriber.subscribe({ id: api.id, planId }))
      const at = (version: string) => `/gateway/${publisher.slug}/${api.slug}/v/${version}/x`
      const calls = "doorlock_gateway_calls_total"
      const growth = yield* increases(
        server,
        Effect.gen(function* () {
          yield* call(server, at("1"), { key: token })
          yield* call(server, at("1"), { key: token })
          yield* call(server, at("2"), { key: token })
          // The third counts, whatever became of it.
          yield* call(server, at("1"), { key: token })
          yield* call(server, at("9"), { key: token })
          yield* call(server, at("1"), { key: "nonsense" })
          yield* call(server, at("1"), { key: token, fields: ["Upgrade: websocket"] })
          // Usage is written once a second.
          yield* eventually(
            "the calls are written",
            Effect.map(metricsOf(server), ({ value }) => value("doorlock_usage_unwritten_calls") === 0)
          )
        }),
        [
          [calls, { outcome: "2xx" }],
          [calls, { outcome: "gateway_error" }],
          [calls, { outcome: "rate_limited" }],
          [calls, { outcome: "api_not_found" }],
          [calls, { outcome: "invalid_key" }],
          [calls, { outcome: "bad_request" }],
          ["doorlock_gateway_upstream_duration_seconds_count"],
          ["doorlock_gateway_own_duration_seconds_count"],
          ["doorlock_cache_misses_total", { cache: "marketplace_keys" }],
          ["doorlock_cache_hits_total", { cache: "marketplace_keys" }],
          ["doorlock_cache_misses_total", { cache: "published_routes" }],
          ["doorlock_cache_hits_total", { cache: "published_routes" }]
        ]
      )
      const [counted, [keyMisses = 0, keyHits = 0, routeMisses = 0, routeHits = 0]] = [
        growth.slice(0, 8),
        growth.slice(8)
      ]
      expect(counted).toEqual([2, 1, 1, 1, 1, 1, 2, 2])
      // A cache that is not trusted for a moment, because the machine is busy, misses what it has.
      expect([keyMisses + keyHits, routeMisses + routeHits]).toEqual([7, 5])
      expect(keyMisses).toBeGreaterThanOrEqual(1)
      expect(routeMisses).toBeGreaterThanOrEqual(3)
      const { value } = yield* metricsOf(server)
      expect(value("doorlock_cache_entries", { cache: "marketplace_keys" })).toBeDefined()
    })
  )

  it.scoped("identify nobody: no id, name, address or secret", () =>
    Effect.gen(function* () {
      const server = yield* Measured
      const { instance, key, member, session } = yield* onboard(server)
      yield* send(server, "GET", `${session.path}?token=${session.token}`)
      yield* send(server, "GET", `/${member.email}/${key.token}`)
      const { text } = yield* metricsOf(server)
      for (const own of [
        ...[session.id, session.token, key.id, key.token, member.email, member.companyId, member.userId],
        ...[instance.id, instance.publicKey, site, "127.0.0.1", "Acme", server.url.split(":")[2] ?? ""]
      ])
        expect(text).not.toContain(own)
    })
  )

  it.scoped("count and time statements, and report the pool's connections", () =>
    Effect.gen(function* () {
      const server = yield* Measured
      const { session } = yield* onboard(server)
      const [statements, failed] = yield* increases(
        server,
        Effect.replicateEffect(send(server, "GET", `${session.path}?token=${session.token}`), 5),
        [
          ["doorlock_database_statement_duration_seconds_count"],
          ["doorlock_database_statements_failed_total"]
        ]
      )
      // Others are written by the process itself, now and then.
      expect(statements).toBeGreaterThanOrEqual(5)
      expect(failed).toBe(0)
      const { value } = yield* metricsOf(server)
      const [inUse = -1, idle = -1] = ["in_use", "idle"].map((state) =>
        value("doorlock_database_connections", { state })
      )
      expect(inUse + idle).toBeGreaterThan(0)
      expect(inUse + idle).toBeLessThanOrEqual(5)
      expect(value("doorlock_database_connections_max")).toBe(5)
      expect(value("doorlock_database_waiting")).toBe(0)
    })
  )

  it.scoped("report that revocations are received", () =>
    Effect.gen(function* () {
      const server = yield* Measured
      yield* eventually(
        "changes are trusted",
        Effect.map(metricsOf(server), ({ value }) => value("doorlock_changes_trusted") === 1)
      )
    })
  )
})

it.scopedLive.skipIf(withoutRedis)(
  "says whether there is a Redis, and whether it answers (needs redis-server)",
  () =>
    Effect.gen(function* () {
      const { kill, url } = yield* redis
      const server = yield* startServer({ REDIS_URL: url })
      expect((yield* metricsOf(server)).value("doorlock_redis_up")).toBe(1)
      yield* kill
      yield* eventually(
        "it is missed",
        Effect.map(metricsOf(server), ({ value }) => value("doorlock_redis_up") === 0)
      )
    })
)
