/** The use cases of publishing, for the server and for commands. */
import { Layer } from "effect"
import { ApiDescriptions } from "./descriptions.ts"
import { FragmentRepo } from "./fragment-repo.ts"
import { ApiLists } from "./lists.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import { PublishingRepo } from "./publishing-repo.ts"
import { Publishing } from "./publishing-service.ts"
import { CatalogRepo } from "./repo.ts"

export const layer = Publishing.Default.pipe(
  Layer.provideMerge(Layer.merge(ApiDescriptions.Default, ApiLists.Default)),
  Layer.provideMerge(OpenApiDocuments.Default),
  Layer.provideMerge(Layer.mergeAll(CatalogRepo.Default, FragmentRepo.Default, PublishingRepo.Default))
)
