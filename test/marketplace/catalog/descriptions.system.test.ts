/** The published OpenAPI descriptions: how they are served, and that they are valid. */

import { Worker } from "node:worker_threads"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { vi } from "vitest"
import { DocumentWorker } from "../../../src/marketplace/catalog/document-thread.ts"
import { checkStored } from "../../../src/marketplace/catalog/stored-documents.ts"
import { productionTimes } from "../../../src/shared/timing.ts"
import { lintOpenApi, validateOpenApi } from "../../contract/lint.ts"
import { field, send } from "../../support/client.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { documentThread } from "../../support/marketplace/document-threads.ts"
import {
  addVersion,
  marketplace,
  openapi,
  publish,
  publishedApi,
  publisherOn,
  type TestApi,
  type TestPublisher
} from "../../support/marketplace/publisher.ts"
import { execute } from "../../support/postgres.ts"
import { type RunningServer, startServer, startServerOn } from "../../support/server.ts"
import { steppedClock } from "../../support/stopped-clock.ts"
import { suite } from "../../support/suite.ts"
import { withTimersOn, withTimes } from "../../support/timing.ts"

const everything = `${marketplace}/openapi.json`
const of = ({ path }: TestApi) => `${path}/openapi.json`

const read = (server: RunningServer, path = everything) =>
  Effect.map(send(server, "GET", path), (answer) => {
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    return answer
  })

const pathsOf = (body: unknown) => Object.keys(Object(field(body, "paths")))
const tagsOf = (body: unknown) => Object(field(body, "tags")).map((tag: unknown) => field(tag, "name"))

/** The descriptions of the publisher's tags. */
const saidOf = (body: unknown, { slug }: TestPublisher): ReadonlyArray<unknown> =>
  Object(field(body, "tags")).flatMap(({ description, name }: { name: string; description?: string }) =>
    name.startsWith(`${slug}/`) ? [description] : []
  )

/** The program of a document thread, and a program that never finishes "endless". */
const good = new URL("../../../src/marketplace/catalog/document-thread-main.ts", import.meta.url)
const endless = new URL("../../support/marketplace/endless-thread.ts", import.meta.url)

/** Valid by two independent validators, which share no code with the generator. */
const isSound = (document: unknown) =>
  Effect.gen(function* () {
    const problems = yield* Effect.promise(() => lintOpenApi(Object(document)))
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([])
    const result = yield* Effect.promise(() => validateOpenApi(Object(document)))
    expect(result).toEqual({ valid: true })
  })

const ok = { 200: { description: "Good" } }

/** Two documents with the same names, one per version of the specification. */
const alike = (version: string) => ({
  openapi: version,
  info: { title: "Alike", version: "1" },
  servers: [{ url: "https://api.upstream.test/base/deep" }],
  security: [{ key: [] }],
  tags: [{ name: "users", externalDocs: { url: "https://api.upstream.test/docs" } }],
  paths: {
    "/users/{id}": {
      servers: [{ url: "https://api.upstream.test/elsewhere" }],
      parameters: [{ $ref: "#/components/parameters/id" }],
      get: {
        operationId: "getUser",
        summary: "Read at https://api.upstream.test/base/deep/users/1",
        tags: ["users"],
        security: [{ key: [] }],
        responses: {
          200: {
            description: "It is",
            content: { "application/json": { schema: { $ref: "#/components/schemas/User" } } },
            links: { self: { operationId: "getUser", parameters: { id: "$response.body#/id" } } }
          },
          404: { $ref: "#/components/responses/None" }
        }
      },
      put: {
        operationId: "putUser",
        summary: "Write",
        "x-internal-route": "https://internal.upstream.test",
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/User" } } } },
        responses: ok,
        callbacks: {
          told: { "{$request.body#/url}": { post: { operationId: "told", summary: "Told", responses: ok } } }
        }
      }
    }
  },
  components: {
    parameters: { id: { name: "id", in: "path", required: true, schema: { type: "string" } } },
    responses: { None: { description: "None", content: { "application/json": { schema: {} } } } },
    schemas: {
      User: {
        type: "object",
        required: ["kind"],
        properties: {
          id: { type: "string" },
          kind: { type: "string" },
          parent: { $ref: "#/components/schemas/User" }
        },
        discriminator: { propertyName: "kind" }
      },
      Admin: { allOf: [{ $ref: "#/components/schemas/User" }] }
    },
    securitySchemes: { key: { type: "apiKey", in: "query", name: "key" } }
  }
})

