import { Effect } from "effect"
import { echoUpstream } from "./echo-service.ts"
import { gatewayPath } from "./exported-names.ts"
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
      const served = versions.flatMap((version) =>
        [version.upstream_url, version.sandbox_upstream_url]
          .filter((url) => url !== null)
          .map((url) => ({ url, path: gatewayPath(version) }))
      )
      return [...Map.groupBy(served, ({ url }) => url)]
        .filter(([url]) => url !== echoUpstream)
        .map(([url, paths]) => ({ url, versions: paths.map(({ path }) => path) }))
    })
  }))
}) {}
