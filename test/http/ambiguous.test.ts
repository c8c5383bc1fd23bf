/**
 * A request head that two readers could take for two different requests is refused on every route, and its connection
 * closed: a second Host or Content-Length (RFC 9112, sections 3.2 and 6.3), or a target with a fragment, which one reader
 * cuts off and another takes for part of the query.
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { errorOf, pathOf, routes } from "../support/contract.ts"
import { begin, credentialLines, TestCompany } from "../support/credentials.ts"
import { exchange, open } from "../support/http/raw.ts"
import { suite } from "../support/suite.ts"

const seconds = [
  ["Content-Length: 0", "Content-Length: 0"],
  ["Content-Length: 1048576", "Content-Length: 1048576"],
  ["Host: elsewhere.test"],
  ["Host: doorlock.test", "Content-Length: 2"]
]

const fragments = ["#", "?#", "#?x", "?#&token=x", "?token=x#&token=y"]

/** Paths outside the contract, and paths that do not exist. */
const elsewhere = [
  "/",
  "/docs",
  "/dashboard",
  "/dashboard/keys",
  "/kyc/session/x",
  "/nope",
  "/gateway/a/b/v/1/x"
]

suite(TestCompany.layer)("ambiguous requests", (it) => {
  for (const route of routes) {
    describe(route.name, () => {
      for (const lines of seconds) {
        it.scoped(`${lines.join(", ")}: 400, and the connection is closed`, () =>
          Effect.gen(function* () {
            const connection = yield* begin(route, "X-Request-Id: twice", ...lines)
            const answer = yield* connection.answer
            expect(answer.status).toBe(400)
            expect(JSON.parse(answer.body)).toEqual(
              errorOf(route, "Host and Content-Length may be sent only once")
            )
            expect(answer.headers.get("content-type")).toBe("application/json")
            expect(answer.headers.get("connection")).toBe("close")
            expect(answer.headers.get("x-request-id")).toBe("twice")
            yield* connection.closed
          })
        )
      }

      for (const fragment of fragments) {
        it.effect(`${fragment} in the target: 400, and the connection is closed`, () =>
          Effect.gen(function* () {
            const company = yield* TestCompany
            const answer = yield* exchange(
              company.server,
              `${route.method} ${pathOf(route)}${fragment}`,
              credentialLines(company, route)
            )
            expect([answer.status, JSON.parse(answer.body)]).toEqual([
              400,
              errorOf(route, "Request target must not have a fragment")
            ])
            expect(answer.headers.get("doorlock-error")).toBe("target-with-fragment")
            expect(answer.headers.get("connection")).toBe("close")
          })
        )
      }
    })
  }

  /** The response to a request with this target and one Host, whatever its value. */
  const asked = (target: string, host = "doorlock.test") =>
    Effect.scoped(
      Effect.gen(function* () {
        const { server } = yield* TestCompany
        const connection = yield* open(server)
        connection.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
        const { headers, status } = yield* connection.answer
        return [target, host, status, headers.get("doorlock-error")]
      })
    )

  for (const path of elsewhere) {
    it.effect(`a fragment in ${path}: 400, however the target is written`, () =>
      Effect.gen(function* () {
        const targets = fragments.flatMap((fragment) => [
          path + fragment,
          `http://doorlock.test${path}${fragment}`,
          `http://elsewhere.test${path}${fragment}`
        ])
        for (const target of targets) {
          expect(yield* asked(target)).toEqual([target, "doorlock.test", 400, "target-with-fragment"])
        }
        // With such a Host, the server passes on the target as received.
        for (const host of ["", "a b", "a/b", "a#b"]) {
          const target = `${path}?#&token=x`
          expect(yield* asked(target, host)).toEqual([target, host, 400, "target-with-fragment"])
        }
      })
    )
  }
})
