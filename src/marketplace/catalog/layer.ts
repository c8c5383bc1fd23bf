/** The use cases of publishing, for the server and for commands. */
import { Layer } from "effect"
import { Catalog } from "./catalog.ts"
import { ApiDescriptions } from "./descriptions.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import { PublishingRepo } from "./publishing-repo.ts"
import { Publishing } from "./publishing-service.ts"
import { CatalogRepo } from "./repo.ts"

export const layer = Publishing.Default.pipe(
  Layer.provideMerge(Layer.merge(ApiDescriptions.Default, Catalog.Default)),
  Layer.provideMerge(OpenApiDocuments.Default),
  Layer.provideMerge(Layer.merge(CatalogRepo.Default, PublishingRepo.Default))
)
