import { Effect } from "effect"
import { ApiKeysApi } from "./api.ts"
import * as http from "./http.ts"
import { layer } from "./layer.ts"
import { ApiKeyRepo } from "./repo.ts"

export const keys = {
  contract: [ApiKeysApi],
  routes: http.layer,
  services: layer,
  housekeeping: { "expiring keys": Effect.flatMap(ApiKeyRepo, ({ recordExpiring }) => recordExpiring) }
} as const
