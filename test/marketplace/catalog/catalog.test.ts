/** The public routes of the catalog: every row, over HTTP. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, text } from "../../support/client.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { refusal, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import {
  addPlan,
  addVersion,
  marketplace,
  publish,
  publishedApi,
  publisherOn
} from "../../support/marketplace/publisher.ts"
import { type RunningServer, startServer, startServerOn, TestServer } from "../../support/server.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const path = `${marketplace}/apis`

it.scopedLive("GET /apis: the published APIs in pages, the latest publication first", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const page = (query = "") => send(server, "GET", path + query)
    expect(statusAndBody(yield* page())).toStrictEqual({
      status: 200,
      body: { apis: [], total: 0, limit: 20, offset: 0 }
    })
    const acme = yield* publisherOn(server, "acme")
    const other = yield* publisherOn(server, "other")
    yield* acme.newApi()
    const first = yield* publishedApi(acme, undefined, { slug: "first", description: "The first." })
    const second = yield* publishedApi(other, undefined, { description: "Long. ".repeat(500) })
    const third = yield* publishedApi(acme)
    const ids = (query = "") =>
      Effect.map(page(query), ({ body }) => {
        const apis = field(body, "apis")
        return Array.isArray(apis) ? apis.map((api) => field(api, "id")) : apis
      })
    expect(yield* ids()).toEqual([third.id, second.id, first.id])
    expect(yield* ids("?limit=2")).toEqual([third.id, second.id])
    expect(yield* ids("?limit=2&offset=1")).toEqual([second.id, first.id])
    expect(statusAndBody(yield* page("?limit=1&offset=2"))).toStrictEqual({
      status: 200,
      body: {
        apis: [
          {
            id: first.id,
            publisher_slug: "acme",
            slug: "first",
            name: "Test",
            description: "The first.",
            versions: [{ id: anId, version: "1", created_at: anInstant }],
            plans: []
          }
        ],
        total: 3,
        limit: 1,
        offset: 2
      }
    })
    for (const offset of ["3", "9007199254740991"]) {
      expect(statusAndBody(yield* page(`?limit=100&offset=${offset}`))).toStrictEqual({
        status: 200,
        body: { apis: [], total: 3, limit: 100, offset: Number(offset) }
      })
    }
    // An API that is unpublished and published again comes first. Publishing a published one changes nothing.
    yield* acme.ask("POST", `/apis/${first.id}/unpublish`)
    expect(yield* ids()).toEqual([third.id, second.id])
    yield* publish(acme, first)
    yield* publish(acme, third)
    expect(yield* ids()).toEqual([first.id, third.id, second.id])
  })
)

suite(TestServer.layer)("catalog", (it) => {
  it.effect("GET /apis 400: limit, offset", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (const bad of ["0", "101", "1.5", "x", "", "0x10", "1&limit=2"]) {
        expect(statusAndBody(yield* send(server, "GET", `${path}?limit=${bad}`)), bad).toStrictEqual(
          refusal(400, "limit must be a whole number from 1 to 100")
        )
      }
      for (const bad of ["-1", "1.5", "x", "9007199254740993"]) {
        expect(statusAndBody(yield* send(server, "GET", `${path}?offset=${bad}`)), bad).toStrictEqual(
          refusal(400, "offset must be a whole number of 0 or more")
        )
      }
    })
  )

  it.effect(
    "GET /apis/:apiId: 200 as in the list; 404 for an unknown id, one that is not a UUID, and a draft",
    () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const publisher = yield* publisherOn(server)
        const draft = yield* publisher.newApi()
        const api = yield* publishedApi(publisher)
        const listed = yield* send(server, "GET", `${path}?limit=1`)
        const expected = { status: 200, body: { api: field(listed.body, "apis", 0) } }
        expect(text(expected.body.api, "id")).toBe(api.id)
        expect(statusAndBody(yield* send(server, "GET", api.path))).toStrictEqual(expected)
        expect(statusAndBody(yield* send(server, "GET", `${path}/${api.id.toUpperCase()}`))).toStrictEqual(
          expected
        )
        for (const id of [unknownId, "x", "%zz", draft.id]) {
          expect(statusAndBody(yield* send(server, "GET", `${path}/${id}`))).toStrictEqual(
            refusal(404, "API not found")
          )
          expect(statusAndBody(yield* send(server, "GET", `${path}/${id}/openapi.json`))).toStrictEqual(
            refusal(404, "API not found")
          )
        }
      })
  )
})

it.scopedLive(
  "a page of the list is cached until the catalog changes, and then rebuilt: at once in the process that made the change, soon in others",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const own = yield* startServerOn(databaseUrl)
      const other = yield* startServerOn(databaseUrl)
      const publisher = yield* publisherOn(own)
      const api = yield* publishedApi(publisher)
      const listed = (server: RunningServer) =>
        Effect.map(send(server, "GET", path), ({ body }) => field(body, "apis"))
      const changes: ReadonlyArray<readonly [Effect.Effect<unknown>, unknown]> = [
        [publisher.ask("PATCH", `/apis/${api.id}`, { name: "Other" }), [{ name: "Other" }]],
        [addPlan(publisher, api, { name: "Plan" }), [{ plans: [{ name: "Plan" }] }]],
        [addVersion(publisher, api, { version: "2" }), [{ versions: [{ version: "2" }, { version: "1" }] }]],
        [publisher.ask("POST", `/apis/${api.id}/unpublish`), []],
        [publish(publisher, api), [{ id: api.id }]]
      ]
      for (const [change, expected] of changes) {
        yield* listed(own)
        yield* listed(other)
        yield* change
        expect(yield* listed(own)).toMatchObject(Object(expected))
        yield* eventually(
          "the other process learns of it",
          Effect.map(Effect.all([listed(own), listed(other)]), ([one, two]) => Bun.deepEquals(one, two))
        )
      }
    })
)
