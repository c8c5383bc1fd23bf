/** Paths and queries reach the upstream byte for byte; a path that could leave its base path does not reach it. */

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { parseTarget } from "../../src/gateway/path.ts"
import { codeOf } from "../support/error-codes.ts"
import { answering, type CallOptions, call, TestGateway } from "../support/marketplace/gateway.ts"
import { suite } from "../support/suite.ts"
import { wordsOf } from "../support/words.ts"

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

/** Passed on unchanged. */
const same = [
  "",
  ...wordsOf(`
    / ? /? ?a=1 /v1/health /v1/health/ // //a /a//b /a/// //evil.example/x /a%2Fb /a%2fb /%2F /a%5Cb
    /a%20b /a+b /a%2Bb /a;b /a;b=1/c;d=2 /a=b /a,b /a:b /a@b /a!$&'()* /~user /a|b /a-b_c.d /.hidden
    /..hidden /.../a /a..b /a. /a.. /%2ehidden /a%2e /%zz /100% /% /%4 /%C3%A9 /%c3%a9 /%E4%BD%A0%E5%A5%BD
    /%F0%9F%94%91 /%FF /%0D%0AX-Injected:%201 /%01 /%25 /%2520 /%23 /%3F /%3Fa=b?c /a%09b /a.%20 /..%20x /a?b?c /a?b=/../c
    /a?b=%2e%2e/ /a?b=c%26d&e=&&f /a?%zz /a?b+c%20d /a?b[]=1&b[]=2 /a?x=%00 /a?u=https://example.com/?x
    /A/b/C /v/2/x /gateway/acme/other/v/1/x /http://example.com/
  `),
  `/${"a".repeat(4000)}`,
  `/a?q=${"b".repeat(4000)}`
]

/**
 * Bun's server percent-encodes characters that a request target must not contain (RFC 3986), before doorlock sees them. In a query it also
 * encodes the apostrophe, which a target may contain.
 */
const encodedByServer: ReadonlyArray<readonly [sent: string, received: string]> = [
  ["/\xc3\xa9", "/%C3%A9"],
  ["/a?q=\xc3\xa9", "/a?q=%C3%A9"],
  ["/a?q='b'", "/a?q=%27b%27"],
  ["/a^b", "/a%5Eb"],
  ["/{a}", "/%7Ba%7D"],
  ['/"a"', "/%22a%22"],
  ["/<a>", "/%3Ca%3E"],
  ["/`a`", "/%60a%60"],
  ["/a\x7fb", "/a%7Fb"]
]

/** Dot segments that the server resolves, as every client does (RFC 3986, section 5.2.4); these stay inside the base path. */
const resolvedByServer: ReadonlyArray<readonly [sent: string, received: string]> = [
  ["/a/../b", "/b"],
  ["/a/%2e%2e/b", "/b"],
  ["/a/%2E./b", "/b"],
  ["/a/b/..", "/a/"],
  ["/a\\..\\b", "/b"],
  ["/a\\b", "/a/b"],
  ["/a/./b", "/a/b"],
  ["/.", "/"]
]

const refused = wordsOf(`
  /..%2fx /..%2F..%2Fx /%2e%2e%2fx /%2E%2E%2Fx /a/%2e%2e%2fx /a%2f..%2fx /a%2f.. /..%5cx /%2e%2e%5Cx
  /a%5c..%5cb /%252e%252e/x /%252e%252e%252fx /%25252e%25252e/x /%252e /.%252e/x /..;/x /..;a=b/x /.;/x
  /%2e%2e;/x /a/..;x /%c0%ae%c0%ae/x /%c0%ae%c0%ae%c0%afx /..%c0%afx /%e0%80%ae%e0%80%ae/x /a%00 /%00
  /a%2500b /.%09./x /%2e%09%2e/x /.%0a./x /.%0D./x /a/%0a..%0d/x /..%09 /..%3fx /..%23x /a%2f..%3Fx /.%3f /..%253fx
  /%2%09e./x /..%20 /..%01%1f
`)

/** A fragment is neither path nor query, and readers disagree on which one it belongs to. */
const withFragment = ["/a#b", "/a?b#c", "/a?#&b=c", "/a#?b", "#", "/#/../x", "/..%2fx#"]

