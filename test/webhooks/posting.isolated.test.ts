/** One request to an endpoint: what is never sent, and what an answer may cost. */
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
import { WebhookPosting } from "../../src/webhooks/posting.ts"
import { eventually } from "../support/eventually.ts"
import { type Certificate, certificateFor } from "../support/machine/certificate.ts"
import { answering, type RawUpstream, rawUpstream } from "../support/marketplace/gateway.ts"
import { unlessGiven } from "../support/run/timeouts.ts"
import { spied } from "../support/spies.ts"
import { patientTiming } from "../support/timing.ts"

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

describe("Because of doorlock, and once, fails", () => {
  it.scopedLive("a request that doorlock fails to send, whatever was thrown", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      const dials = yield* spied(() => vi.spyOn(Pool.prototype, "dial"))
      dials.mockRejectedValue(new Error("injected"))
      expect(yield* post("http://endpoint.test/")).toStrictEqual(
        failed("doorlock could not send the request.", { isOurs: true })
      )
    })
  )

  it.scopedLive("an answer that doorlock fails to read, and its connection is closed", () =>
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
      for (const status of [301, 308]) {
        for (const location of [
          target.url,
          `http://other.test:${port}/`,
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

  it.scopedLive("to a certificate that nobody trusts, of another name, or that has expired", () =>
    Effect.gen(function* () {
      let requests = 0
      const serving = ({ certificate, key }: Certificate) =>
        Effect.acquireRelease(
          Effect.sync(() =>
            Bun.serve({
              port: 0,
              hostname: "127.0.0.1",
              tls: { cert: certificate, key },
              fetch: () => new Response(null, { status: 204, headers: { "x-requests": String(++requests) } })
            })
          ),
          (server) => Effect.promise(() => server.stop(true))
        )
      const [good, expired] = [certificateFor("endpoint.test"), certificateFor("expired.test", -1)]
      const [{ port }, late] = [yield* serving(good), yield* serving(expired)]
      for (const [url, trust] of [
        [`https://endpoint.test:${port}/`, undefined],
        [`https://other.test:${port}/`, good.certificate],
        [`https://expired.test:${late.port}/`, expired.certificate]
      ] as const) {
        const post = yield* posting({ lookup: loopback, ...(trust === undefined ? {} : { trust }) })
        expect(yield* post(url)).toStrictEqual(
          failed("The certificate is not valid for this name; nothing was sent.")
        )
      }
      expect(requests).toBe(0)
      const post = yield* posting({ lookup: loopback, trust: good.certificate })
      expect(yield* post(`https://endpoint.test:${port}/`)).toMatchObject({ status: 204, reason: null })
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

  it.scopedLive("silence ends with the deadline", () =>
    Effect.gen(function* () {
      const postUntil = yield* postingUntil
      const silent = yield* rawUpstream({})
      expect(yield* postUntil(silent, "it is connected", () => silent.open() === 1)).toStrictEqual(
        failed("There was no complete answer within 15 seconds.")
      )
      yield* closed(silent)
    })
  )
})

describe("An attempt says in words why it failed:", () => {
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

  it.scopedLive("Retry-After counts with 429 and 503 alone", () =>
    Effect.gen(function* () {
      const post = yield* posting()
      for (const status of [429, 500, 503]) {
        const endpoint = yield* answering(
          `HTTP/1.1 ${status} X\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n`
        )
        expect((yield* post(endpoint.url)).retryAfter).toBe(status === 500 ? undefined : "7")
      }
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