it.scopedLive(
  "of all APIs: valid 3.1 by two validators, gateway addresses, unique names, and no trace of an upstream",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const empty = yield* read(server)
      expect(empty.body).toStrictEqual({
        openapi: "3.1.1",
        info: {
          title: "Published APIs",
          version: "1",
          description: "Every API that is published here, as it is called through the gateway."
        },
        servers: [{ url: "http://doorlock.test/gateway" }],
        security: [{ "x-api-key": [] }],
        tags: [],
        paths: {},
        components: {
          schemas: expect.anything(),
          responses: expect.anything(),
          headers: expect.anything(),
          securitySchemes: {
            "x-api-key": { type: "apiKey", in: "header", name: "x-api-key", description: expect.anything() }
          }
        }
      })
      yield* isSound(empty.body)

      const zeta = yield* publisherOn(server, "zeta")
      const acme = yield* publisherOn(server, "acme")
      const old = yield* publishedApi(zeta, alike("3.0.3"), { slug: "users" })
      const both = yield* publishedApi(acme, alike("3.1.0"), { slug: "users", description: "People." })
      yield* addVersion(acme, both, { version: "2", openapi: alike("3.0.0") })
      const bare = yield* publishedApi(acme, undefined, { slug: "bare" })
      const draft = yield* acme.newApi({ slug: "draft" })
      yield* addVersion(acme, draft, { openapi: openapi({ "/hidden": {} }) })

      const { body, text } = yield* read(server)
      yield* isSound(body)
      expect(pathsOf(body)).toEqual([
        "/acme/users/v/2/deep/users/{id}",
        "/acme/users/v/1/deep/users/{id}",
        "/zeta/users/v/1/deep/users/{id}"
      ])
      expect(tagsOf(body)).toEqual([
        "acme/bare 1",
        "acme/users 2",
        "acme/users 2: users",
        "acme/users 1",
        "acme/users 1: users",
        "zeta/users 1",
        "zeta/users 1: users"
      ])
      expect(field(body, "servers")).toEqual([{ url: "http://doorlock.test/gateway" }])
      expect(text).not.toMatch(/upstream\.test|hidden|x-internal/)
      const operations = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id)
      // Three ids for each version, and each version's link to one of its ids.
      expect([operations.length, new Set(operations).size]).toEqual([12, 9])
      expect(field(body, "paths", "/acme/users/v/1/deep/users/{id}", "get", "responses", "429")).toEqual({
        $ref: "#/components/responses/GatewayTooManyRequests"
      })
      expect(
        Object.keys(Object(field(body, "components", "responses", "GatewayTooManyRequests", "headers")))
      ).toEqual(["doorlock-error", "Proxy-Status", "Retry-After", "RateLimit", "RateLimit-Policy"])
      expect(
        Object.keys(Object(field(body, "components", "responses", "GatewayUnauthorized", "headers")))
      ).toEqual(["doorlock-error", "Proxy-Status", "doorlock-reason"])

      for (const [api, title, description, paths] of [
        [both, "Test", "People.", 2],
        [old, "Test", undefined, 1],
        [bare, "Test", undefined, 0]
      ] as const) {
        const one = yield* read(server, of(api))
        yield* isSound(one.body)
        expect(field(one.body, "info")).toEqual({
          title,
          version: api === both ? "2" : "1",
          ...(description === undefined ? {} : { description })
        })
        expect(pathsOf(one.body)).toHaveLength(paths)
        expect(field(one.body, "servers")).toEqual([{ url: "http://doorlock.test/gateway" }])
        expect(one.text).not.toContain("upstream.test")
      }
    })
)

