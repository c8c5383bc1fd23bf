/** What an upstream sees of a request: the client's own fields, what the gateway says, and nothing else. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { newToken } from "../../src/secrets/token.ts"
import {
  answering,
  type CallOptions,
  call,
  linesOf,
  type Message,
  TestGateway
} from "../support/marketplace/gateway.ts"
import { suite } from "../support/suite.ts"
import { wordsOf } from "../support/words.ts"

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

const hopByHop = wordsOf(`
  Keep-Alive Proxy-Connection TE Upgrade HTTP2-Settings Proxy-Authorization Proxy-Authenticate Trailer
`)

/** What the gateway says itself, or what others could believe that it says; as it is, and as CGI would spell it. */
const withheld = wordsOf(`
  X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Prefix X-Forwarded-Port X-Forwarded-User
  X-Forwarded Forwarded X-Real-IP X-Client-IP True-Client-IP X-Doorlock-Subscription Proxy X-Original-URL
  X-Rewrite-URL CF-Connecting-IP Fastly-Client-IP X-Cluster-Client-IP X-Original-Forwarded-For
  X_Forwarded_For X_Forwarded-Host X_Real_IP X_Original_URL X_Request_Id X_Doorlock_Subscription X_Api_Key
  Transfer_Encoding Content_Length
`)

