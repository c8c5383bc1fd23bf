/** A KYC session and a marketplace walk with marked personal data, of which nothing reaches an endpoint, a log, the metrics or a trace. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, createKey, createSession, field, send, signUp, text } from "../support/client.ts"
import { emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { samples, upload } from "../support/kyc/files.ts"
import { secretPlace } from "../support/kyc/images.ts"
import { callableApi } from "../support/marketplace/callable-api.ts"
import { subscriberOf } from "../support/marketplace/subscriptions.ts"
import { execute } from "../support/postgres.ts"
import { runOn } from "../support/program.ts"
import { startReceiver } from "../support/webhooks/receiver.ts"

const marks = {
  name: "Zoltana-Marked-Name",
  documentNumber: "MARK77777777",
  metadata: "marked-metadata-value",
  result: "marked-result-value",
  address: "203.0.113.77",
  place: secretPlace,
  userAgent: "MarkedBrowser/7.7"
}

const metricsToken = "a-token-for-the-metrics"

/** Every table that has events or deliveries. */
const tables = [
  "event_outbox",
  "events",
  "webhook_deliveries",
  "webhook_attempts",
  "work_jobs",
  "work_poison"
] as const

it.scopedLive(
  "a walk with marked personal data: no mark in an event, a delivery and its stored answer, the log at trace, the metrics or a trace",
  () =>
    Effect.gen(function* () {
      const [receiver, traces] = [yield* startReceiver, yield* startReceiver]
      // Its body is not stored.
      receiver.answer = ({ body, headers }) => Response.json({ body, headers }, { status: 202 })
      traces.answer = () => Response.json({})
      const program = yield* runOn(yield* emptyDatabase, {
        SIGNUP: "open",
        SEED_DEMO: "false",
        LOG_LEVEL: "trace",
        LOG_FORMAT: "json",
        GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
        TRUSTED_PROXIES: "127.0.0.1",
        METRICS_TOKEN: metricsToken,
        OTEL_EXPORTER_OTLP_ENDPOINT: new URL(traces.url).origin
      })
      const member = yield* signUp(program)
      const endUser = { "user-agent": marks.userAgent, "x-forwarded-for": marks.address }
      const ask = (method: string, path: string, json?: unknown) =>
        send(program, method, path, {
          headers: { cookie: member.cookie, ...endUser },
          ...(json === undefined ? {} : { json })
        })
      yield* ask("POST", "/api/webhook-endpoints", { url: receiver.url })
      const key = yield* createKey(program, member)
      const instance = yield* createInstance(program, member)
      for (const end of ["complete", "fail"]) {
        const { path, token } = yield* createSession(program, key.token, instance.id, {
          externalReference: "customer-42",
          metadata: { note: marks.metadata, name: marks.name }
        })
        const post = (suffix: string, json: object) =>
          Effect.map(
            send(program, "POST", path + suffix, { headers: endUser, json: { token, ...json } }),
            ({ status }) => expect(status).toBe(200)
          )
        const personal = { name: marks.name, documentNumber: marks.documentNumber, email: member.email }
        yield* post("/progress", { status: "running", progress: personal })
        expect((yield* upload(program, { path, token }, samples.exif, endUser)).status).toBe(201)
        yield* end === "complete"
          ? post("/complete", { result: { ...personal, outcome: marks.result } })
          : post("/progress", { status: "failed", progress: personal })
      }
      const api = yield* callableApi(program, member)
      yield* send(program, "GET", `${api.path}?name=${marks.name}`, {
        headers: { "x-api-key": api.token, ...endUser }
      })
      const { list, cancel } = subscriberOf(program, member)
      yield* cancel(text((yield* list).body, "subscriptions", 0, "id"))
      yield* ask("POST", `/api/api-keys/${key.id}/revoke`)

      // Not by the number of requests: what is not answered in time is sent again.
      const arrived = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size
      const feed = yield* eventually(
        "each event has arrived, the last one too",
        Effect.map(ask("GET", "/api/events?limit=100"), (answer) =>
          answer.text.includes("api_key.revoked") &&
          [field(answer.body, "events")].flat().length === arrived()
            ? answer
            : false
        )
      )
      yield* eventually(
        "all are settled",
        Effect.map(execute(program.databaseUrl, "select from work_jobs"), ({ length }) => length === 0)
      )
      const stored = yield* Effect.forEach(tables, (table) =>
        execute(program.databaseUrl, `select t::text as line from ${table} t`)
      )
      const { text: metrics } = yield* send(program, "GET", "/metrics", {
        headers: { authorization: `Bearer ${metricsToken}` }
      })
      yield* eventually("traces have been exported", () =>
        traces.received.some(({ body }) => body.includes("/complete"))
      )
      const places = {
        received: JSON.stringify(receiver.received),
        feed: feed.text,
        stored: stored
          .flat()
          .map(({ line }) => String(line))
          .join("\n"),
        // The line of a request names the client's address, so that abuse can be traced.
        log: program.output().replaceAll(/"clientAddress":"[^"]*"/g, ""),
        metrics,
        traces: JSON.stringify(traces.received)
      }
      // The search finds what is there.
      expect(places.received).toContain("customer-42")
      expect(places.stored).toContain("customer-42")
      expect(places.log).toContain("/progress")
      expect(places.metrics).toContain("doorlock_webhook")
      for (const [place, content] of Object.entries(places)) {
        for (const [what, mark] of Object.entries({
          ...marks,
          email: member.email,
          password: member.password
        })) {
          for (const form of [mark, encodeURIComponent(mark), Buffer.from(mark).toString("hex")]) {
            expect(content.includes(form), `${what} in ${place}`).toBe(false)
          }
        }
      }
    }),
  180_000
)
