import * as Layer from "effect/Layer"
import { PublishedRoutes } from "./published-routes.ts"
import { PublishedRouteRepo } from "./published-routes-repo.ts"
import { UpstreamAddresses } from "./resolve.ts"

/** The gateway's knowledge of published APIs and of addresses. Its answers come past the router (`server.ts`). */
export const gateway = {
  services: Layer.merge(PublishedRoutes.Default, UpstreamAddresses.Default).pipe(
    Layer.provideMerge(PublishedRouteRepo.Default)
  )
} as const
