import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { type Answer, createInstance, createKey, field, send, signUp } from "../support/client.ts"
import { withoutDatabase, withoutTable } from "../support/database/outage.ts"
import { eventually } from "../support/eventually.ts"
import { type RunningServer, startServer } from "../support/server.ts"

const summary = ({ body, status }: Answer) => [status, body]

interface Route {
  readonly method: string
  readonly path: string
  readonly json?: object
  /** The row of the route's 500, and the status when all is well. */
  readonly error: string
  readonly well: number
}

const keyRoutes = (id: string): ReadonlyArray<Route> => [
  { method: "GET", path: "/api/api-keys", error: "Failed to list API keys", well: 200 },
  {
    method: "POST",
    path: "/api/api-keys",
    json: { name: "n" },
    error: "Failed to create API key",
    well: 201
  },
  { method: "GET", path: "/api/api-keys/stats", error: "Failed to load API key stats", well: 200 },
  { method: "POST", path: `/api/api-keys/${id}/revoke`, error: "Failed to revoke key", well: 200 }
]

const request = (server: RunningServer, cookie: string, { json, method, path }: Route) =>
  send(server, method, path, { headers: { cookie }, ...(json === undefined ? {} : { json }) })

const company = (server: RunningServer) =>
  Effect.gen(function* () {
    const member = yield* signUp(server)
    return { member, key: yield* createKey(server, member), instance: yield* createInstance(server, member) }
  })

describe("Server errors (contract.md#database-failures)", () => {
  it.scopedLive("the keys table fails: each route's own 500, then recovery", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { key, member } = yield* company(server)
      const routes = keyRoutes(key.id)
      for (const route of routes) {
        const answer = yield* withoutTable(server, "api_keys", request(server, member.cookie, route))
        expect(summary(answer), route.path).toStrictEqual([500, { error: route.error }])
        const retried = yield* request(server, member.cookie, route)
        expect(retried.status, route.path).toBe(route.well)
      }
      const { body } = yield* send(server, "GET", "/api/api-keys/stats", {
        headers: { cookie: member.cookie }
      })
      // Nothing was half-written: the key of the beginning, revoked, and the one of the second try.
      expect(body).toStrictEqual({ stats: { total: 2, active: 1, revoked_or_disabled: 1, used_last_24h: 0 } })
    })
  )

  it.scopedLive("no database: each route's own 500, also with a cached key, and automatic recovery", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { instance, key, member } = yield* company(server)
      const create = send(server, "POST", "/api/kyc/public/sessions", {
        headers: { "x-api-key": key.token },
        json: { instanceId: instance.id }
      })
      expect((yield* create).status).toBe(201)
      const asked = [
        ...keyRoutes(key.id).map((route) => ({ ...route, ask: request(server, member.cookie, route) })),
        { path: "sessions", error: "Failed to create session", well: 201, ask: create }
      ]
      yield* withoutDatabase(
        server,
        Effect.gen(function* () {
          for (const { ask, error, path } of asked) {
            expect(summary(yield* ask), path).toStrictEqual([500, { error }])
          }
          for (const { method, path } of keyRoutes(key.id)) {
            const answer = yield* send(server, method, path)
            expect(summary(answer), path).toStrictEqual([401, { error: "Unauthorized" }])
          }
        })
      )
      yield* Effect.forEach([...asked].reverse(), ({ ask, path, well }) =>
        eventually(
          `${path} works again`,
          Effect.map(ask, ({ status }) => status === well)
        )
      )
    })
  )
})

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
