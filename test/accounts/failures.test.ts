import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, send, signUp } from "../support/client.ts"
import { withoutDatabase, withoutTable } from "../support/database/outage.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer } from "../support/server.ts"

const summary = ({ body, status }: Answer) => [status, body]

/** Each route with its own 500, and its status when all is well. */
const routes = (server: RunningServer) =>
  Effect.map(signUp(server), ({ cookie, email, password }) => {
    const newUser = { companyName: "Acme", email: `user-${crypto.randomUUID()}@example.com`, password }
    return (
      [
        ["POST", "signup", { json: newUser }, "Failed to sign up", 201],
        ["POST", "login", { json: { email, password } }, "Failed to sign in", 200],
        ["GET", "me", { headers: { cookie } }, "Failed to load the account", 200],
        ["POST", "logout", { headers: { cookie } }, "Failed to sign out", 200]
      ] as const
    ).map(([method, route, options, error, well]) => ({
      route,
      request: send(server, method, `/api/auth/${route}`, options),
      error,
      well
    }))
  })

describe("Database unreachable or failing (contract.md#database-failures)", () => {
  it.scopedLive("each route's own 500, nothing half-written, and automatic recovery", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const all = yield* routes(server)
      const counts = execute(
        server.databaseUrl,
        "select (select count(*)::int from companies) as companies, (select count(*)::int from users) as users"
      )
      const before = yield* counts
      for (const { error, request, route } of all) {
        const answer = yield* withoutTable(server, "dashboard_sessions", request)
        expect(summary(answer), route).toStrictEqual([500, { error }])
      }
      expect(yield* counts).toStrictEqual(before)
      yield* withoutDatabase(
        server,
        Effect.gen(function* () {
          for (const { error, request, route } of all) {
            const answer = yield* request
            expect(summary(answer), route).toStrictEqual([500, { error }])
            expect(answer.headers.getSetCookie(), route).toStrictEqual([])
          }
        })
      )
      for (const { request, route, well } of all) {
        yield* eventually(
          `${route} works again`,
          Effect.map(request, ({ status }) => status === well)
        )
      }
    })
  )
})
