/** The published OpenAPI descriptions: how they are served, and that they are valid. */

import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../../src/shared/schemas.ts"
import { lintOpenApi, type OpenApiProblem, validateOpenApi } from "../../contract/lint.ts"
import { field, send } from "../../support/client.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import {
  addVersion,
  marketplace,
  openapi,
  publish,
  publishedApi,
  publisherOn,
  type TestApi
} from "../../support/marketplace/publisher.ts"
import { execute } from "../../support/postgres.ts"
import { type RunningServer, startServer, startServerOn } from "../../support/server.ts"

const everything = `${marketplace}/openapi.json`
const of = ({ path }: TestApi) => `${path}/openapi.json`

const read = (server: RunningServer, path = everything) =>
  Effect.map(send(server, "GET", path), (answer) => {
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    return answer
  })

const pathsOf = (body: unknown) => Object.keys(Object(field(body, "paths")))
const tagsOf = (body: unknown) => Object(field(body, "tags")).map((tag: unknown) => field(tag, "name"))

/** Valid by two independent validators, which share no code with the generator. */
const isSound = (document: unknown) =>
  Effect.gen(function* () {
    const problems = yield* Effect.promise(() => lintOpenApi(Object(document)))
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([])
    const result = yield* Effect.promise(() => validateOpenApi(Object(document)))
    expect(result).toEqual({ valid: true })
  })

/** Two documents with the same names, one per version of the specification. */
const alike = (version: string) => ({
  openapi: version,
  info: { title: "Alike", version: "1" },
  servers: [{ url: "https://api.upstream.test/base/deep" }],
  tags: [{ name: "users" }],
  paths: {
    "/users/{id}": {
      parameters: [{ $ref: "#/components/parameters/id" }],
      get: {
        operationId: "getUser",
        summary: "Read",
        tags: ["users"],
        responses: {
          200: {
            description: "It is",
            content: { "application/json": { schema: { $ref: "#/components/schemas/User" } } }
          }
        }
      }
    }
  },
  components: {
    parameters: { id: { name: "id", in: "path", required: true, schema: { type: "string" } } },
    schemas: { User: { type: "object", properties: { parent: { $ref: "#/components/schemas/User" } } } }
  }
})

it.scopedLive("of all APIs: valid 3.1 by two validators, gateway addresses and unique names", () =>
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
    expect(text).not.toMatch(/upstream\.test|hidden/)
    const operations = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id)
    expect([operations.length, new Set(operations).size]).toEqual([3, 3])
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
  "versions beyond 4 MiB of a publisher or 16 MiB in all are listed as omitted; earlier publishers are not displaced",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const early = yield* publishedApi(yield* publisherOn(server, "zz-early"), alike("3.1.0"), { slug: "a" })
      const crowds: Array<TestApi> = []
      for (const slug of ["crowd-0", "crowd-1", "crowd-2", "crowd-3", "crowd-4"]) {
        const crowd = yield* publishedApi(yield* publisherOn(server, slug), undefined, { slug: "a" })
        yield* execute(
          server.databaseUrl,
          `insert into api_versions (id, api_id, version, upstream_url, timeout_seconds, openapi, exported, exported_lengths, created_at)
           select gen_random_uuid(), $1, 'v' || n, 'https://x.test', 30, '{}', tags || paths,
             array[octet_length(tags), octet_length(paths)], now() + n * interval '1 second'
           from generate_series(1, 6) as n, lateral (select '{"name":"é"}' as tags,
             format('"/%s/a/v/v%s/x":{"description":"%s"}', $2::text, n, repeat('d', 1000000)) as paths) as sections`,
          [crowd.id, slug]
        )
        crowds.push(crowd)
      }
      const { body, text } = yield* read(server)
      // The newest four of each publisher. None of the fifth publisher's: that version would be the seventeenth.
      expect(pathsOf(body).filter((path) => path.startsWith("/crowd"))).toEqual(
        [0, 1, 2, 3].flatMap((crowd) => [6, 5, 4, 3].map((version) => `/crowd-${crowd}/a/v/v${version}/x`))
      )
      expect(pathsOf(body)).toContain("/zz-early/a/v/1/deep/users/{id}")
      expect(text.length).toBeLessThan(17_000_000)
      // The version without a document is small.
      expect(tagsOf(body)).toHaveLength(2 + 4 * (4 + 5) + 1)
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

