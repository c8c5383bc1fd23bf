/** What of a request comes before its body is bounded by the server itself: its address, its headers, and how many they are. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/client.ts"
import { open } from "../support/http/raw.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const long = "a".repeat(17 * 1024)

const tooLarge: ReadonlyArray<readonly [what: string, head: string]> = [
  ["an address of 17 KiB", `GET /${long} HTTP/1.1`],
  ["a query of 17 KiB", `GET /api/kyc/public/sessions/x?token=${long} HTTP/1.1`],
  ["an address of 17 KiB for the gateway", `GET /gateway/a/b/v/1/${long} HTTP/1.1`],
  ["a header of 17 KiB", `GET /healthz HTTP/1.1\r\nX-A: ${long}`],
  ["a cookie of 17 KiB", `GET /api/auth/me HTTP/1.1\r\nCookie: dashboard_session=${long}`],
  [
    "headers of 17 KiB together",
    `GET /healthz HTTP/1.1\r\n${Array.from({ length: 17 }, (_, i) => `X-${i}: ${"a".repeat(1024)}`).join("\r\n")}`
  ],
  [
    "300 headers",
    `GET /healthz HTTP/1.1\r\n${Array.from({ length: 300 }, (_, i) => `X-${i}: a`).join("\r\n")}`
  ],
  ["a header without an end", `GET /healthz HTTP/1.1\r\nX-A: ${"a".repeat(1024 * 1024)}`]
]

suite(TestServer.layer)("head size", (it) => {
  for (const [what, head] of tooLarge) {
    it.scoped(`${what}: 431 at once, and nobody else is affected`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const connection = yield* open(server)
        connection.write(`${head}\r\nHost: doorlock.test\r\n\r\n`)
        expect((yield* connection.answer).status).toBe(431)
        yield* connection.closed
        expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
      })
    )
  }

  it.effect("smaller heads are read: a header of 15 KiB, and a target of 15 KiB", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const text = "a".repeat(15 * 1024)
      expect((yield* send(server, "GET", "/healthz", { headers: { "x-a": text } })).status).toBe(200)
      const { body, status } = yield* send(server, "GET", `/api/kyc/public/sessions/${text}?token=x`)
      expect([status, body]).toStrictEqual([404, { error: "Session not found" }])
    })
  )
})
