/** One request to an endpoint: what is never sent, and what an answer may cost. */
import { createServer, type TLSSocket } from "node:tls"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { vi } from "vitest"
import { Config } from "../../src/config.ts"
import { Trust } from "../../src/gateway/dial.ts"
import type { Lookup } from "../../src/gateway/names.ts"
import { Pool } from "../../src/gateway/pool.ts"
import { Resolver, UpstreamAddresses } from "../../src/gateway/resolve.ts"
import { BodyReader } from "../../src/gateway/response-body.ts"
import { Timing } from "../../src/shared/timing.ts"
import { messageOf } from "../../src/webhooks/message.ts"
import { mostEndpoints } from "../../src/webhooks/model.ts"
import { WebhookPosting } from "../../src/webhooks/posting.ts"
import { eventually } from "../support/eventually.ts"
import { openBlackHole } from "../support/machine/black-hole.ts"
import { type Certificate, certificateFor } from "../support/machine/certificate.ts"
import { answering, type RawUpstream, rawUpstream } from "../support/marketplace/gateway.ts"
import { unlessGiven } from "../support/run/timeouts.ts"
import { spied } from "../support/spies.ts"
import { patientTiming, withTimes } from "../support/timing.ts"

interface Surroundings {
  readonly lookup?: Lookup
  readonly trust?: string
  /** Whether endpoints may have private addresses, as those of tests have. */
  readonly allowPrivate?: boolean
}

const body = '{"id":"evt_1","data":{"name":"Zoë"}}'

/** Posts the body to the URL. */
const posting = ({ allowPrivate = true, lookup, trust }: Surroundings = {}) => {
  const layer = WebhookPosting.Default.pipe(
    Layer.provide(UpstreamAddresses.Default),
    Layer.provide(Config.layer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: String(allowPrivate) })),
    Layer.provide(lookup === undefined ? Layer.empty : Layer.succeed(Resolver, lookup)),
    Layer.provide(trust === undefined ? Layer.empty : Layer.succeed(Trust, trust)),
    Layer.provide(unlessGiven(Timing, patientTiming))
  )
  return Effect.map(Layer.build(layer), (context) => (address: string) => {
    const url = new URL(address)
    return Effect.flatMap(WebhookPosting, ({ post }) =>
      post({ endpointId: "endpoint", companyId: "company", url, message: messageOf(url, {}, body) })
    ).pipe(Effect.provide(context))
  })
}

const failed = (reason: string, more: object = {}) => ({
  milliseconds: expect.any(Number),
  status: null,
  reason,
  answer: null,
  retryAfter: undefined,
  isOurs: false,
  ...more
})

const good = (status = 200) => ({ ...failed(""), status, reason: null })

/** A TLS server that counts the octets that it receives. */
const tlsReceiver = ({ certificate, key }: Certificate) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen = { octets: 0, connections: 0 }
      const server = createServer({ cert: certificate, key }, (socket: TLSSocket) => {
        seen.connections++
        socket.on("error", () => {})
        socket.on("data", (bytes) => {
          seen.octets += bytes.length
          socket.end("HTTP/1.1 204 No Content\r\n\r\n")
        })
      })
      server.on("tlsClientError", () => {})
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const bound = server.address()
      return { seen, port: typeof bound === "object" ? bound?.port : 0, server }
    }),
    ({ server }) => Effect.sync(() => void server.close())
  )

const loopback: Lookup = async () => ["127.0.0.1"]

describe("A request to an endpoint", () => {
  it.scopedLive("has its body in UTF-8, its length, and nothing of the URL but path and query", () =>
    Effect.gen(function* () {
      const endpoint = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      const post = yield* posting()
      expect(yield* post(`${endpoint.url}/a%20b?c=d`)).toStrictEqual(good())
      const [request] = endpoint.requests
      expect(request?.start).toBe("POST /a%20b?c=d HTTP/1.1")
      expect(request?.body.toString()).toBe(body)
      expect(request?.fields.map((line) => line.split(":")[0])).toStrictEqual([
        "host",
        "user-agent",
        "content-type",
        "content-length"
      ])
    })
  )

  it.scopedLive("uses a connection again, and a new one if the endpoint has closed it", () =>
    Effect.gen(function* () {
      const endpoint = yield* rawUpstream({
        whole: (socket) => {
          // The third request finds the connection closed.
          if (endpoint.requests.length === 3) socket.destroy()
          else socket.write("HTTP/1.1 204 No Content\r\n\r\n")
        }
      })
      const post = yield* posting()
      for (let at = 0; at < 3; at++) expect(yield* post(endpoint.url)).toStrictEqual(good(204))
      expect(endpoint.connections()).toBe(2)
      expect(endpoint.requests).toHaveLength(4)
    })
  )
})