it.scopedLive(
  "ETag: the same bytes until something changes, 304 for a client that has them; the order does not depend on time",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const acme = yield* publisherOn(server)
      const zeta = yield* publisherOn(server)
      const api = yield* publishedApi(zeta, alike("3.1.0"))
      yield* publishedApi(acme, alike("3.1.0"))
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
    })
)

/** Valid by the specification alone: the style of a document is up to its publisher. */
const isValid = async (document: object) => {
  const problems = await lintOpenApi(document, "spec")
  // Redocly refuses three things that the specification permits: extensions named like its own with other content, and in a
  // 3.1 schema, an unknown keyword (JSON Schema 2020-12, section 6.5) and a boolean schema (section 4.3.2).
  const isAllowed = ({ at, message }: OpenApiProblem) =>
    at.includes("/x-") ||
    message === "Property `nullable` is not expected here." ||
    message === "Expected type `Schema` (object) but got `boolean`"
  const errors = problems.filter((problem) => problem.severity === "error" && !isAllowed(problem))
  expect(errors.slice(0, 5)).toEqual([])
  expect(await validateOpenApi(document)).toEqual({ valid: true })
}

const require = createRequire(import.meta.url)
const examples = dirname(require.resolve("@readme/oas-examples/package.json"))

/** Documents from packages, each at most 1 MiB: hand-written examples, and the descriptions of real services. */
const realDocuments = async (): Promise<ReadonlyArray<readonly [string, JsonObject]>> => {
  const files = [
    ...[...new Bun.Glob("3.*/json/**/*.json").scanSync(examples)].map((file) => join(examples, file)),
    require.resolve("@ideal-postcodes/openapi/dist/openapi.json"),
    require.resolve("rclone-openapi/openapi.json")
  ]
  return Promise.all(files.toSorted().map(async (file) => [file, await Bun.file(file).json()] as const))
}

/** These break the specification: `exclusiveMaximum: true` in 3.1, and no responses. */
const bad = [
  "3.0/json/openapi-workshop/post.json",
  "3.1/json/schema-validation-local.json",
  "3.1/json/schema-validation-top-level.json"
].map((file) => join(examples, file))

it.scopedLive(
  "of sixty real-world documents, published one after the other: valid",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      // Each publisher may store only 4 MiB, so the test needs several.
      const publishers = yield* Effect.forEach(["one", "two", "three"], (slug) => publisherOn(server, slug))
      const refused: Array<string> = []
      let published = 0
      for (const [index, [file, openapi]] of (yield* Effect.promise(realDocuments)).entries()) {
        const publisher = publishers[index % publishers.length]
        if (publisher === undefined) return yield* Effect.die("three publishers")
        const api = yield* publisher.newApi({ slug: `api-${index}` })
        if (bad.includes(file)) {
          const version = { version: "1", upstreamUrl: "https://api.upstream.test", openapi }
          const { status } = yield* publisher.ask("POST", `/apis/${api.id}/versions`, version)
          if (status === 400) refused.push(file)
          continue
        }
        yield* addVersion(publisher, api, { openapi })
        yield* publish(publisher, api)
        published++
      }
      expect(refused).toEqual(bad)
      expect(published).toBeGreaterThanOrEqual(60)
      const { body, status } = yield* send(server, "GET", `${marketplace}/openapi.json`)
      expect([status, Object(body)["x-doorlock-omitted"]]).toEqual([200, undefined])
      expect(
        new Set(Object(field(body, "tags")).map(({ name }: { name: string }) => name.split(" ")[0])).size
      ).toBe(published)
      yield* Effect.promise(() => isValid(Object(body)))
    }),
  300_000
)
