/** contract.md#unknown-paths: unknown paths and methods, by walking the contract. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import {
  type ContractRoute,
  errorOf,
  named,
  onEach,
  pathOf,
  routes,
  routesByPath
} from "../support/contract.ts"
import { exchange, open } from "../support/http/raw.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

/** All methods that Bun's parser accepts, except CONNECT, which has no path. */
const methods = [
  ...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"],
  ...["PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "SEARCH", "REPORT"]
]

const unknown = [
  "//",
  // There is none without a contact.
  "/.well-known/security.txt",
  "/api",
  "/api/nope",
  "/api/auth/signup/x",
  "/api/api-keys/revoke",
  "/api/kyc/public/sessions/x/y",
  "/API/API-KEYS",
  "/api%2Fapi-keys",
  "/%zz",
  `/${"x".repeat(8_000)}`
]

/** The first route of each path. */
const ofEachPath = [...routesByPath.values()].flatMap((ofPath) => ofPath.slice(0, 1))

suite(TestServer.layer)("routing", (it) => {
  for (const path of unknown) {
    it.effect(`${path.slice(0, 40)}: 404 Not found, whatever the method`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        for (const method of methods) {
          const answer = yield* exchange(server, `${method} ${path}`)
          expect([method, answer.status]).toEqual([method, 404])
          expect(answer.body).toBe(method === "HEAD" ? "" : '{"error":"Not found"}')
          expect(answer.headers.get("content-type")).toBe("application/json")
          expect(answer.headers.get("doorlock-error")).toBe("not-found")
          expect(answer.headers.has("allow")).toBe(false)
        }
      })
    )
  }

  /** Every method of `asked` that the route's path does not have. */
  const refuses = (route: ContractRoute, asked: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const ofPath = routesByPath.get(route.pattern) ?? []
      const allowed = ofPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).sort()
      for (const method of asked) {
        if (allowed.includes(method) || (method === "OPTIONS" && route.metadata.anyOrigin)) continue
        const { body, headers, status } = yield* exchange(server, `${method} ${pathOf(route)}`)
        expect([method, status, headers.get("allow"), headers.get("doorlock-error"), body]).toEqual([
          method,
          405,
          allowed.join(", "),
          "method-not-allowed",
          method === "HEAD" ? "" : JSON.stringify(errorOf(route, "Method not allowed"))
        ])
      }
    })

  it.effect("on every path, a method that it does not have: 405 Method not allowed, Allow", () =>
    onEach(ofEachPath, (route) =>
      refuses(route, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    )
  )

  it.effect("any other method: 405", () => refuses(named("POST /api/auth/login"), methods))

  it.effect("HEAD: the headers of GET and no body, on every route", () =>
    onEach(
      routes.filter(({ method }) => method === "GET"),
      (route) =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const path = pathOf(route)
          const lines = ["X-Request-Id: head-test"]
          const get = yield* exchange(server, `GET ${path}`, lines)
          const head = yield* exchange(server, `HEAD ${path}`, lines)
          // Metrics change between two requests.
          const passing = route.pattern === "/metrics" ? ["date", "content-length"] : ["date"]
          const lasting = ({ headers }: typeof get) =>
            [...headers].filter(([name]) => !passing.includes(name)).sort()
          expect(head.status).toBe(get.status)
          expect(head.body).toBe("")
          expect(lasting(head)).toEqual(lasting(get))
        })
    )
  )

  const inDisguise = [
    "/robots.txt",
    "/docs",
    "/dashboard",
    "/dashboard/keys",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json"
  ]
  const disguises: ReadonlyArray<readonly [what: string, disguise: (path: string) => string]> = [
    ["a parameter of its last segment", (path) => `${path};x`],
    ["a slash behind it", (path) => `${path}/`],
    ["an encoded slash behind it", (path) => `${path}%2F`],
    ["an encoded slash in front", (path) => `/%2F${path.slice(1)}`],
    ["two slashes in front", (path) => `/${path}`],
    [
      "an encoded letter",
      (path) => path.replace(/^\/(.)/, (_, letter) => `/%${letter.charCodeAt(0).toString(16)}`)
    ],
    ["a backslash behind it", (path) => `${path}%5C`],
    ["U+0000 behind it", (path) => `${path}%00`]
  ]
  // What is below the dashboard is its own to tell apart, and the same page; but its name has to be written out.
  const isBelowDashboard = (path: string) => path.startsWith("/dashboard/")
  // A redirect to the plain address: a proxy that blocks that one blocks it, too.
  const isRedirected = (path: string) => path === "/docs/"
  for (const [what, disguise] of disguises) {
    it.effect(`a path with ${what} is another path: 404 Not found`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        for (const path of inDisguise.map(disguise)) {
          if (isBelowDashboard(path) || isRedirected(path)) continue
          const answer = yield* exchange(server, `GET ${path}`)
          expect([path, answer.status, answer.body]).toEqual([path, 404, '{"error":"Not found"}'])
        }
      })
    )
  }

  it.effect("a path with an absolute URL or a query is that path", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (const target of ["http://elsewhere.test/healthz", "/healthz?a=%zz&b"]) {
        const answer = yield* exchange(server, `GET ${target}`)
        expect([target, answer.status, answer.body]).toEqual([target, 200, '{"ok":true}'])
      }
    })
  )

  it.scoped("the Host header never changes the path", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (const host of ["x/api/auth/me", "x?y", "x#y", "[::", "x:99999", "a b"]) {
        const connection = yield* open(server)
        connection.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
        const { body, status } = yield* connection.answer
        expect([host, status, body]).toEqual([host, 200, '{"ok":true}'])
      }
    })
  )
})
