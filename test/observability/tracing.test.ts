import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, createSession, onboard, send, signUp } from "../support/client.ts"
import { withoutTable } from "../support/database/outage.ts"
import { answering, call, linesOf } from "../support/marketplace/gateway.ts"
import { addPlan, addVersion, publish, publisherOn } from "../support/marketplace/publisher.ts"
import { subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { startServer } from "../support/server.ts"
import { type Received, startReceiver } from "../support/webhooks/receiver.ts"

/** A collector of OTLP over HTTP. */
const collector = Effect.map(startReceiver, (receiver) => {
  receiver.answer = () => Response.json({})
  return { url: new URL(receiver.url).origin, received: receiver.received }
})

/** An exported span in OTLP's JSON. */
interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: unknown }>
  readonly events: ReadonlyArray<unknown>
}

const spansOf = (received: ReadonlyArray<Received>): ReadonlyArray<Span> =>
  received.flatMap(({ body }) => {
    // The cast: the exporter's payload, which the tests check.
    const { resourceSpans } = JSON.parse(body) as {
      readonly resourceSpans: ReadonlyArray<{
        readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
      }>
    }
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  })

it.scopedLive(
  "OTEL_EXPORTER_OTLP_ENDPOINT: server spans by route pattern, within the caller's trace; no name, attribute or event contains personal data or a secret, even when requests are refused or fail",
  () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
      const person = {
        givenName: "Adelaide-Marie",
        documentNumber: "X7431-0098-QQ",
        reference: "customer-of-ours-4711",
        name: "a key with a telling name",
        metadata: "a note about somebody"
      }
      const secrets = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
          const { instance, key, member, session } = yield* onboard(server)
          const named = yield* createKey(server, member, { name: person.name })
          const created = yield* createSession(server, named.token, instance.id, {
            externalReference: person.reference,
            metadata: { note: person.metadata }
          })
          const body = { token: created.token, progress: { s_person: person } }
          const traced = yield* send(server, "GET", `${session.path}?token=${session.token}`, {
            headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
          })
          expect(traced.status).toBe(200)
          const statuses = [
            yield* send(server, "POST", `${created.path}/progress`, { json: body }),
            // Refused by a rule, by a database constraint, and by a limit.
            yield* send(server, "POST", `${created.path}/complete`, {
              json: { ...body, status: person.name }
            }),
            yield* send(server, "POST", "/api/auth/signup", {
              json: { companyName: person.givenName, email: member.email, password: member.password }
            }),
            yield* send(server, "POST", "/api/auth/login", {
              json: { email: member.email, password: person.documentNumber }
            }),
            yield* send(
              server,
              "GET",
              `/api/kyc/public/sessions/${person.documentNumber}?token=${key.token}`
            ),
            yield* send(server, "GET", `/${person.documentNumber}/${key.token}`)
          ].map(({ status }) => status)
          expect(statuses).toEqual([200, 400, 409, 401, 404, 404])
          // A failure: the route's own 500, with the fault in its span.
          const failed = yield* withoutTable(
            server,
            "kyc_sessions",
            send(server, "POST", `${created.path}/progress`, { json: body })
          )
          expect(failed.status).toBe(500)
          return [
            ...[
              key.token,
              named.token,
              session.token,
              created.token,
              member.cookie.slice(20),
              member.password
            ],
            ...[member.email, "127.0.0.1", created.id, session.id, member.userId, instance.publicKey]
          ]
        })
      )
      // Pending spans are exported before the server's scope closes.
      expect(received.every(({ path }) => path === "/v1/traces")).toBe(true)
      expect(JSON.stringify(received.map(({ body }) => JSON.parse(body)))).toContain(
        '{"key":"service.version","value":{"stringValue":"0.1.0"}}'
      )
      const spans = spansOf(received)
      expect(spans.filter((span) => span.traceId === traceId).map(({ name }) => name)).toContain(
        "GET /api/kyc/public/sessions/:sessionId"
      )
      const names = new Set(spans.map(({ name }) => name))
      expect([...names]).toEqual(expect.arrayContaining(["POST /api/auth/signup", "sql.execute"]))
      const requests = spans.filter(({ name }) => /^[A-Z]+ /.test(name))
      for (const { attributes, name } of requests) {
        expect([name, attributes.map(({ key }) => key).sort()]).toEqual([
          name,
          ["http.request.method", "http.response.status_code", "http.route"]
        ])
      }
      // The span reports the fault in the database's words.
      expect(JSON.stringify(spans.flatMap(({ events }) => events))).toContain("kyc_sessions")
      const exported = JSON.stringify(spans)
      for (const secret of [...secrets, ...Object.values(person)]) expect(exported).not.toContain(secret)
    })
)

it.scopedLive(
  "gateway: one server span per call, by route pattern and within the caller's trace; traceparent reaches the upstream unchanged",
  () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      const upstream = yield* answering("HTTP/1.1 204 No Content\r\n\r\n")
      const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" }
      const traceparent = `00-${caller.traceId}-${caller.spanId}-01`
      const told = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* startServer({
            OTEL_EXPORTER_OTLP_ENDPOINT: url,
            GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
          })
          const publisher = yield* publisherOn(server)
          const api = yield* publisher.newApi()
          yield* addVersion(publisher, api, { upstreamUrl: upstream.url })
          const planId = yield* addPlan(publisher, api)
          yield* publish(publisher, api)
          const subscriber = subscriberOf(server, yield* signUp(server))
          const { token } = subscribed(yield* subscriber.subscribe({ id: api.id, planId }))
          const path = `/gateway/${publisher.slug}/${api.slug}/v/1/a-telling-path?b=a-telling-query`
          const fields = [`traceparent: ${traceparent}`]
          const answers = [
            yield* call(server, path, { key: token, fields }),
            yield* call(server, path, { key: token }),
            yield* call(server, path, { key: "made-up", fields })
          ]
          expect(answers.map(({ start }) => start.split(" ")[1])).toStrictEqual(["204", "204", "401"])
          return [token, "made-up", "telling", publisher.slug, api.slug, "127.0.0.1", upstream.url]
        })
      )
      expect(upstream.requests.map((request) => linesOf(request, "traceparent"))).toStrictEqual([
        [traceparent],
        []
      ])
      const spans = spansOf(received)
      const name = "GET /gateway/:publisher/:api/v/:version/*"
      const calls = spans.filter((span) => span.name === name)
      const attributes = (status: number) => [
        { key: "http.request.method", value: { stringValue: "GET" } },
        { key: "http.route", value: { stringValue: "/gateway/:publisher/:api/v/:version/*" } },
        { key: "http.response.status_code", value: { intValue: status } }
      ]
      expect(calls.map((span) => span.attributes)).toStrictEqual([204, 204, 401].map(attributes))
      const [first, second, third] = calls
      for (const span of [first, third]) {
        expect(span).toMatchObject({ traceId: caller.traceId, parentSpanId: caller.spanId })
      }
      expect(second?.traceId).not.toBe(caller.traceId)
      expect(second?.parentSpanId).toBeUndefined()
      // The queries of the first call belong to its span.
      expect(spans.some(({ parentSpanId }) => parentSpanId === first?.spanId)).toBe(true)
      const exported = JSON.stringify(
        spans.filter(({ traceId }) => calls.some((at) => at.traceId === traceId))
      )
      for (const secret of told) expect(exported).not.toContain(secret)
    })
)
