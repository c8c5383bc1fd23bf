import * as Layer from "effect/Layer"
import { CatalogApi } from "./api.ts"
import { ApiDescriptions } from "./descriptions.ts"
import { FragmentRepo } from "./fragment-repo.ts"
import * as http from "./http.ts"
import { ApiLists } from "./lists.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import { PublishingApi } from "./publishing-api.ts"
import * as publishingHttp from "./publishing-http.ts"
import { PublishingRepo } from "./publishing-repo.ts"
import { Publishing } from "./publishing-service.ts"
import { CatalogRepo } from "./repo.ts"
import { Catalog } from "./service.ts"
import * as storedDocuments from "./stored-documents.ts"

/** The marketplace's catalog, and publishing in it. */
export const catalog = {
  contract: [CatalogApi, PublishingApi],
  routes: Layer.mergeAll(http.layer, publishingHttp.layer, storedDocuments.layer),
  services: Layer.merge(Catalog.Default, Publishing.Default).pipe(
    Layer.provideMerge(Layer.merge(ApiDescriptions.Default, ApiLists.Default)),
    Layer.provideMerge(OpenApiDocuments.Default),
    Layer.provideMerge(Layer.mergeAll(CatalogRepo.Default, FragmentRepo.Default, PublishingRepo.Default))
  )
} as const
