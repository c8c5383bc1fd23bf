/** The marketplace's 500 rows. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { withoutDatabase, withoutTable } from "../../support/database/outage.ts"
import { eventually } from "../../support/eventually.ts"
import { refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { freshSlug, publishedApi, publisherOn, upstreamUrl } from "../../support/marketplace/publisher.ts"
import { startServer } from "../../support/server.ts"

const routes = (id: string) =>
  [
    ["GET", "/apis", undefined, "Failed to list APIs"],
    ["GET", "/openapi.json", undefined, "Failed to describe APIs"],
    ["GET", `/apis/${id}`, undefined, "Failed to get API"],
    ["GET", `/apis/${id}/openapi.json`, undefined, "Failed to describe API"],
    ["GET", "/publisher/apis", undefined, "Failed to list APIs"],
    ["POST", "/apis", { slug: freshSlug(), name: "x" }, "Failed to create API"],
    ["POST", `/apis/${id}/versions`, { version: "9", upstreamUrl }, "Failed to create version"],
    ["PATCH", `/apis/${id}`, { name: "x" }, "Failed to change API"],
    ["POST", `/apis/${id}/plans`, { name: "x" }, "Failed to create plan"],
    ["POST", `/apis/${id}/publish`, {}, "Failed to publish API"],
    ["POST", `/apis/${id}/unpublish`, {}, "Failed to unpublish API"]
  ] as const

it.scopedLive("a table fails: each route's own 500, then recovery", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const publisher = yield* publisherOn(server)
    const { id } = yield* publishedApi(publisher)
    for (const [method, path, json, message] of routes(id)) {
      const failed = yield* withoutTable(server, "apis", publisher.ask(method, path, json))
      expect(statusAndBody(failed), path).toStrictEqual(refusal(500, message))
      expect((yield* publisher.ask(method, path, json)).status, path).toBeLessThan(300)
    }
    for (const [method, path, json, message] of [
      ["GET", "/publisher", undefined, "Failed to get publisher"],
      ["POST", "/publishers", { slug: "x", name: "x" }, "Failed to create publisher"]
    ] as const) {
      const failed = yield* withoutTable(server, "publishers", publisher.ask(method, path, json))
      expect(statusAndBody(failed), path).toStrictEqual(refusal(500, message))
    }
    expect((yield* publisher.ask("GET", "/publisher")).status).toBe(200)
  })
)

it.scopedLive("the database is down: cached descriptions are not served, and return with it", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const publisher = yield* publisherOn(server)
    const api = yield* publishedApi(publisher)
    const ask = publisher.ask("GET", `/apis/${api.id}/openapi.json`)
    const before = yield* ask
    expect(before.status).toBe(200)
    yield* withoutDatabase(
      server,
      eventually(
        "it is not answered from memory",
        Effect.map(ask, ({ status }) => status === 500)
      )
    )
    yield* eventually(
      "it is answered again",
      Effect.map(ask, ({ status, text }) => status === 200 && text === before.text)
    )
  })
)
