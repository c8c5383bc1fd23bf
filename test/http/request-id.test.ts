/** contract.md#request-id: the caller's when it is a sane value, else a new one; on every answer. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onEach, pathOf, routes } from "../support/contract.ts"
import { exchange } from "../support/http/raw.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const sane = ["a", "Root=1-67891233-abcdef012345678912345678", "a.b:c/d+e=f_g-h", "x".repeat(128)]

/** None, one that is none, and two. */
const insane: ReadonlyArray<ReadonlyArray<string>> = [
  [],
  ...["", "x".repeat(129), "a b", "schlüssel", "a%0d%0aset-cookie:x", "a,b", "<script>"].map((id) => [id]),
  ["a", "b"]
]

suite(TestServer.layer)("x-request-id", (it) => {
  const answered = (ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const lines = ids.map((id) => `X-Request-Id: ${id}`)
      const { headers } = yield* exchange(yield* TestServer, "GET /healthz", lines)
      return headers.get("x-request-id")
    })

  it.effect("is the caller's if it is sane, and else a new one", () =>
    Effect.gen(function* () {
      for (const id of sane) expect(yield* answered([id])).toBe(id)
      for (const ids of insane)
        expect([ids, yield* answered(ids)]).toEqual([ids, expect.stringMatching(uuid)])
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

  const carriesIt = (target: string) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      // Another one each time: some answers are made once for many requests.
      const id = crypto.randomUUID()
      const answer = yield* exchange(server, target, [`X-Request-Id: ${id}`])
      expect(answer.headers.get("x-request-id")).toBe(id)
    })
  it.effect("every route carries it", () =>
    onEach(routes, (route) => carriesIt(`${route.method} ${pathOf(route)}`))
  )
  for (const target of ["GET /nope", "DELETE /healthz", "OPTIONS /api/kyc/public/sessions/x/progress"]) {
    it.effect(`${target}: carries it`, () => carriesIt(target))
  }
})
