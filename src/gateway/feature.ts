import { Layer } from "effect"
import { PublishedRoutes } from "./published-routes.ts"
import { PublishedRouteRepo } from "./published-routes-repo.ts"
import { UpstreamAddresses } from "./resolve.ts"
import * as upstreams from "./upstreams-layer.ts"

/** Routes are not listed here: they bypass the router (`server.ts`). */
export const gateway = {
  services: Layer.mergeAll(PublishedRoutes.Default, UpstreamAddresses.Default, upstreams.layer).pipe(
    Layer.provideMerge(PublishedRouteRepo.Default)
  )
} as const