describe("A request that doorlock fails to send", () => {
  it.scopedLive("fails once, because of doorlock, whatever was thrown", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      const dials = yield* spied(() => vi.spyOn(Pool.prototype, "dial"))
      dials.mockRejectedValue(new Error("injected"))
      expect(yield* post("http://endpoint.test/")).toStrictEqual(
        failed("doorlock could not send the request.", { isOurs: true })
      )
    })
  )
})

describe("An answer that doorlock fails to read", () => {
  it.scopedLive("fails once, because of doorlock, and its connection is closed", () =>
    Effect.gen(function* () {
      const endpoint = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      const post = yield* posting()
      const reads = yield* spied(() => vi.spyOn(BodyReader.prototype, "read"))
      reads.mockImplementationOnce(() => {
        throw new Error("injected")
      })
      expect(yield* post(endpoint.url)).toStrictEqual(
        failed("doorlock could not read the answer.", { status: 200, isOurs: true })
      )
      expect(yield* post(endpoint.url)).toStrictEqual(good())
      expect(endpoint.connections()).toBe(2)
    })
  )
})

describe("Not one octet goes", () => {
  it.scopedLive("to a private address, whether as such or by a name", () =>
    Effect.gen(function* () {
      const endpoint = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      const post = yield* posting({ allowPrivate: false, lookup: loopback })
      const { port } = new URL(endpoint.url)
      for (const host of [
        "127.0.0.1",
        "endpoint.test",
        "localhost",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0x7f.1"
      ]) {
        expect(yield* post(`http://${host}:${port}/`), host).toStrictEqual(
          failed("The address is private; nothing was sent.")
        )
      }
      expect(endpoint.connections()).toBe(0)
    })
  )

  it.scopedLive("to a name of which one address is private", () =>
    Effect.gen(function* () {
      const endpoint = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      const post = yield* posting({ allowPrivate: false, lookup: async () => ["127.0.0.1", "93.184.215.14"] })
      expect(yield* post(`http://two.test:${new URL(endpoint.url).port}/`)).toStrictEqual(
        failed("The address is private; nothing was sent.")
      )
      expect(endpoint.connections()).toBe(0)
    })
  )

  it.scopedLive("to where a redirect points", () =>
    Effect.gen(function* () {
      const target = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      const lookups: Array<string> = []
      const post = yield* posting({
        lookup: async (name) => {
          lookups.push(name)
          return ["127.0.0.1"]
        }
      })
      const { port } = new URL(target.url)
      for (const status of [301, 302, 303, 307, 308]) {
        for (const location of [
          target.url,
          `http://other.test:${port}/`,
          "http://169.254.169.254/latest/meta-data/",
          "//169.254.169.254/",
          "/elsewhere"
        ]) {
          const endpoint = yield* answering(
            `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
          )
          expect(yield* post(endpoint.url)).toStrictEqual(
            failed(`The endpoint answered ${status}. Redirects are not followed.`, { status, answer: "" })
          )
          expect(endpoint.requests).toHaveLength(1)
        }
      }
      expect(target.connections()).toBe(0)
      expect(lookups).toStrictEqual([])
    })
  )

  it.scopedLive("to a certificate of another name, a self-signed one, or one that has expired", () =>
    Effect.gen(function* () {
      const certificate = certificateFor("endpoint.test")
      const { port, seen } = yield* tlsReceiver(certificate)
      const trusting = yield* posting({ lookup: loopback, trust: certificate.certificate })
      const refused = failed("The certificate is not valid for this name; nothing was sent.")
      expect(yield* trusting(`https://other.test:${port}/`)).toStrictEqual(refused)
      const strict = yield* posting({ lookup: loopback })
      expect(yield* strict(`https://endpoint.test:${port}/`)).toStrictEqual(refused)
      const expired = certificateFor("expired.test", -1)
      const late = yield* tlsReceiver(expired)
      const patient = yield* posting({ lookup: loopback, trust: expired.certificate })
      expect(yield* patient(`https://expired.test:${late.port}/`)).toStrictEqual(refused)
      expect([seen.octets, late.seen.octets]).toStrictEqual([0, 0])
      expect(yield* trusting(`https://endpoint.test:${port}/`)).toStrictEqual(good(204))
      expect(seen.octets).toBeGreaterThan(0)
    })
  )

  it.scopedLive("in the clear to an https endpoint that does not speak TLS", () =>
    Effect.gen(function* () {
      const octets: Array<Buffer> = []
      const endpoint = yield* rawUpstream({
        connected: (socket) => {
          socket.on("data", (bytes) => octets.push(Buffer.from(bytes)))
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      })
      const post = yield* posting()
      const { reason, status } = yield* post(endpoint.url.replace("http:", "https:"))
      expect([status, reason]).toStrictEqual([null, "TLS failed; nothing was sent."])
      expect(Buffer.concat(octets).toString("latin1")).not.toContain("evt_1")
    })
  )
})

describe("An answer costs no more than 16 KiB and the deadline:", () => {
  /** Answers with this head, and then writes until the connection is closed. */
  const endless = (head: string, part: string) =>
    rawUpstream({
      whole: (socket) => {
        socket.write(head)
        const write = () => {
          while (!socket.destroyed && socket.write(part));
        }
        socket.on("drain", write)
        write()
      }
    })

  const closed = (endpoint: RawUpstream) =>
    eventually("the connection is closed", () => endpoint.open() === 0)

  it.scopedLive("a body without an end is cut off", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      for (const [head, part] of [
        ["", "x".repeat(1_000)],
        ["Transfer-Encoding: chunked\r\n", `3e8\r\n${"x".repeat(1_000)}\r\n`],
        [`Content-Length: ${10 ** 14}\r\n`, "x".repeat(1_000)]
      ] as const) {
        const refusing = yield* endless(`HTTP/1.1 404 Not Found\r\n${head}\r\n`, part)
        expect(yield* post(refusing.url)).toStrictEqual(
          failed("The endpoint answered 404.", { status: 404, answer: "x".repeat(4_096) })
        )
        yield* closed(refusing)
        const endpoint = yield* endless(`HTTP/1.1 200 OK\r\n${head}\r\n`, part)
        expect(yield* post(endpoint.url)).toStrictEqual(good())
        yield* closed(endpoint)
      }
    })
  )

  it.scopedLive("a head without an end is refused", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      const endpoint = yield* endless("HTTP/1.1 200 OK\r\n", `x: ${"y".repeat(1_000)}\r\n`)
      expect(yield* post(endpoint.url)).toStrictEqual(failed("The head of the answer is too large."))
      yield* closed(endpoint)
    })
  )

  /** Posts with a deadline that passes when the test says so. */
  const postingUntil = Effect.gen(function* () {
    const late: Array<() => void> = []
    const post = yield* Effect.provideService(posting(), Timing, {
      ...patientTiming,
      after: (_, run) => {
        late.push(run)
        return { cancel: () => {} }
      }
    })
    /** What becomes of a request if its deadline passes once this holds. */
    return (endpoint: RawUpstream, what: string, holds: () => boolean) =>
      Effect.gen(function* () {
        const posted = yield* Effect.fork(post(endpoint.url))
        yield* eventually(what, holds)
        for (const pass of late) pass()
        return yield* Fiber.join(posted)
      })
  })

  it.scopedLive("a slow drip, in head or body, ends with the deadline", () =>
    Effect.gen(function* () {
      const postUntil = yield* postingUntil
      const bodies = yield* spied(() => vi.spyOn(BodyReader.prototype, "read"))
      const dripping = (first: string) =>
        rawUpstream({
          whole: (socket) => {
            socket.write(first)
            const timer = setInterval(() => void socket.write("y"), 10)
            socket.on("close", () => clearInterval(timer))
          }
        })
      const late = "There was no complete answer within 15 seconds."
      const head = yield* dripping("HTTP/1.1 200 OK\r\nx: ")
      expect(
        yield* postUntil(head, "the request has arrived", () => head.requests.length === 1)
      ).toStrictEqual(failed(late))
      yield* closed(head)
      const body = yield* dripping("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
      expect(
        yield* postUntil(body, "some of the body has been read", () => bodies.mock.calls.length > 1)
      ).toStrictEqual(failed(late, { status: 200 }))
      yield* closed(body)
    })
  )

  it.scopedLive("silence, before and after the connection, ends with the deadline", () =>
    Effect.gen(function* () {
      const postUntil = yield* postingUntil
      const silent = yield* rawUpstream({})
      expect(yield* postUntil(silent, "it is connected", () => silent.open() === 1)).toStrictEqual(
        failed("There was no complete answer within 15 seconds.")
      )
      yield* closed(silent)
      const post = yield* withTimes({ timeouts: { "webhooks.attempt": 200 } })(posting())
      const hole = yield* openBlackHole
      const { reason, status } = yield* post(`http://127.0.0.1:${hole.port}/`)
      expect(status).toBeNull()
      expect(["There was no complete answer within 15 seconds.", "The connection took too long."]).toContain(
        reason
      )
    })
  )

  it.scopedLive("interim answers are skipped, up to the size of a head", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      const some = yield* answering(
        `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(3)}HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n`
      )
      expect(yield* post(some.url)).toStrictEqual(good(202))
      const endlessly = yield* endless("", "HTTP/1.1 103 Early Hints\r\n\r\n")
      expect(yield* post(endlessly.url)).toStrictEqual(failed("The head of the answer is too large."))
    })
  )

  it.scopedLive("an interrupted attempt closes its connection", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      const silent = yield* rawUpstream({ whole: () => {} })
      const fiber = yield* Effect.fork(post(silent.url))
      yield* eventually("the request has arrived", () => silent.requests.length === 1)
      yield* fiber.interruptAsFork(fiber.id())
      yield* closed(silent)
    })
  )
})

