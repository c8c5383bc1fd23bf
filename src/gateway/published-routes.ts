import { Effect, Option } from "effect"
import { Changes } from "../db/changes.ts"
import { fencedCache } from "../db/fenced-cache.ts"
import { apiChangedTopic } from "../marketplace/catalog/model.ts"
import { type PublishedRoute, PublishedRouteRepo, type RoutePath } from "./published-routes-repo.ts"

/** Cached versions. */
const capacity = 10_000

/** RFC 3986, unreserved characters. No other slug or version exists. */
const segment = /^[\w.~-]{1,128}$/

/** Cached routes. Every process stops finding an unpublished API within a second (`fencedCache`). */
export class PublishedRoutes extends Effect.Service<PublishedRoutes>()("PublishedRoutes", {
  scoped: Effect.gen(function* () {
    const repo = yield* PublishedRouteRepo
    const cache = yield* fencedCache<PublishedRoute>(yield* Changes, {
      name: "published_routes",
      capacity,
      topics: { [apiChangedTopic]: ({ apiId }) => apiId }
    })
    // Unambiguous, because no slug or version contains a slash.
    const keyOf = ({ apiSlug, publisherSlug, version }: RoutePath) => `${publisherSlug}/${apiSlug}/${version}`

    return {
      remembered: (path: RoutePath): PublishedRoute | undefined => cache.get(keyOf(path)),

      /** None if the publisher, API or version does not exist or the API is not published. */
      lookUp: (path: RoutePath): Effect.Effect<Option.Option<PublishedRoute>> =>
        [path.publisherSlug, path.apiSlug, path.version].every((text) => segment.test(text))
          ? cache.load(
              keyOf(path),
              Effect.map(
                repo.find(path),
                Option.map((value) => ({ value, remainingMillis: null }))
              )
            )
          : Effect.succeed(Option.none())
    }
  })
}) {}
