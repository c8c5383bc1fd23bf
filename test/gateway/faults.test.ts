/** Every way in which an upstream can fail a call: the exact status, body and Proxy-Status, and at most one request sent. */
import { createServer as createTlsServer } from "node:tls"
import { expect } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Caller } from "../../src/gateway/shares.ts"
import { codeOf } from "../support/error-codes.ts"
import { eventually } from "../support/eventually.ts"
import { certificateFor } from "../support/machine/certificate.ts"
import {
  answering,
  call,
  linesOf,
  type RawUpstream,
  type Reaction,
  type RunningGateway,
  rawUpstream,
  startGateway,
  stoppedDeadlines
} from "../support/marketplace/gateway.ts"
import { suite } from "../support/suite.ts"

const unavailable = { status: "502 Bad Gateway", error: "Upstream unavailable" }
const timedOut = { status: "504 Gateway Timeout", error: "Upstream timed out" }

const trusted = certificateFor("secure.test")

/** Names that only the resolver of these tests knows. */
const lookup = (name: string): Promise<ReadonlyArray<string>> => {
  switch (name) {
    case "secure.test":
    case "other.test":
    case "plain.test":
      return Promise.resolve(["127.0.0.1"])
    case "two.test":
      // Nothing listens at the first address.
      return Promise.resolve(["127.0.0.2", "127.0.0.1"])
    case "empty.test":
      return Promise.resolve([])
    case "silent.test":
      return new Promise(() => {})
    default:
      return Promise.reject(new Error("ENOTFOUND"))
  }
}

/** No call times out unless a test moves the clock. */
const clock = stoppedDeadlines()

class Gateway extends Context.Tag("Gateway")<Gateway, RunningGateway>() {
  static readonly layer = Layer.scoped(
    Gateway,
    Effect.orDie(
      startGateway({ lookup, timeouts: { "gateway.lookup": 300 }, trust: trusted.certificate, clock })
    )
  )
}

/** An https upstream that answers every request with `ok`. */
const tlsUpstream = ({ certificate, key }: typeof trusted): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createTlsServer({ cert: certificate, key }, (socket) => {
        socket.on("error", () => {})
        socket.on("data", () => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
      })
      server.on("tlsClientError", () => {})
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
      return server
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return address === null || typeof address === "string" ? 0 : address.port
    })
  )

