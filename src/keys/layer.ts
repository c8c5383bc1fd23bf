import { Layer } from "effect"
import { ApiKeyRepo } from "./repo.ts"
import { ApiKeys } from "./service.ts"
import { KeyVerification } from "./verification.ts"

export const layer = ApiKeys.Default.pipe(
  Layer.provideMerge(KeyVerification.Default),
  Layer.provideMerge(ApiKeyRepo.Default)
)
