import { Effect, Option } from "effect"
import { Changes } from "../db/changes.ts"
import { fencedCache } from "../db/fenced-cache.ts"
import { apiChangedTopic } from "../marketplace/catalog/model.ts"
import { PublishedRouteRepo } from "./published-routes-repo.ts"

/** Maximum number of cached versions. */
const capacity = 10_000

/** Where the calls of one version of a published API go. */
export interface PublishedRoute {
  readonly publisherId: string
  readonly apiId: string
  readonly versionId: string
  readonly upstreamUrl: string
  /** Where calls with `dk_test_` keys go; null if they go to `upstreamUrl`. */
  readonly sandboxUpstreamUrl: string | null
  /** Time for the upstream to send its response head. */
  readonly timeoutSeconds: number
}

/** A possible slug or version (RFC 3986, unreserved characters). Nothing else can match one. */
const segment = /^[\w.~-]{1,128}$/

/**
 * Finds published APIs by the path of a call, with no query if the route is cached and one otherwise. Every process stops finding an
 * unpublished API within a second (`fencedCache`).
 */
export class PublishedRoutes extends Effect.Service<PublishedRoutes>()("PublishedRoutes", {
  scoped: Effect.gen(function* () {
    const repo = yield* PublishedRouteRepo
    const cache = yield* fencedCache<PublishedRoute>(yield* Changes, {
      name: "published_routes",
      capacity,
      topics: { [apiChangedTopic]: ({ apiId }) => apiId }
    })
    // Unambiguous, because no slug or version contains a slash.
    const keyOf = (publisherSlug: string, apiSlug: string, version: string) =>
      `${publisherSlug}/${apiSlug}/${version}`

    return {
      /** The route, if it is cached. */
      remembered: (publisherSlug: string, apiSlug: string, version: string): PublishedRoute | undefined =>
        cache.get(keyOf(publisherSlug, apiSlug, version)),

      /** The route; none if the publisher, API or version does not exist or the API is not published. */
      lookUp: (
        publisherSlug: string,
        apiSlug: string,
        version: string
      ): Effect.Effect<Option.Option<PublishedRoute>> =>
        [publisherSlug, apiSlug, version].every((text) => segment.test(text))
          ? cache.load(
              keyOf(publisherSlug, apiSlug, version),
              Effect.map(
                repo.find(publisherSlug, apiSlug, version),
                Option.map((row) => ({
                  value: {
                    publisherId: row.publisher_id,
                    apiId: row.api_id,
                    versionId: row.version_id,
                    upstreamUrl: row.upstream_url,
                    sandboxUpstreamUrl: row.sandbox_upstream_url,
                    timeoutSeconds: row.timeout_seconds
                  },
                  remainingMillis: null
                }))
              )
            )
          : Effect.succeed(Option.none())
    }
  })
}) {}
