import { Effect, Layer } from "effect"
import { ApiKeysApi } from "./api.ts"
import { CallerCredential } from "./credential.ts"
import * as http from "./http.ts"
import { layer } from "./layer.ts"
import { ApiKeyRepo } from "./repo.ts"

export const keys = {
  contract: [ApiKeysApi],
  routes: http.layer,
  credentials: Layer.provide(http.credentials, CallerCredential.Default),
  services: layer,
  housekeeping: { "expiring keys": Effect.flatMap(ApiKeyRepo, ({ recordExpiring }) => recordExpiring) }
} as const
