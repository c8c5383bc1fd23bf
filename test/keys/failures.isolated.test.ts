import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { type Answer, field, send, signUp } from "../support/client.ts"
import { startServer } from "../support/server.ts"

const summary = ({ body, status }: Answer) => [status, body]

describe("POST /api/api-keys (contract.md#platform-api-keys)", () => {
  it.scopedLive("409 Please retry (key collision), and a retry succeeds", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const member = yield* signUp(server)
      const create = send(server, "POST", "/api/api-keys", {
        headers: { cookie: member.cookie },
        json: { name: "n" }
      })
      // The random source repeats itself, as it will once in many times the age of the universe.
      const repeating = Effect.acquireRelease(
        Effect.sync(() =>
          vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
            if (array instanceof Uint8Array) array.fill(7)
            return array
          })
        ),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const [first, second] = yield* Effect.scoped(Effect.zipRight(repeating, Effect.zip(create, create)))
      expect(first.status).toBe(201)
      expect(summary(second)).toStrictEqual([409, { error: "Please retry (key collision)" }])
      expect((yield* create).status).toBe(201)
      const { body } = yield* send(server, "GET", "/api/api-keys", { headers: { cookie: member.cookie } })
      expect(field(body, "apiKeys", "length")).toBe(2)
    })
  )
})
