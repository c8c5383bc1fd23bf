/** A request with a second Host or Content-Length (RFC 9112, sections 3.2 and 6.3) is refused on every route, with its connection. */
import { describe, expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { errorOf, routes } from "../support/contract.ts"
import { begin, TestCompany } from "../support/credentials.ts"

const seconds = [
  ["Content-Length: 0", "Content-Length: 0"],
  ["Content-Length: 1048576", "Content-Length: 1048576"],
  ["Host: elsewhere.test"],
  ["Host: doorlock.test", "Content-Length: 2"]
]

layer(TestCompany.layer, { excludeTestServices: true })("ambiguous requests", (it) => {
  for (const route of routes) {
    describe(route.name, () => {
      for (const lines of seconds) {
        it.scoped(`${lines.join(", ")}: 400, and the end of the connection`, () =>
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
    })
  }
})
