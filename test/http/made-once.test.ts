/** Answers that are made once for many requests: nothing of one request is in the answer to another. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf } from "../support/error-codes.ts"
import { exchange, type RawAnswer } from "../support/http/raw.ts"
import { securityHeaders } from "../support/http/security-headers.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "doorlock-error, retry-after, x-request-id"
}

const body = (message: string) => JSON.stringify({ error: message })

const rows = [
  {
    name: "a made-up platform key",
    target: "/api/kyc/sessions",
    field: "X-Api-Key: dlk_made_up",
    status: 401,
    message: "Invalid API key",
    own: { "www-authenticate": 'Bearer realm="doorlock"', "doorlock-reason": "key-malformed" }
  },
  {
    name: "the same at a route of one session",
    target: "/api/kyc/sessions/0197a0de-0000-7000-8000-000000000000",
    field: "X-Api-Key: dlk_made_up",
    status: 401,
    message: "Invalid API key",
    own: { "www-authenticate": 'Bearer realm="doorlock"', "doorlock-reason": "key-malformed" }
  },
  {
    name: "a made-up session, for any origin",
    target: "/api/kyc/public/sessions/0197a0de-0000-7000-8000-000000000000?token=kyc_sess_made_up",
    field: "Origin: https://partner.example",
    status: 404,
    message: "Session not found",
    own: anyOrigin
  },
  {
    name: "nobody signed in",
    target: "/api/auth/me",
    field: "Accept: */*",
    status: 401,
    message: "Unauthorized",
    own: { "www-authenticate": 'Bearer realm="doorlock"' }
  }
]

/** All of them, but for the time. */
const headersOf = ({ headers }: RawAnswer) =>
  Object.fromEntries([...headers].filter(([name]) => name !== "date"))

suite(TestServer.layer)("responses built once", (it) => {
  for (const { field, message, name, own, status, target } of rows) {
    describe(name, () => {
      it.effect("each has its own request id, and is otherwise the same", () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const text = body(message)
          for (const [method, id] of [
            ["GET", "first"],
            ["HEAD", "second"],
            ["GET", "third"],
            ["GET", "first"],
            ["HEAD", "fifth"]
          ] as const) {
            const answer = yield* exchange(server, `${method} ${target}`, [field, `X-Request-Id: ${id}`])
            expect(answer.status).toBe(status)
            expect(answer.body).toBe(method === "HEAD" ? "" : text)
            expect(headersOf(answer)).toStrictEqual({
              ...securityHeaders,
              ...own,
              "doorlock-error": codeOf(message),
              "content-length": String(text.length),
              "content-type": "application/json",
              "x-request-id": id
            })
          }
          const unnamed = yield* exchange(server, `GET ${target}`, [field])
          expect(unnamed.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
        })
      )
    })
  }
})
