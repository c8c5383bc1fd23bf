import * as Effect from "effect/Effect"
import { echoUpstream } from "./echo-service.ts"
import { gatewayPath } from "./model.ts"
import { CatalogRepo } from "./repo.ts"

/** An address to which the gateway sends calls. */
export interface PublishedUpstream {
  readonly url: string
  /** Whose: the paths of versions below the gateway's address. */
  readonly versions: ReadonlyArray<string>
}

/** Where the calls of all published APIs go. */
export class PublishedUpstreams extends Effect.Service<PublishedUpstreams>()("PublishedUpstreams", {
  dependencies: [CatalogRepo.Default],
  effect: Effect.map(CatalogRepo, (repo) => ({
    /** Each once; without the product's own. */
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
