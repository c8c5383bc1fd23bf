import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Changes } from "../db/changes.ts"
import { fencedCache } from "../db/fenced-cache.ts"
import { apiChangedTopic } from "../marketplace/catalog/model.ts"
import { PublishedRouteRepo } from "./published-routes-repo.ts"

/** Versions remembered, at most. */
const capacity = 10_000

/** Where the calls of one version of a published API go. */
export interface PublishedRoute {
  readonly publisherId: string
  readonly apiId: string
  readonly versionId: string
  readonly upstreamUrl: string
  /** Where `dk_test_` keys go, if that is elsewhere; null: where all go. */
  readonly sandboxUpstreamUrl: string | null
  /** Until the upstream's headers. */
  readonly timeoutSeconds: number
}

/** What slugs and versions are made of (RFC 3986, unreserved); anything else can name nothing. */
const segment = /^[\w.~-]{1,128}$/

/**
 * Finds published APIs by the path of a call: no query for one that is remembered, one otherwise. What is
 * unpublished is not found any more within a second, in every process (`fencedCache`).
 */
export class PublishedRoutes extends Effect.Service<PublishedRoutes>()("PublishedRoutes", {
  scoped: Effect.gen(function* () {
    const repo = yield* PublishedRouteRepo
    const cache = yield* fencedCache<PublishedRoute>(yield* Changes, {
      name: "published_routes",
      capacity,
      topics: { [apiChangedTopic]: ({ apiId }) => apiId }
    })
    // None of the three can have a slash in it and be found.
    const keyOf = (publisherSlug: string, apiSlug: string, version: string) =>
      `${publisherSlug}/${apiSlug}/${version}`

    return {
      /** The route when it needs no query to know. */
      remembered: (publisherSlug: string, apiSlug: string, version: string): PublishedRoute | undefined =>
        cache.get(keyOf(publisherSlug, apiSlug, version)),

      /** The route; none when there is no such publisher, API or version, or it is not published. */
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