suite(TestGateway.layer)("what an upstream sees", (it) => {
  /** The request as the upstream received it. */
  const seen = (options: CallOptions = {}) =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(ok)
      const path = gateway.publish(upstream.url)
      const answer = yield* call(gateway, `${path}/x`, options)
      expect(answer.start).toBe("HTTP/1.1 200 OK")
      const [request] = upstream.requests
      if (request === undefined) throw new Error("Nothing arrived")
      return { request, path, host: upstream.url.slice("http://".length), answer }
    })

  /** Names as they came, in lower case, without those the gateway sets on every request. */
  const others = ({ fields }: Message) =>
    fields
      .map((line) => line.slice(0, line.indexOf(":")).toLowerCase())
      .filter((name) => !/^(host|via|x-request-id|x-forwarded-(for|host|proto|prefix))$/.test(name))

  it.scoped("the client's own fields arrive byte for byte", () =>
    Effect.gen(function* () {
      const fields = [
        "user-agent: t/1",
        "accept: a/b, c/d;q=0.5",
        "accept-encoding: zstd",
        "x-own: a  b\t\xe9",
        "x-empty:",
        "authorization: Basic dTpw",
        "origin: https://a.example",
        "range: bytes=0-3",
        'if-none-match: "x"',
        "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      ]
      const { request } = yield* seen({ fields })
      for (const line of fields) expect(request.fields.map((sent) => sent.trim())).toContain(line)
      expect(others(request)).toHaveLength(fields.length)
    })
  )

  it.scoped("fields on several lines arrive as one list", () =>
    Effect.map(seen({ fields: ["X-Two: a", "X-Two: b"] }), ({ request }) =>
      expect(linesOf(request, "x-two")).toEqual(["a, b"])
    )
  )

  it.scoped("without fields for one connection alone", () =>
    Effect.gen(function* () {
      for (const line of hopByHop)
        expect(others((yield* seen({ fields: [`${line}: x`] })).request), line).toEqual([])
    })
  )

  it.scoped("fields that any Connection line names are removed, even after an empty line", () =>
    Effect.gen(function* () {
      const { request } = yield* seen({
        fields: [
          "Connection:",
          "Connection: X-Secret-Hop,x-other",
          "x-secret-hop: 1",
          "X-Other: 2",
          "x-kept: 3"
        ]
      })
      expect(others(request)).toEqual(["x-kept"])
    })
  )

  it.scoped("Connection cannot remove what the gateway adds", () =>
    Effect.gen(function* () {
      const { host, request } = yield* seen({
        method: "POST",
        fields: [
          "Connection: host, via, content-length, x-request-id, x-forwarded-for, x-forwarded-host",
          "Content-Length: 5"
        ],
        body: "hello"
      })
      expect(linesOf(request, "host")).toEqual([host])
      expect(request.body.toString()).toBe("hello")
      for (const name of ["via", "content-length", "x-request-id", "x-forwarded-for", "x-forwarded-host"]) {
        expect(linesOf(request, name)).toHaveLength(1)
      }
    })
  )

  it.scoped("Via gets this gateway appended", () =>
    Effect.gen(function* () {
      const { request } = yield* seen({ fields: ["Via: 1.0 fred, 1.1 p.example.net"] })
      expect(linesOf(request, "via")).toEqual([
        expect.stringMatching(/^1\.0 fred, 1\.1 p\.example\.net, 1\.1 doorlock-[0-9a-f]{8}$/)
      ])
    })
  )

  it.scoped("a request that has passed this gateway before is refused", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const { request } = yield* seen()
      const upstream = yield* answering(ok)
      const { body, fields, start } = yield* call(gateway, gateway.publish(upstream.url), {
        fields: [`Via: 1.1 a, ${linesOf(request, "via")[0]}, 1.1 b`]
      })
      expect(start).toBe("HTTP/1.1 502 Bad Gateway")
      expect(body.toString()).toBe('{"error":"Request loops through this gateway"}')
      expect(fields).toContain("proxy-status: doorlock; error=proxy_loop_detected")
      expect(upstream.connections()).toBe(0)
    })
  )

  it.scoped("the upstream's Host, and the client's address and target", () =>
    Effect.gen(function* () {
      const { host, path, request } = yield* seen()
      expect(linesOf(request, "host")).toEqual([host])
      expect(linesOf(request, "x-forwarded-host")).toEqual(["api.doorlock.test"])
      expect(linesOf(request, "x-forwarded-for")).toEqual(["127.0.0.1"])
      expect(linesOf(request, "x-forwarded-proto")).toEqual(["http"])
      expect(linesOf(request, "x-forwarded-prefix")).toEqual([path])
    })
  )

  it.scoped("a client's own headers about proxies and identity are removed", () =>
    Effect.gen(function* () {
      const filler = Array.from({ length: 60 }, (_, at) => `x-filler-${at}: ${at}`)
      const { request } = yield* seen({
        fields: [...filler, ...withheld.map((name) => `${name}: forged`), "X_Own: kept"]
      })
      expect(others(request)).toHaveLength(filler.length + 1)
      expect(request.fields.join("\n")).not.toContain("forged")
      expect(linesOf(request, "x-forwarded-for")).toEqual(["127.0.0.1"])
      expect(request.body).toHaveLength(0)
    })
  )

  it.scoped("so are spellings with any other sign, which some servers turn into an underscore", () =>
    Effect.gen(function* () {
      for (const odd of "!#$%&'*+.^_`|~") {
        const names = wordsOf(`
          X-Forwarded-For X-Forwarded-Port X-Forwarded X-Real-IP X-Doorlock-Subscription X-Api-Key
          Transfer-Encoding Content-Length
        `)
        const { request } = yield* seen({
          fields: [
            ...names.map((name) => `${name.replaceAll("-", odd)}: forged`),
            `X-Forwarded${odd}For: forged`,
            `X-Api${odd}Key: forged`,
            `X${odd}Own: kept`
          ]
        })
        expect(others(request)).toEqual([`x${odd}own`])
        expect(request.fields.join()).not.toMatch(/forged/)
      }
    })
  )

  it.scoped("none of doorlock's own keys, cookies or credentials", () =>
    Effect.gen(function* () {
      for (const prefix of [
        "dlk_",
        "dls_",
        "dli_",
        "dk_live_",
        "dk_test_",
        "kyc_sess_",
        "kyc_hand_"
      ] as const) {
        const token = newToken(prefix)
        const { request } = yield* seen({
          fields: ["Cookie: dashboard_session=dls_abc", "Cookie: b=2", `Authorization: bearer ${token}`]
        })
        expect(others(request)).toEqual([])
      }
    })
  )

  it.scoped("no key of doorlock in any other field or scheme", () =>
    Effect.gen(function* () {
      const key = newToken("dlk_")
      for (const line of [
        `Authorization: ${key}`,
        `Authorization: Token ${key}`,
        `Authorization: Token token="${key}", nonce="1"`,
        `Authorization: Basic ${btoa(`${key}:`)}`,
        `Authorization: basic  ${btoa(`user:${key}`)}`,
        `Api-Key: ${newToken("dk_live_")}`,
        `X-Auth-Token: ${newToken("dk_test_")}`,
        `Referer: https://a.example/?key=${key}`
      ]) {
        expect(others((yield* seen({ fields: [line] })).request), line).toEqual([])
      }
    })
  )

  it.scoped("any other Authorization goes to the upstream", () =>
    Effect.gen(function* () {
      for (const value of [
        "Bearer eyJhbGciOi",
        "Bearer dk_live_of_another",
        "Basic ZGxrX3g6eQ==",
        "Basic %"
      ]) {
        const { request } = yield* seen({ fields: [`Authorization: ${value}`] })
        expect(linesOf(request, "authorization")).toEqual([value])
      }
    })
  )

  it.scoped("x-request-id is the same as in the response", () =>
    Effect.gen(function* () {
      const own = yield* seen()
      expect(linesOf(own.request, "x-request-id")).toEqual(linesOf(own.answer, "x-request-id"))
      const given = yield* seen({ fields: ["X-Request-Id: client-1"] })
      expect(linesOf(given.request, "x-request-id")).toEqual(["client-1"])
      expect(linesOf(given.answer, "x-request-id")).toEqual(["client-1"])
      const insane = yield* seen({ fields: ["X-Request-Id: a b"] })
      expect(linesOf(insane.request, "x-request-id")).toEqual(linesOf(insane.answer, "x-request-id"))
      expect(linesOf(insane.request, "x-request-id")).not.toEqual(["a b"])
    })
  )

  it.scoped("any method keeps its Content-Length", () =>
    Effect.gen(function* () {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "REPORT", "QUERY"]) {
        const { request } = yield* seen({ method, fields: ["Content-Length: 5"], body: "hello" })
        expect(request.start).toBe(`${method} /x HTTP/1.1`)
        expect(linesOf(request, "content-length")).toEqual(["5"])
        expect(linesOf(request, "transfer-encoding")).toEqual([])
        expect(request.body.toString()).toBe("hello")
      }
    })
  )

  it.scoped("chunks stay chunks", () =>
    Effect.gen(function* () {
      const { request } = yield* seen({
        method: "POST",
        fields: ["Transfer-Encoding: chunked"],
        body: "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
      })
      expect(linesOf(request, "content-length")).toEqual([])
      expect(linesOf(request, "transfer-encoding")).toEqual(["chunked"])
      expect(request.body.toString()).toBe("hello")
    })
  )

  it.scoped("an empty body stays an empty body, and no body stays none", () =>
    Effect.gen(function* () {
      const empty = yield* seen({ method: "POST", fields: ["Content-Length: 0"] })
      expect(linesOf(empty.request, "content-length")).toEqual(["0"])
      const none = yield* seen({ method: "POST" })
      expect(others(none.request)).toEqual([])
    })
  )

  it.scoped("Expect is answered by the gateway's own server", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(ok)
      // The interim answer comes first, so the answer is not the first message.
      const received = yield* call(gateway, gateway.publish(upstream.url), {
        method: "POST",
        fields: ["Expect: 100-continue", "Content-Length: 2"],
        body: "ok"
      })
      expect(received.start).toBe("HTTP/1.1 100 Continue")
      expect(upstream.requests.map((request) => request.body.toString())).toEqual(["ok"])
      expect(upstream.requests.flatMap(others)).toEqual(["content-length"])
    })
  )
})