it.scopedLive("names and texts are processed once per change of an API, and a publisher's together", () =>
  Effect.gen(function* () {
    const jobs: Array<number> = []
    const server = yield* startServer().pipe(
      Effect.provideService(DocumentWorker, (purpose) => {
        const worker = new Worker(good)
        const post = worker.postMessage.bind(worker)
        worker.postMessage = (job: { readonly texts: ReadonlyArray<unknown> }) => {
          if (purpose === "words") jobs.push(job.texts.length)
          post(job)
        }
        return worker
      })
    )
    const made = (expected: ReadonlyArray<number>) => expect(jobs.splice(0)).toEqual(expected)
    const apis: Array<TestApi> = []
    const publisher = yield* publisherOn(server, "acme")
    for (const by of [publisher, yield* publisherOn(server, "zeta")]) {
      for (const slug of ["a", "b", "c"]) {
        const api = yield* publishedApi(by, undefined, { slug, description: "Words." })
        for (const version of ["2", "3", "4"]) yield* addVersion(by, api, { version })
        apis.push(api)
      }
    }
    const readAll = Effect.forEach([everything, ...apis.map(of)], (path) => read(server, path))
    yield* readAll
    // The name and the description of each API, however many versions it has.
    made([6, 6])
    const [changed] = apis
    if (changed === undefined) return yield* Effect.die("six APIs")
    yield* publisher.ask("PATCH", `/apis/${changed.id}`, { description: "Others." })
    yield* readAll
    made([2])
  })
)

it.scopedLive("an API that is no longer published is not described again, by any process", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const threads: Array<Worker> = []
    let program = endless
    const start = startServerOn(databaseUrl).pipe(
      Effect.provideService(DocumentWorker, () => {
        const started = new Worker(program)
        threads.push(started)
        return started
      }),
      withTimes({ timeouts: { "marketplace.description": 10 } })
    )
    const [first, second] = [yield* start, yield* start]
    const publisher = yield* publisherOn(first)
    const api = yield* publishedApi(publisher, undefined, { description: "Before." })
    yield* publishedApi(publisher, undefined, { slug: "other", description: "Before." })
    const paths = [everything, of(api)]
    for (const server of [first, second]) {
      for (const path of paths) expect((yield* read(server, path)).text).toContain("Before.")
    }
    // From now on no new description is finished before the threads are terminated. Until then the last one is served.
    yield* publisher.ask("PATCH", `/apis/${api.id}`, { description: "endless" })
    for (const path of paths) expect((yield* read(first, path)).text).toContain("Before.")
    yield* publisher.ask("POST", `/apis/${api.id}/unpublish`)
    program = good
    for (const thread of threads) void thread.terminate()
    const isGone = (server: RunningServer) =>
      Effect.gen(function* () {
        const own = yield* send(server, "GET", of(api))
        const all = yield* send(server, "GET", everything)
        return own.status === 404 && all.status === 200 && !all.text.includes(`/${api.slug} 1`)
      })
    expect(yield* isGone(first)).toBe(true)
    yield* eventually("the other process has forgotten it", isGone(second))
  })
)

it.scopedLive("servers[0].url: GATEWAY_PUBLIC_BASE_URL when it is set", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ GATEWAY_PUBLIC_BASE_URL: "https://gateway.test/public/" })
    expect(field((yield* read(server)).body, "servers")).toEqual([{ url: "https://gateway.test/public" }])
  })
)

it.scopedLive("another process learns of a change by itself", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const first = yield* startServerOn(databaseUrl)
    const second = yield* startServerOn(databaseUrl)
    const publisher = yield* publisherOn(first)
    const api = yield* publishedApi(publisher, alike("3.1.0"))
    const seen = (path: string, expected: number) =>
      eventually(
        `${expected} paths at ${path}`,
        Effect.map(send(second, "GET", path), ({ body, status }) =>
          status === 404 ? expected === 0 : pathsOf(body).length === expected
        )
      )
    const paths = [everything, of(api)]
    for (const path of paths) yield* seen(path, 1)
    yield* addVersion(publisher, api, { version: "2", openapi: alike("3.0.0") })
    for (const path of paths) yield* seen(path, 2)
    yield* publisher.ask("POST", `/apis/${api.id}/unpublish`)
    for (const path of paths) yield* seen(path, 0)
    yield* publish(publisher, api)
    for (const path of paths) yield* seen(path, 2)
  })
)

