/** contract.md#request-id: the caller's when it is a sane value, else a new one; on every answer. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onEach, pathOf, routes } from "../support/contract.ts"
import { exchange } from "../support/http/raw.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const sane = [
  "a",
  "req-1",
  "4bf92f3577b34da6a3ce929d0e0e4736",
  "0197a0de-0000-7000-8000-000000000000",
  "Root=1-67891233-abcdef012345678912345678",
  "a.b:c/d+e=f_g-h",
  "x".repeat(128)
]

const insane: ReadonlyArray<readonly [string, string | undefined]> = [
  ["none", undefined],
  ["an empty one", ""],
  ["129 characters", "x".repeat(129)],
  ["8,000 characters", "x".repeat(8_000)],
  ["a space", "a b"],
  ["a tab", "a\tb"],
  ["unicode", "schlüssel"],
  ["quotes", '"a"'],
  ["an encoded line break", "a%0d%0aset-cookie:x"],
  ["a list", "a,b"],
  ["markup", "<script>"],
  ["a formula", "%{7*7}"]
]

suite(TestServer.layer)("x-request-id", (it) => {
  for (const id of sane) {
    it.effect(`${id.slice(0, 40)}: echoed`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* exchange(server, "GET /healthz", [`X-Request-Id: ${id}`])
        expect(answer.headers.get("x-request-id")).toBe(id)
      })
    )
  }
  for (const [name, id] of insane) {
    it.effect(`${name}: a new one`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* exchange(
          server,
          "GET /healthz",
          id === undefined ? [] : [`X-Request-Id: ${id}`]
        )
        expect(answer.headers.get("x-request-id")).toMatch(uuid)
        expect(answer.headers.get("x-request-id")).not.toBe(id)
      })
    )
  }

  it.effect("two ids: a new one", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answer = yield* exchange(server, "GET /healthz", ["X-Request-Id: a", "X-Request-Id: b"])
      expect(answer.headers.get("x-request-id")).toMatch(uuid)
    })
  )

  it.effect("a smuggled line break never adds a header to the response", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (const smuggled of ["a\rSet-Cookie: x=1", "a\nSet-Cookie: x=1", "a\r\n Set-Cookie: x=1"]) {
        const answer = yield* exchange(server, "GET /healthz", [`X-Request-Id: ${smuggled}`])
        expect(answer.headers.has("set-cookie")).toBe(false)
      }
    })
  )

  it.effect("no two requests share one", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answers = yield* Effect.replicateEffect(exchange(server, "GET /healthz"), 50)
      expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(50)
    })
  )

  const carriesIt = (target: string) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answer = yield* exchange(server, target, ["X-Request-Id: every-answer"])
      expect(answer.headers.get("x-request-id")).toBe("every-answer")
    })
  it.effect("every route carries it", () =>
    onEach(routes, (route) => carriesIt(`${route.method} ${pathOf(route)}`))
  )
  for (const target of ["GET /nope", "DELETE /healthz", "OPTIONS /api/kyc/public/sessions/x/progress"]) {
    it.effect(`${target}: carries it`, () => carriesIt(target))
  }
})