suite(TestGateway.layer)("gateway paths", (it) => {
  const received = (base: string, target: string) =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(ok)
      const { start } = yield* call(gateway, gateway.publish(upstream.url + base) + target)
      expect([target, start]).toEqual([target, "HTTP/1.1 200 OK"])
      return upstream.requests.map((request) => request.start)
    })

  for (const [how, targets] of [
    ["is forwarded unchanged", same.map((target) => [target, target] as const)],
    ["is encoded", encodedByServer],
    ["is resolved within the base path", resolvedByServer]
  ] as const) {
    it.scoped(how, () =>
      Effect.gen(function* () {
        for (const [sent, expected] of targets) {
          expect(yield* received("/base", sent)).toEqual([`GET /base${expected} HTTP/1.1`])
        }
      })
    )
  }

  const isRefused = (targets: ReadonlyArray<string>, error: string) =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(ok)
      const path = gateway.publish(`${upstream.url}/base`)
      for (const target of targets) {
        const { body, fields, start } = yield* call(gateway, path + target)
        expect([target, start]).toEqual([target, "HTTP/1.1 400 Bad Request"])
        expect(body.toString()).toBe(JSON.stringify({ error }))
        expect(fields).toContain(`doorlock-error: ${codeOf(error)}`)
        expect(fields).toContain("proxy-status: doorlock; error=http_request_error")
      }
      expect(upstream.connections()).toBe(0)
    })

  it.scoped("is refused for its dots, or for an encoded NUL", () => isRefused(refused, "Path is not allowed"))

  it.scoped("is refused for its fragment", () =>
    isRefused(withFragment, "Request target must not have a fragment")
  )

  /** With these, the server neither resolves nor encodes, and reads octets as UTF-8. */
  const withoutHost: ReadonlyArray<Pick<CallOptions, "host" | "version">> = [
    { version: "1.0", host: "" },
    { host: "Host:" },
    { host: "Host: a b" },
    { host: "Host: a/b" }
  ]

  /** Code units with the low octets of a line end, a space and a colon. */
  const smuggling = Buffer.from(
    "/first\u0120HTTP/1.1\u010d\u010aHost\u013a\u0120x\u010d\u010a\u010d\u010aGET\u0120/second"
  ).toString("latin1")

  for (const options of withoutHost) {
    it.scoped(`${options.version ?? "1.1"}, ${options.host || "no Host"}: the same paths`, () =>
      Effect.gen(function* () {
        const gateway = yield* TestGateway
        const upstream = yield* answering(ok)
        const path = gateway.publish(`${upstream.url}/base`)
        const asked = [
          ...same.map((target) => [target, target] as const),
          ...encodedByServer,
          ...resolvedByServer
        ]
        for (const [sent, expected] of asked) {
          const { start } = yield* call(gateway, path + sent, options)
          expect([sent, start.slice(9)]).toEqual([sent, "200 OK"])
          expect(upstream.requests.at(-1)?.start).toBe(`GET /base${expected} HTTP/1.1`)
        }
        yield* call(gateway, path + smuggling, options)
        expect(upstream.requests.at(-1)?.start).toBe(
          `GET /base${new URL(`http://x${Buffer.from(smuggling, "latin1").toString()}`).pathname} HTTP/1.1`
        )
        for (const target of [...refused, ...withFragment]) {
          const { start } = yield* call(gateway, path + target, options)
          expect([target, start.slice(9)]).toEqual([target, "400 Bad Request"])
        }
        expect(upstream.requests).toHaveLength(asked.length + 1)
      })
    )

    it.scoped(
      `${options.version ?? "1.1"}, ${options.host || "no Host"}: no other path belongs to the gateway`,
      () =>
        Effect.gen(function* () {
          const gateway = yield* TestGateway
          const upstream = yield* answering(ok)
          const path = gateway.publish(upstream.url)
          for (const before of ["/x", "/healthz", "//x", "/"]) {
            const { body, start } = yield* call(gateway, before + path, options)
            expect([before, start.slice(9), body.toString()]).toEqual([
              before,
              "404 Not Found",
              '{"error":"Not found"}'
            ])
          }
          const { body, start } = yield* call(gateway, `${path}/../../../../../healthz`, options)
          expect([start.slice(9), body.toString()]).toEqual(["200 OK", '{"ok":true}'])
          expect(upstream.connections()).toBe(0)
        })
    )
  }

  it("an unencoded target is refused", () => {
    for (const octet of ["\u010a", "\u0120", " ", "\r", "\n", "\x7f", "\xe9"])
      expect(parseTarget(`/gateway/p/a/v/1/x${octet}y`)).toBeUndefined()
  })

  it.scoped("an upstream without a base path gets only the rest", () =>
    Effect.gen(function* () {
      expect(yield* received("", "/a/b?c")).toEqual(["GET /a/b?c HTTP/1.1"])
      expect(yield* received("/", "/a/b?c")).toEqual(["GET /a/b?c HTTP/1.1"])
      expect(yield* received("/base/", "/a")).toEqual(["GET /base/a HTTP/1.1"])
      expect(yield* received("", "")).toEqual(["GET / HTTP/1.1"])
      expect(yield* received("", "?a=1")).toEqual(["GET /?a=1 HTTP/1.1"])
    })
  )
})

describe("containment", () => {
  const piece = fc.constantFrom(
    ...[".", "..", "/", "\\", "%", "2", "3", "5", "6", "e", "E", "f", "F", "c", "C"],
    ...["%2e", "%2E", "%2f", "%5c", "%25", "%32", "%65", ";", "a", "%c0%ae"],
    ...["%09", "%0a", "%0D", "%3f", "%23", "%20", "%1F"]
  )

  it("no accepted path leaves its base, however often it is decoded", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const target = parseTarget(`/gateway/p/a/v/1/${pieces.join("")}`)
        if (target === undefined) return
        let path = target.rest
        for (let round = 0; round < 8; round++) {
          for (const segment of path.split(/[/\\]/)) expect([".", ".."]).not.toContain(segment.split(";")[0])
          expect(new URL(`http://upstream.example/base${path}`).pathname).toMatch(/^\/base(?:\/|$)/)
          path = path.replace(/%[0-7][0-9a-f]/gi, (octet) =>
            String.fromCharCode(Number.parseInt(octet.slice(1), 16))
          )
        }
      }),
      { numRuns: 3_000 }
    )
  })
})
