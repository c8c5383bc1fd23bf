import * as Layer from "effect/Layer"
import { ApiKeysApi } from "./api.ts"
import * as http from "./http.ts"
import { LastUsed } from "./last-used.ts"
import { ApiKeyRepo } from "./repo.ts"
import { ApiKeys } from "./service.ts"
import { KeyVerification } from "./verification.ts"

/** Platform API keys. */
export const keys = {
  contract: [ApiKeysApi],
  routes: http.layer,
  services: ApiKeys.Default.pipe(
    Layer.provideMerge(KeyVerification.Default),
    Layer.provideMerge(LastUsed.Default),
    Layer.provideMerge(ApiKeyRepo.Default)
  )
} as const
