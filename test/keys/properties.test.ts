import { expect, it } from "@effect/vitest"
import { Effect, Runtime } from "effect"
import * as fc from "fast-check"
import { send, signUp } from "../support/client.ts"
import { startServer } from "../support/server.ts"

const value = fc.oneof(
  fc.jsonValue({ depthSize: "small" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "\u0000",
    "\ud800",
    "2024-02-30",
    "0000-01-01",
    "9999-12-31T23:59:59-23:59",
    "a@b",
    "p".repeat(2_000)
  )
)
const date = fc.stringMatching(
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d)(T([01]\d|2[0-3]):[0-5]\d([+-]\d\d:?[0-5]\d|Z)?)?$/
)
const maybe = <A>(given: fc.Arbitrary<A>) => fc.option(given, { nil: undefined })

const requests = fc.oneof(
  fc.record({
    path: fc.constant("/api/api-keys"),
    json: fc.record({
      name: maybe(fc.oneof(value, fc.string({ minLength: 1 }))),
      scopes: maybe(fc.oneof(value, fc.array(fc.oneof(fc.string({ unit: "binary" }), value)))),
      expiresAt: maybe(fc.oneof(value, date))
    })
  }),
  fc.record({
    path: fc.constant("/api/auth/signup"),
    // Without a good password: what would be accepted takes a hash of 19 MiB each time.
    json: fc.record({
      companyName: maybe(value),
      email: maybe(value),
      password: fc.constantFrom("", "short", null)
    })
  }),
  fc.record({
    path: fc.constant("/api/auth/login"),
    json: fc.record({ email: maybe(value), password: fc.constantFrom("", null, 1, "wrong") })
  }),
  fc.record({
    path: fc
      .string({ unit: "binary" })
      .map((id) => `/api/api-keys/${encodeURIComponent(id.toWellFormed())}/revoke`),
    json: fc.dictionary(fc.string(), value)
  })
)

it.scopedLive(
  "issue 2: whatever bodies and ids the routes are given, none answers 5xx",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { cookie } = yield* signUp(server)
      const run = Runtime.runPromise(yield* Effect.runtime())
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(requests, async ({ json, path }) => {
            const answer = await run(send(server, "POST", path, { headers: { cookie }, json }))
            expect(answer.status, answer.text).toBeLessThan(500)
            expect(answer.body).toBeTypeOf("object")
          }),
          { numRuns: 2_000 }
        )
      )
    }),
  120_000
)