it.scopedLive(
  "the last description is served while a new one is built; a late part is omitted for a minute",
  () =>
    Effect.gen(function* () {
      const now = performance.now.bind(performance)
      const clock = steppedClock()
      const deadlineMillis = productionTimes.timeouts["marketplace.document"]
      let words = endless
      const server = yield* startServer().pipe(
        Effect.provideService(DocumentWorker, (purpose) =>
          purpose === "words" ? new Worker(words) : documentThread()
        ),
        withTimersOn(clock, ["marketplace.document"], { timeouts: { "marketplace.description": 10 } })
      )
      const publisher = yield* publisherOn(server)
      const api = yield* publishedApi(publisher, alike("3.1.0"), { description: "Before." })
      const said = Effect.map(read(server), ({ body }) => {
        expect(pathsOf(body)).toHaveLength(1)
        return Object(field(body, "tags", 0)).description
      })
      const becomes = (expected: string | undefined) =>
        eventually(
          `the description says ${expected}`,
          Effect.map(said, (description) => description === expected)
        )
      expect(yield* said).toBe("Before.")
      yield* publisher.ask("PATCH", `/apis/${api.id}`, { description: "endless" })
      expect(yield* said).toBe("Before.")
      words = good
      yield* clock.sleepsUntil(deadlineMillis)
      yield* clock.pass(deadlineMillis)
      yield* becomes(undefined)
      expect(yield* said).toBe(undefined)
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000)),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      yield* becomes("endless")
    })
)

it.scopedLive(
  "versions beyond 4 MiB of a publisher or 16 MiB in all are listed as omitted; earlier publishers are not displaced",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const early = yield* publishedApi(yield* publisherOn(server, "zz-early"), alike("3.1.0"), { slug: "a" })
      const document = JSON.stringify(openapi({ "/x": { description: "d".repeat(1_000_000) } }))
      const crowds: Array<TestApi> = []
      for (const slug of ["crowd-0", "crowd-1", "crowd-2", "crowd-3", "crowd-4"]) {
        const crowd = yield* publishedApi(yield* publisherOn(server, slug), undefined, { slug: "a" })
        yield* execute(
          server.databaseUrl,
          `with added as (
             insert into api_versions (id, api_id, version, upstream_url, timeout_seconds, openapi, created_at)
             select gen_random_uuid(), $1, 'v' || n, 'https://x.test', 30, $2::json, now() + n * interval '1 second'
             from generate_series(1, 6) as n returning id
           )
           insert into api_version_fragments (version_id, revision) select id, 0 from added`,
          [crowd.id, document]
        )
        crowds.push(crowd)
      }
      yield* checkStored.pipe(Effect.provide(server.services))
      const { body, text } = yield* read(server)
      // The newest four of each publisher. None of the fifth publisher's: that version would be the seventeenth.
      expect(pathsOf(body).filter((path) => path.startsWith("/crowd"))).toEqual(
        [0, 1, 2, 3].flatMap((crowd) => [6, 5, 4, 3].map((version) => `/crowd-${crowd}/a/v/v${version}/x`))
      )
      expect(pathsOf(body)).toContain("/zz-early/a/v/1/deep/users/{id}")
      expect(text.length).toBeLessThan(17_000_000)
      // The version without a document is small.
      expect(tagsOf(body)).toHaveLength(2 + 4 * 5 + 1)
      const left = (crowd: number, versions: ReadonlyArray<string>) => ({
        api: `crowd-${crowd}/a`,
        reason: "too large",
        versions,
        openapi: `${crowds[crowd]?.path}/openapi.json`
      })
      expect(field(body, "x-doorlock-omitted")).toEqual({
        total: 5,
        apis: [
          ...[0, 1, 2, 3].map((crowd) => left(crowd, ["v2", "v1"])),
          left(4, ["v6", "v5", "v4", "v3", "v2", "v1"])
        ]
      })
      yield* isSound(body)
      const [, , , , last] = crowds
      if (last === undefined) return yield* Effect.die("five crowds")
      const own = yield* read(server, of(last))
      expect(pathsOf(own.body)).toHaveLength(4)
      expect(field(own.body, "x-doorlock-omitted")).toEqual({ total: 1, apis: [left(4, ["v2", "v1"])] })
      const whole = yield* read(server, of(early))
      expect(pathsOf(whole.body)).toHaveLength(1)
      expect(whole.body).not.toHaveProperty("x-doorlock-omitted")
    })
)

class Described extends Context.Tag("Described")<Described, RunningServer>() {
  static readonly layer = Layer.scoped(Described, Effect.orDie(startServer()))
}

