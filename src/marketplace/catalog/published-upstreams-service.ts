import { Effect } from "effect"
import { echoUpstream } from "./echo-service.ts"
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
      const byUrl = new Map<string, Array<string>>()
      for (const row of versions) {
        const path = gatewayPath({
          publisherSlug: row.publisher_slug,
          apiSlug: row.api_slug,
          version: row.version
        })
        for (const url of [row.upstream_url, row.sandbox_upstream_url]) {
          if (url === null || url === echoUpstream) continue
          byUrl.set(url, [...(byUrl.get(url) ?? []), path])
        }
      }
      return [...byUrl].map(([url, paths]) => ({ url, versions: paths }))
    })
  }))
}) {}
