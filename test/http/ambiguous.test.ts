/**
 * A request head that two readers could take for two different requests is refused on every route, and its connection
 * closed: a second Host or Content-Length (RFC 9112, sections 3.2 and 6.3), or a target with a fragment, which one reader
 * cuts off and another takes for part of the query.
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type ContractRoute, errorOf, named, onEach, pathOf, routes } from "../support/contract.ts"
import { credentialLines, TestCompany } from "../support/credentials.ts"
import { open } from "../support/http/raw.ts"
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
  const refuses = (
    route: ContractRoute,
    how: { readonly lines?: ReadonlyArray<string>; readonly fragment?: string }
  ) =>
    Effect.gen(function* () {
      const company = yield* TestCompany
      const { fragment = "", lines = [] } = how
      const connection = yield* open(company.server)
      const head = [
        `${route.method} ${pathOf(route)}${fragment} HTTP/1.1`,
        "Host: doorlock.test",
        "X-Request-Id: odd",
        ...credentialLines(company, route),
        ...lines
      ]
      connection.write(`${head.join("\r\n")}\r\n\r\n`)
      const { body, headers, status } = yield* connection.answer
      const [code, message] =
        fragment === ""
          ? ["ambiguous-request", "Host and Content-Length may be sent only once"]
          : ["target-with-fragment", "Request target must not have a fragment"]
      expect([status, JSON.parse(body)]).toEqual([400, errorOf(route, message)])
      expect(
        ["content-type", "doorlock-error", "connection", "x-request-id"].map((name) => headers.get(name))
      ).toEqual(["application/json", code, "close", "odd"])
      yield* connection.closed
    }).pipe(Effect.scoped)

  it.effect("a second Host, and a fragment: refused on every route", () =>
    onEach(routes, (route) =>
      Effect.zipRight(refuses(route, { lines: ["Host: elsewhere.test"] }), refuses(route, { fragment: "#" }))
    )
  )

  const one = named("POST /api/api-keys")
  for (const lines of seconds) {
    it.effect(`${lines.join(", ")}: 400, and the connection is closed`, () => refuses(one, { lines }))
  }
  for (const fragment of fragments) {
    it.effect(`${fragment} in the target: 400, and the connection is closed`, () =>
      refuses(one, { fragment })
    )
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
