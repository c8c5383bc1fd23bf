import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { row } from "../db/sql.ts"

/** The parts of a call's path that name a version of an API, undecoded. */
export interface RoutePath {
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
}

/** Where the calls of one version of a published API go. */
const PublishedRoute = Schema.Struct({
  publisherId: Schema.String,
  apiId: Schema.String,
  upstreamUrl: Schema.String,
  /** Where calls with `dk_test_` keys go; null for `upstreamUrl`. */
  sandboxUpstreamUrl: Schema.NullOr(Schema.String),
  /** Until the response head. */
  timeoutSeconds: Schema.Number
})
export type PublishedRoute = typeof PublishedRoute.Type

/** Reads the routes of published APIs from Postgres. */
export class PublishedRouteRepo extends Effect.Service<PublishedRouteRepo>()("PublishedRouteRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeRoute = row(PublishedRoute)

    return {
      find: ({ apiSlug, publisherSlug, version }: RoutePath) =>
        decodeRoute(sql`
          select a.publisher_id as "publisherId", a.id as "apiId", v.upstream_url as "upstreamUrl",
            nullif(v.sandbox_upstream_url, v.upstream_url) as "sandboxUpstreamUrl",
            v.timeout_seconds as "timeoutSeconds"
          from publishers p
            join apis a on a.publisher_id = p.id
            join api_versions v on v.api_id = a.id
          where p.slug = ${publisherSlug} and a.slug = ${apiSlug} and v.version = ${version}
            and a.status = 'published'`)
    }
  })
}) {}
