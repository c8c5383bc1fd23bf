import { Layer } from "effect"
import { CatalogApi } from "./api.ts"
import * as http from "./http.ts"
import { layer } from "./layer.ts"
import { PublishingApi } from "./publishing-api.ts"
import * as publishingHttp from "./publishing-http.ts"

/** The marketplace's catalog, and publishing to it. */
export const catalog = {
  contract: [CatalogApi, PublishingApi],
  routes: Layer.merge(http.layer, publishingHttp.layer),
  services: layer
} as const
