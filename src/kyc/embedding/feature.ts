import { Layer } from "effect"
import { EmbeddingRepo } from "./repo.ts"
import { Embedding } from "./service.ts"

/** Which sites may show the KYC page in a frame. */
export const embedding = {
  services: Layer.provideMerge(Embedding.Default, EmbeddingRepo.Default)
} as const
