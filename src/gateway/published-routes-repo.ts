import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { row } from "../db/sql.ts"

const RouteRow = Schema.Struct({
  publisher_id: Schema.String,
  api_id: Schema.String,
  version_id: Schema.String,
  upstream_url: Schema.String,
  sandbox_upstream_url: Schema.NullOr(Schema.String),
  timeout_seconds: Schema.Number
})

/** Reads the routes of published APIs from Postgres. */
export class PublishedRouteRepo extends Effect.Service<PublishedRouteRepo>()("PublishedRouteRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeRoute = row(RouteRow)

    return {
      find: (publisherSlug: string, apiSlug: string, version: string) =>
        decodeRoute(sql`
          select a.publisher_id, a.id as api_id, v.id as version_id, v.upstream_url,
            nullif(v.sandbox_upstream_url, v.upstream_url) as sandbox_upstream_url, v.timeout_seconds
          from publishers p
            join apis a on a.publisher_id = p.id
            join api_versions v on v.api_id = a.id
          where p.slug = ${publisherSlug} and a.slug = ${apiSlug} and v.version = ${version}
            and a.status = 'published'`)
    }
  })
}) {}