suite(Described.layer)("several publishers", (it) => {
  it.scoped("an upstream in the name or texts of an API does not appear in the description", () =>
    Effect.gen(function* () {
      const server = yield* Described
      const publisher = yield* publisherOn(server)
      const api = yield* publishedApi(publisher, undefined, {
        name: "api.upstream.test",
        description: "From https://api.upstream.test/base/x"
      })
      const one = yield* read(server, of(api))
      expect(field(one.body, "info")).toEqual({
        title: "upstream.invalid",
        version: "1",
        description: `From /${publisher.slug}/${api.slug}/v/1/x`
      })
      expect(`${one.text}${(yield* read(server)).text}`).not.toContain("upstream.test")
      // Another version's tag mentions this upstream, too.
      yield* addVersion(publisher, api, { version: "2", upstreamUrl: "https://other.example/2" })
      yield* publisher.ask("PATCH", `/apis/${api.id}`, {
        description: "https://api.upstream.test/base/x, https://other.example/2/x"
      })
      const words = `/${publisher.slug}/${api.slug}/v/1/x, /${publisher.slug}/${api.slug}/v/2/x`
      expect(saidOf((yield* read(server)).body, publisher)).toEqual([words, words])
    })
  )

  it.scoped(
    "ETag: the same bytes until something changes, 304 for a client that has them; the order does not depend on time",
    () =>
      Effect.gen(function* () {
        const server = yield* Described
        const acme = yield* publisherOn(server, "etag-acme")
        const zeta = yield* publisherOn(server, "etag-zeta")
        const api = yield* publishedApi(zeta, alike("3.1.0"), { slug: "b" })
        yield* publishedApi(acme, alike("3.1.0"), { slug: "b" })
        yield* publishedApi(acme, alike("3.1.0"), { slug: "a" })
        for (const path of [everything, of(api)]) {
          const before = yield* read(server, path)
          const etag = before.headers.get("etag") ?? ""
          expect(etag).toMatch(/^"[^"]+"$/)
          expect(before.headers.get("cache-control")).toBe("no-cache")
          for (const [given, status] of [
            [etag, 304],
            [`"x", W/${etag}`, 304],
            ['"x"', 200]
          ] as const) {
            const again = yield* send(server, "GET", path, { headers: { "if-none-match": given } })
            expect([given, again.status, again.text, again.headers.get("etag")]).toEqual([
              given,
              status,
              status === 304 ? "" : before.text,
              etag
            ])
          }
          // Published again, it is the newest, yet keeps its place in the description.
          yield* zeta.ask("POST", `/apis/${api.id}/unpublish`)
          expect((yield* send(server, "GET", path)).text).not.toBe(before.text)
          yield* publish(zeta, api)
          expect((yield* read(server, path)).text).toBe(before.text)
          yield* addVersion(zeta, api, { version: path === everything ? "2" : "3" })
          const after = yield* read(server, path)
          expect(after.headers.get("etag")).not.toBe(etag)
        }
        const paths = pathsOf((yield* read(server)).body)
        expect(paths.filter((path) => path.startsWith("/etag-"))).toEqual([
          "/etag-acme/a/v/1/deep/users/{id}",
          "/etag-acme/b/v/1/deep/users/{id}",
          "/etag-zeta/b/v/1/deep/users/{id}"
        ])
      })
  )

  it.scoped("only texts that take too many steps are omitted", () =>
    Effect.gen(function* () {
      const server = yield* Described
      const publisher = yield* publisherOn(server)
      yield* publishedApi(publisher, undefined, { slug: "a", description: "Words." })
      // Forty versions on one host, with base URLs that begin alike.
      const base = "//a.b".repeat(390)
      const api = yield* publisher.newApi({ slug: "b", description: "//a.b".repeat(2_000) })
      for (let n = 0; n < 40; n++) {
        yield* addVersion(publisher, api, { version: `${n}`, upstreamUrl: `https://a.b${base}/${n}x` })
      }
      yield* publish(publisher, api)
      const one = yield* read(server, of(api))
      expect(field(one.body, "info")).toEqual({ title: "Test", version: "39" })
      expect(one.text).not.toContain("a.b")
      const all = yield* read(server)
      expect(all.text).not.toContain("a.b")
      expect(saidOf(all.body, publisher)[0]).toBe("Words.")
    })
  )
})
