/** What the gateway answers by itself: the exact status, body and headers of each row. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CallRefused } from "../../src/gateway/errors.ts"
import { codeOf } from "../support/error-codes.ts"
import {
  answering,
  type CallOptions,
  call,
  converse,
  foreignKey,
  goodKey,
  linesOf,
  type Message,
  messageOf,
  startGateway,
  TestGateway
} from "../support/marketplace/gateway.ts"
import { suite } from "../support/suite.ts"

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/** Every field of an answer, without those that are new each time. */
const fieldsOf = ({ fields }: Message) =>
  Object.fromEntries(
    fields.flatMap((line) => {
      const name = line.slice(0, line.indexOf(":")).toLowerCase()
      return name === "date" || name === "x-request-id" ? [] : [[name, line.slice(name.length + 1).trim()]]
    })
  )

const own = (body: string, proxyStatus: string) => ({
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "cache-control": "no-store",
  "content-length": String(body.length),
  "content-security-policy": "sandbox",
  "content-type": "application/json;charset=utf-8",
  "doorlock-error": codeOf(JSON.parse(body).error),
  "proxy-status": proxyStatus,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

interface Row extends CallOptions {
  /** Why the call is refused, if not by its path, key or form. */
  readonly refused?: CallRefused
  readonly path?: string
  readonly status: string
  readonly error: string
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
}

const unauthorized = {
  status: "401 Unauthorized",
  error: "Invalid API key",
  type: "http_request_denied",
  headers: { "doorlock-reason": "key-unknown", "www-authenticate": 'ApiKey realm="doorlock"' }
}

const notFound = { status: "404 Not Found", error: "API not found", type: "destination_not_found" }

const noBody = {
  status: "400 Bad Request",
  error: "Requests with GET or HEAD have no body",
  type: "http_request_error"
}

const notAllowed = {
  status: "405 Method Not Allowed",
  error: "Method not allowed",
  type: "http_request_denied",
  headers: { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" }
}

const limits = { ratelimit: '"plan";r=0;t=7', "ratelimit-policy": '"plan";q=10;w=60' }

const limited = (reason: "rate_limited" | "quota_exceeded", error: string): Row => ({
  refused: new CallRefused({ reason, retryAfterSeconds: 7, headers: limits }),
  status: "429 Too Many Requests",
  error,
  type: "http_request_denied",
  headers: { ...limits, "retry-after": "7" }
})

const rows: Readonly<Record<string, Row>> = {
  "no key": { key: "", ...unauthorized },
  "the key twice": { fields: [`x-api-key: ${goodKey}`], ...unauthorized },
  "a bad key for an API that is unknown": {
    key: "dk_live_x",
    path: "/gateway/no/such/v/1/x",
    ...unauthorized
  },
  "no key for a path that is none of an API": { key: "", path: "/gateway/x", ...unauthorized },
  "a key of another API": {
    key: foreignKey,
    status: "403 Forbidden",
    error: "API key is not subscribed to this API",
    type: "http_request_denied"
  },
  "an unknown version": { path: "/gateway/acme/api-0/v/9/x", ...notFound },
  "a path without a version": { path: "/gateway/acme/api-0", ...notFound },
  "a path with another segment for v": { path: "/gateway/acme/api-0/w/1/x", ...notFound },
  "the gateway itself": { path: "/gateway/", ...notFound },
  "an encoded slug": { path: "/gateway/acme/api%2D0/v/1/x", ...notFound },
  "GET with a body": { fields: ["Content-Length: 2"], body: "ok", ...noBody },
  "GET with chunks": { fields: ["Transfer-Encoding: chunked"], body: "0\r\n\r\n", ...noBody },
  TRACE: { method: "TRACE", ...notAllowed },
  CONNECT: { method: "CONNECT", ...notAllowed },
  "a WebSocket": {
    fields: [
      "Upgrade: websocket",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version: 13"
    ],
    status: "501 Not Implemented",
    error: "WebSocket is not supported",
    type: "http_request_denied"
  },
  "too many calls": limited("rate_limited", "Rate limit exceeded"),
  "too many calls in a month": limited("quota_exceeded", "Monthly quota exceeded")
}

suite(TestGateway.layer)("the gateway's own answers", (it) => {
  for (const [name, { error, headers, path, refused, status, type, ...options }] of Object.entries(rows)) {
    it.scoped(`${name}: ${status} ${error}`, () =>
      Effect.gen(function* () {
        const gateway = yield* TestGateway
        const upstream = yield* answering(ok)
        const published = gateway.publish({ upstream: refused ?? upstream.url })
        const answer = yield* call(gateway, path ?? `${published}/x`, options)
        const body = JSON.stringify({ error })
        expect(answer.start).toBe(`HTTP/1.1 ${status}`)
        expect(answer.body.toString()).toBe(body)
        const { connection, ...fields } = fieldsOf(answer)
        expect(fields).toEqual({ ...own(body, `doorlock; error=${type}`), ...headers })
        expect(linesOf(answer, "x-request-id")).toHaveLength(1)
        expect(upstream.connections()).toBe(0)
      })
    )
  }

  it.scoped(
    "Content-Length and chunks in one request: 400 from the server, and the upstream gets nothing",
    () =>
      Effect.gen(function* () {
        const gateway = yield* TestGateway
        const upstream = yield* answering(ok)
        for (const fields of [
          ["Content-Length: 2", "Transfer-Encoding: chunked"],
          ["Content-Length: 2", "Content-Length: 3"],
          ["X-Folded: a", " b"],
          ["X-Nul: a\0b"]
        ]) {
          const { start } = yield* call(gateway, gateway.publish(upstream.url), {
            method: "POST",
            fields,
            body: "ok"
          })
          expect(start).toBe("HTTP/1.1 400 Bad Request")
        }
        expect(upstream.connections()).toBe(0)
      })
  )

  it.scoped(
    "a Host or Content-Length, one too many: 400, the upstream gets nothing, and the connection is closed",
    () =>
      Effect.gen(function* () {
        const gateway = yield* TestGateway
        const upstream = yield* answering(ok)
        const path = gateway.publish(upstream.url)
        const head = (method: string, more: ReadonlyArray<string>) =>
          `${[`${method} ${path} HTTP/1.1`, "Host: a", `x-api-key: ${goodKey}`, ...more].join("\r\n")}\r\n\r\n`
        for (const [method, ...fields] of [
          ["POST", "Content-Length: 2", "Content-Length: 2"],
          ["GET", "Content-Length: 0", "Content-Length: 0"],
          ["POST", "Host: elsewhere.example", "Content-Length: 2"]
        ] as const) {
          const received = yield* converse(gateway, `${head(method, fields)}ok${head("GET", [])}`)
          const answer = messageOf(received)
          const body = '{"error":"Host and Content-Length may be sent only once"}'
          expect(answer?.start).toBe("HTTP/1.1 400 Bad Request")
          expect(answer?.body.toString()).toBe(body)
          expect(answer && fieldsOf(answer)).toEqual({
            ...own(body, "doorlock; error=http_request_error"),
            connection: "close"
          })
          expect(received.toString("latin1").split("HTTP/1.1")).toHaveLength(2)
        }
        expect(upstream.connections()).toBe(0)
      })
  )

  it.scoped("a preflight needs no key, and allows what it requests", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(ok)
      const answer = yield* call(gateway, `${gateway.publish(upstream.url)}/x`, {
        method: "OPTIONS",
        key: "",
        fields: [
          "Origin: https://a.example",
          "Access-Control-Request-Method: PATCH",
          "Access-Control-Request-Headers: x-api-key, content-type"
        ]
      })
      expect(answer.start).toBe("HTTP/1.1 204 No Content")
      expect(fieldsOf(answer)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "PATCH",
        "access-control-allow-headers": "x-api-key, content-type",
        "access-control-max-age": "86400",
        "proxy-status": "doorlock",
        vary: "access-control-request-method, access-control-request-headers"
      })
      expect(linesOf(answer, "access-control-allow-credentials")).toEqual([])
      expect(upstream.connections()).toBe(0)
    })
  )

  it.scoped("an OPTIONS that is not a preflight needs a key and goes to the upstream", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(ok)
      const path = gateway.publish(upstream.url)
      const options = { method: "OPTIONS", fields: ["Origin: https://a.example"] }
      expect((yield* call(gateway, path, { ...options, key: "" })).start).toBe("HTTP/1.1 401 Unauthorized")
      expect((yield* call(gateway, path, options)).body.toString()).toBe("ok")
    })
  )

  it.scoped("an API's responses over https carry the service's own HSTS", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ environment: { BASE_URL: "https://doorlock.test" } })
      const upstream = yield* answering(
        "HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=0\r\nContent-Length: 0\r\n\r\n"
      )
      const path = gateway.publish(upstream.url)
      const answer = yield* call(gateway, path)
      expect(linesOf(answer, "strict-transport-security")).toEqual(["max-age=31536000"])
      expect(upstream.requests.map((request) => linesOf(request, "x-forwarded-proto"))).toEqual([["https"]])
      const refused = yield* call(gateway, path, { key: "" })
      expect(linesOf(refused, "strict-transport-security")).toEqual(["max-age=31536000"])
    })
  )

  it.scoped("a gateway with its own public address uses it in Location and X-Forwarded-Prefix", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        environment: { GATEWAY_PUBLIC_BASE_URL: "https://api.test/v1/" }
      })
      const upstream = yield* answering("HTTP/1.1 307 X\r\nLocation: /base/y\r\nContent-Length: 0\r\n\r\n")
      const path = gateway.publish(`${upstream.url}/base`)
      const publicPath = path.replace("/gateway/", "/v1/")
      expect(linesOf(yield* call(gateway, `${path}/x`), "location")).toEqual([`${publicPath}/y`])
      expect(upstream.requests.map((request) => linesOf(request, "x-forwarded-prefix"))).toEqual([
        [publicPath]
      ])
      expect(upstream.requests.map((request) => linesOf(request, "x-forwarded-proto"))).toEqual([["https"]])
    })
  )
})