it.scopedLive("Each of a company's 20 endpoints may look up a name of its own at once", () =>
  Effect.gen(function* () {
    const endpoint = yield* answering("HTTP/1.1 204 No Content\r\n\r\n")
    const looking = new Set<string>()
    const all = Promise.withResolvers<void>()
    const post = yield* posting({
      // Answers once 20 lookups are under way.
      lookup: async (name) => {
        if (looking.add(name).size === mostEndpoints) all.resolve()
        await all.promise
        return ["127.0.0.1"]
      }
    })
    const attempts = yield* Effect.forEach(
      Array.from({ length: mostEndpoints }, (_, n) => `http://n${n}.test:${new URL(endpoint.url).port}/`),
      post,
      { concurrency: "unbounded" }
    )
    expect(attempts).toStrictEqual(attempts.map(() => good(204)))
  })
)

describe("An attempt says in words why it failed:", () => {
  for (const [name, bytes, expected] of [
    ["a status", "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno\n", { status: 404, answer: "no\n" }],
    ["no HTTP", "SSH-2.0-OpenSSH_9.9\r\n\r\n", { reason: "The answer is not HTTP/1.1." }],
    [
      "another protocol",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      { reason: "The endpoint answered with another protocol." }
    ],
    [
      "an unknown coding",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
      { reason: "The transfer coding of the answer is unknown." }
    ]
  ] as const) {
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const endpoint = yield* answering(bytes)
        const post = yield* posting()
        expect(yield* post(endpoint.url)).toStrictEqual(failed("The endpoint answered 404.", expected))
      })
    )
  }

  it.scopedLive("nobody listens, and no such name", () =>
    Effect.gen(function* () {
      const post = yield* posting({ lookup: () => Promise.reject(new Error("no such name")) })
      expect(yield* post("http://127.0.0.1:1/")).toStrictEqual(failed("The connection was refused."))
      expect(yield* post("http://nobody.test/")).toStrictEqual(failed("The name has no address."))
    })
  )

  it.scopedLive("the connection breaks, before and within the answer", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      const early = yield* rawUpstream({ whole: (socket) => void socket.destroy() })
      expect(yield* post(early.url)).toStrictEqual(failed("The connection was closed before an answer."))
      const late = yield* rawUpstream({
        whole: (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
      })
      expect(yield* post(late.url)).toStrictEqual(
        failed("The connection was closed before the end of the answer.", { status: 200 })
      )
    })
  )

  it.scopedLive("Retry-After counts with 429 and 503 alone, and of several the first", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      for (const status of [429, 500, 503]) {
        const endpoint = yield* answering(
          `HTTP/1.1 ${status} X\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n`
        )
        expect((yield* post(endpoint.url)).retryAfter).toBe(status === 500 ? undefined : "7")
      }
      const twice = yield* answering(
        "HTTP/1.1 503 X\r\nRetry-After: 7\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n"
      )
      expect((yield* post(twice.url)).retryAfter).toBe("7")
    })
  )

  it.scopedLive("its answer is text, cut between characters, without what Postgres cannot store", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      const octets = Buffer.concat([Buffer.from(`\0${"é".repeat(5_000)}`), Buffer.of(0xff, 0xfe)])
      const endpoint = yield* answering(
        Buffer.concat([
          Buffer.from(`HTTP/1.1 404 Not Found\r\nContent-Length: ${octets.length}\r\n\r\n`),
          octets
        ])
      )
      expect((yield* post(endpoint.url)).answer).toBe(`\ufffd${"é".repeat(2_047)}`)
    })
  )
})
