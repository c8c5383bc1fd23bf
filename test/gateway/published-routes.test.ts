/** Where the gateway finds published APIs, asked directly. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { PublishedRoutes } from "../../src/gateway/published-routes.ts"
import { signUp } from "../support/client.ts"
import { wireTap } from "../support/database/wire-tap.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { type PublishedApi, publishApi } from "../support/marketplace/subscriptions.ts"
import { execute } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"

const setUp = Effect.gen(function* () {
  const tap = yield* wireTap(yield* freshDatabase)
  const server = yield* startServerOn(tap.url)
  const routes = Context.get(server.services, PublishedRoutes)
  const api = yield* publishApi(server, yield* signUp(server))
  const path = ({ publisherSlug, slug, version }: PublishedApi) => ({ publisherSlug, apiSlug: slug, version })
  const sql = (statement: string) => execute(server.databaseUrl, statement, [api.id])
  /** Not those that the service sends by itself, such as of the last use of a dashboard session. */
  const lookUps = () => tap.statements().filter(({ text }) => /join api_versions/.test(text)).length
  return { server, routes, api, path, sql, lookUps }
})

/** As the catalog will: the change and its message in one statement. */
const setStatus = (status: "published" | "draft") => `
  with changed as (update apis set status = '${status}' where id = $1 returning id)
  select pg_notify('doorlock_changes', 'api-changed:' || id) from changed`

it.scopedLive("finds the version of a published API, the second time without a query", () =>
  Effect.gen(function* () {
    const { api, lookUps, path, routes, sql } = yield* setUp
    const [publisher] = yield* sql("select publisher_id from apis where id = $1")
    const route = {
      publisherId: publisher?.publisher_id,
      apiId: api.id,
      upstreamUrl: "https://upstream.example/v1",
      sandboxUpstreamUrl: "https://sandbox.example",
      timeoutSeconds: 30
    }
    expect(routes.remembered(path(api))).toBeUndefined()
    yield* eventually(
      "it is remembered",
      Effect.map(routes.lookUp(path(api)), (found) => {
        expect(found).toEqual(Option.some(route))
        return routes.remembered(path(api)) !== undefined
      })
    )
    const before = lookUps()
    expect(before).toBeGreaterThan(0)
    for (let i = 0; i < 10; i++) expect(routes.remembered(path(api))).toStrictEqual(route)
    expect(lookUps()).toBe(before)
  })
)

it.scopedLive("finds nothing under another publisher, API or version, nor under an impossible name", () =>
  Effect.gen(function* () {
    const { api, lookUps, path, routes, server } = yield* setUp
    const other = yield* publishApi(server, yield* signUp(server))
    const known = path(api)
    const unknown = [
      { ...known, publisherSlug: "nobody" },
      { ...known, apiSlug: "none" },
      { ...known, version: "2" },
      { ...known, publisherSlug: known.publisherSlug.toUpperCase() },
      { ...path(other), apiSlug: "x" }
    ]
    for (const none of unknown) {
      expect(yield* routes.lookUp(none)).toEqual(Option.none())
    }
    const before = lookUps()
    expect(before).toBeGreaterThan(0)
    for (const none of ["", "\u0000", "\ud800", "a/b", "ü", "a b", "a\n", "x".repeat(129)]) {
      for (const part of ["publisherSlug", "apiSlug", "version"]) {
        expect(yield* routes.lookUp({ ...known, [part]: none })).toEqual(Option.none())
      }
    }
    expect(lookUps()).toBe(before)
  })
)

it.scopedLive("an unpublished API is soon not found in any process", () =>
  Effect.gen(function* () {
    const { api, path, routes, server, sql } = yield* setUp
    const second = Context.get((yield* startServerOn(server.databaseUrl)).services, PublishedRoutes)
    for (let round = 0; round < 3; round++) {
      yield* sql(setStatus("published"))
      for (const each of [routes, second]) {
        yield* eventually(
          "both remember it",
          Effect.map(each.lookUp(path(api)), () => each.remembered(path(api)) !== undefined)
        )
      }
      yield* sql(setStatus("draft"))
      for (const each of [routes, second]) {
        yield* eventually(
          "both forget it",
          Effect.sync(() => each.remembered(path(api)) === undefined)
        )
        expect(yield* each.lookUp(path(api))).toEqual(Option.none())
      }
    }
  })
)
