import { Effect } from "effect"
import { echoUpstream } from "./echo-service.ts"
import { placeOf } from "./exported-names.ts"
import { gatewayPath } from "./model.ts"
import { CatalogRepo } from "./repo.ts"

/** An address that receives calls from the gateway. */
export interface PublishedUpstream {
  readonly url: string
  /** The versions with this upstream, by their paths below the gateway's address. */
  readonly versions: ReadonlyArray<string>
}

/** The upstreams of all published APIs. */
export class PublishedUpstreams extends Effect.Service<PublishedUpstreams>()("PublishedUpstreams", {
  dependencies: [CatalogRepo.Default],
  effect: Effect.map(CatalogRepo, (repo) => ({
    /** Each upstream once, without the product's own. */
    list: Effect.map(repo.versions(), (versions): ReadonlyArray<PublishedUpstream> => {
      const served = versions
        .map(placeOf)
        .flatMap((place) => place.upstreams.map((url) => ({ url, path: gatewayPath(place) })))
      return [...Map.groupBy(served, ({ url }) => url)]
        .filter(([url]) => url !== echoUpstream)
        .map(([url, paths]) => ({ url, versions: paths.map(({ path }) => path) }))
    })
  }))
}) {}