suite(Gateway.layer)("an upstream that fails", (it) => {
  const fails = (
    upstream: string,
    type: string,
    expected: typeof unavailable,
    options: {
      readonly timeout?: number
      readonly caller?: Caller
      readonly method?: string
      /** Runs while the call waits for its response. */
      readonly meanwhile?: Effect.Effect<void, Error>
    } = {}
  ) =>
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const { caller, meanwhile = Effect.void, method = "POST", timeout } = options
      const path = gateway.publish({
        upstream,
        ...(caller === undefined ? {} : { caller }),
        headers: { ratelimit: '"plan";r=1;t=2' },
        ...(timeout === undefined ? {} : { timeout })
      })
      const [answer] = yield* Effect.all(
        [
          call(gateway, `${path}/x`, {
            method,
            ...(method === "GET" ? {} : { fields: ["Content-Length: 5"], body: "hello" })
          }),
          meanwhile
        ],
        { concurrency: "unbounded" }
      )
      expect(answer.start).toBe(`HTTP/1.1 ${expected.status}`)
      expect(answer.body.toString()).toBe(JSON.stringify({ error: expected.error }))
      expect(linesOf(answer, "proxy-status")).toEqual([`doorlock; error=${type}`])
      expect(linesOf(answer, "doorlock-error")).toEqual([codeOf(expected.error)])
      expect(linesOf(answer, "content-type")).toEqual(["application/json;charset=utf-8"])
      expect(linesOf(answer, "cache-control")).toEqual(["no-store"])
      expect(linesOf(answer, "content-security-policy")).toEqual(["sandbox"])
      expect(linesOf(answer, "x-content-type-options")).toEqual(["nosniff"])
      expect(linesOf(answer, "access-control-allow-origin")).toEqual(["*"])
      expect(linesOf(answer, "ratelimit")).toEqual(['"plan";r=1;t=2'])
      expect(linesOf(answer, "x-request-id")).toHaveLength(1)
      expect(gateway.outcomes(path)).toEqual([{ by: "gateway", status: Number(expected.status.slice(0, 3)) }])
      return answer
    })

  it.scoped("refuses the connection", () => fails("http://127.0.0.1:1", "connection_refused", unavailable))

  for (const name of ["nowhere", "empty"]) {
    it.scoped(`has a name that the resolver finds ${name}`, () =>
      fails(`http://${name}.test`, "dns_error", unavailable)
    )
  }

  it.scoped("has a name server that does not answer", () =>
    fails("http://silent.test", "dns_timeout", timedOut)
  )

  it.scoped("has another address that works: the request is sent there", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const upstream = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      const answer = yield* call(gateway, gateway.publish(upstream.url.replace("127.0.0.1", "two.test")))
      expect(answer.start).toBe("HTTP/1.1 200 OK")
      expect(upstream.requests.map((request) => linesOf(request, "host"))).toEqual([
        [upstream.url.slice("http://".length).replace("127.0.0.1", "two.test")]
      ])
    })
  )

  /** Upstreams that take a POST and fail it; the gateway never sends the request again. */
  const misbehaving: ReadonlyArray<
    readonly [name: string, reaction: Reaction, type: string, expected: typeof unavailable]
  > = [
    ["resets", { head: (socket) => void socket.resetAndDestroy() }, "connection_terminated", unavailable],
    [
      "takes the request and closes",
      { whole: (socket) => void socket.end() },
      "connection_terminated",
      unavailable
    ],
    [
      "closes within its headers",
      { whole: (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Le") },
      "connection_terminated",
      unavailable
    ],
    [
      "breaks off a short body",
      { whole: (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel") },
      "http_response_incomplete",
      unavailable
    ],
    ["never answers", { whole: () => {} }, "http_response_timeout", timedOut],
    [
      "drips its headers",
      {
        whole: (socket) => {
          const timer = setInterval(() => void socket.write("X-A: 1\r\n"), 20)
          socket.write("HTTP/1.1 200 OK\r\n")
          socket.on("close", () => clearInterval(timer))
        }
      },
      "http_response_timeout",
      timedOut
    ],
    [
      "says Processing without end",
      { whole: (socket) => void socket.write("HTTP/1.1 102 Processing\r\n\r\n".repeat(10_000)) },
      "http_response_header_section_size",
      unavailable
    ],
    [
      "says Continue and nothing else",
      { whole: (socket) => void socket.write("HTTP/1.1 100 Continue\r\n\r\n") },
      "http_response_timeout",
      timedOut
    ]
  ]
  for (const [name, reaction, type, expected] of misbehaving) {
    it.scoped(`${name}: ${type}`, () =>
      Effect.gen(function* () {
        const upstream = yield* rawUpstream(reaction)
        // Time passes only for the cases that must time out, and only once the upstream has the request.
        const late = Effect.zipRight(
          eventually("it has the request", () => upstream.requests.length === 1),
          clock.pass(60_000)
        )
        yield* fails(
          upstream.url,
          type,
          expected,
          expected === timedOut ? { timeout: 60_000, meanwhile: late } : {}
        )
        expect(upstream.connections()).toBe(1)
        expect(upstream.requests.length).toBeLessThanOrEqual(1)
        yield* eventually("its connection is closed", () => upstream.open() === 0)
      })
    )
  }

  /** Most of these are `http_protocol_error`. */
  const malformed: Readonly<Record<string, readonly [answer: string, type?: string]>> = {
    "is no HTTP": ["hello\r\n\r\n"],
    "speaks HTTP/2": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    "has a status of two digits": ["HTTP/1.1 20 OK\r\n\r\n"],
    "has a status of 999": ["HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n"],
    "folds a field": ["HTTP/1.1 200 OK\r\nX-A: 1\r\n two\r\nContent-Length: 0\r\n\r\n"],
    "has NUL in a field": ["HTTP/1.1 200 OK\r\nX-A: 1\0\r\nContent-Length: 0\r\n\r\n"],
    "has CR in a field": ["HTTP/1.1 200 OK\r\nX-A: 1\r2\r\nContent-Length: 0\r\n\r\n"],
    "has LF in a field": ["HTTP/1.1 200 OK\r\nX-A: 1\nX-B: 2\r\nContent-Length: 0\r\n\r\n"],
    "ends lines with LF alone": ["HTTP/1.1 200 OK\nContent-Length: 0\n\n"],
    "has a space before a colon": ["HTTP/1.1 200 OK\r\nX-A : 1\r\nContent-Length: 0\r\n\r\n"],
    "has a field without a name": ["HTTP/1.1 200 OK\r\n: 1\r\nContent-Length: 0\r\n\r\n"],
    "has two lengths": ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"],
    "has a length below zero": ["HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
    "has a length that is no number": ["HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\nok"],
    "has a list of lengths": ["HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok"],
    "has a length and chunks": [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    ],
    "has chunks in HTTP/1.0": ["HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
    "has a coding that nobody asked for": [
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "http_response_transfer_coding"
    ],
    "switches protocols": ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "http_upgrade_failed"],
    "has a head without end": [
      `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(70_000)}`,
      "http_response_header_section_size"
    ],
    "has more fields than a request may have": [
      `HTTP/1.1 200 OK\r\n${Array.from({ length: 200 }, (_, at) => `X-${at}: a\r\n`).join("")}Content-Length: 0\r\n\r\n`,
      "http_response_header_section_size"
    ],
    "has a head that is too large": [
      `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(70_000)}\r\nContent-Length: 0\r\n\r\n`,
      "http_response_header_section_size"
    ]
  }
  for (const [name, [answer, type = "http_protocol_error"]] of Object.entries(malformed)) {
    it.scoped(`${name}: ${type}`, () =>
      Effect.gen(function* () {
        const upstream = yield* answering(answer)
        yield* fails(upstream.url, type, unavailable)
        expect(upstream.requests).toHaveLength(1)
        yield* eventually("its connection is closed", () => upstream.open() === 0)
      })
    )
  }

  it.scoped("has a certificate for its name: no fault", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const port = yield* tlsUpstream(trusted)
      const answer = yield* call(gateway, gateway.publish(`https://secure.test:${port}`))
      expect(answer.start).toBe("HTTP/1.1 200 OK")
      expect(answer.body.toString()).toBe("ok")
      // Same address, other name: the certificate does not cover it, not even on an open connection.
      yield* fails(`https://other.test:${port}`, "tls_certificate_error", unavailable)
    })
  )

  it.scoped("has a certificate from an unknown authority", () =>
    Effect.flatMap(tlsUpstream(certificateFor("secure.test")), (port) =>
      fails(`https://secure.test:${port}`, "tls_certificate_error", unavailable)
    )
  )

  it.scoped("speaks no TLS", () =>
    Effect.gen(function* () {
      const upstream = yield* rawUpstream({
        connected: (socket) => void socket.write("HTTP/1.1 400 Bad\r\n\r\n")
      })
      yield* fails(
        upstream.url.replace("http://127.0.0.1", "https://plain.test"),
        "tls_protocol_error",
        unavailable
      )
    })
  )

  it.scoped("closes a reused connection upon a GET: 502, and no second request", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway
      let answered = 0
      const upstream: RawUpstream = yield* rawUpstream({
        whole: (socket) => {
          if (answered++ === 0) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          else socket.destroy()
        }
      })
      const path = gateway.publish(upstream.url)
      expect((yield* call(gateway, path)).start).toBe("HTTP/1.1 200 OK")
      yield* fails(upstream.url, "connection_terminated", unavailable, { method: "GET" })
      expect(upstream.connections()).toBe(1)
      expect(upstream.requests).toHaveLength(2)
    })
  )

  it.scoped("has too many calls: 503 with Retry-After, and the excess calls do not connect", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const hanging = yield* rawUpstream({ whole: () => {} })
      // From as many subscribers: each may always have one connection while any is free.
      yield* Effect.forkScoped(
        Effect.all(
          Array.from({ length: 512 }, () => call(gateway, gateway.publish(hanging.url))),
          { concurrency: "unbounded" }
        )
      )
      yield* eventually("all wait", () => hanging.requests.length === 512)
      const answer = yield* fails(hanging.url, "connection_limit_reached", {
        status: "503 Service Unavailable",
        error: "Upstream is busy"
      })
      expect(linesOf(answer, "retry-after")).toEqual(["1"])
      expect(hanging.connections()).toBe(512)
    })
  )

  it.scoped(
    "has slow calls of one subscriber, over any of its APIs: at most half, and others are served",
    () =>
      Effect.gen(function* () {
        const gateway = yield* Gateway
        const greedy = { subscriberId: "greedy", publisherId: "acme" }
        const upstream = yield* rawUpstream({
          whole: (socket, { start }) => {
            if (start.includes("/quick")) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          }
        })
        const [first, second, other] = [
          gateway.publish({ upstream: upstream.url, caller: greedy }),
          gateway.publish({ upstream: upstream.url, caller: { ...greedy, publisherId: "another" } }),
          gateway.publish({ upstream: upstream.url })
        ]
        const refused: Array<string> = []
        yield* Effect.forkScoped(
          Effect.all(
            Array.from({ length: 520 }, (_, index) =>
              Effect.map(call(gateway, `${index % 2 === 0 ? first : second}/slow`), (answer) =>
                refused.push(`${answer.start} ${linesOf(answer, "proxy-status")[0]}`)
              )
            ),
            { concurrency: "unbounded" }
          )
        )
        yield* eventually(
          "each of the slow calls waits or is refused",
          () => upstream.requests.length + refused.length === 520
        )
        expect(upstream.requests).toHaveLength(256)
        expect(new Set(refused)).toEqual(
          new Set(["HTTP/1.1 503 Service Unavailable doorlock; error=connection_limit_reached"])
        )
        const answers = yield* Effect.all(
          Array.from({ length: 50 }, () => call(gateway, `${other}/quick`)),
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ body }) => body.toString())).toEqual(answers.map(() => "ok"))
      })
  )
})
