import { Effect, Layer } from "effect"
import { SubscriptionsApi } from "./api.ts"
import { MarketplaceKeyCredential } from "./credential.ts"
import * as http from "./http.ts"
import { IdempotencyRepo } from "./idempotency-repo.ts"
import { MarketplaceKeysApi } from "./keys-api.ts"
import { MarketplaceKeyRepo } from "./keys-repo.ts"
import { MarketplaceKeys } from "./keys-service.ts"
import { SubscriptionRepo } from "./repo.ts"
import { Subscriptions } from "./service.ts"
import { MarketplaceKeyVerification } from "./verification.ts"

/** Subscriptions to APIs, and their keys. */
export const subscriptions = {
  contract: [SubscriptionsApi, MarketplaceKeysApi],
  routes: http.layer,
  services: Layer.merge(MarketplaceKeys.Default, MarketplaceKeyCredential.Default).pipe(
    Layer.provideMerge(Subscriptions.Default),
    Layer.provideMerge(MarketplaceKeyVerification.Default),
    Layer.provideMerge(
      Layer.mergeAll(SubscriptionRepo.Default, MarketplaceKeyRepo.Default, IdempotencyRepo.Default)
    )
  ),
  housekeeping: {
    "idempotent answers": Effect.flatMap(IdempotencyRepo, ({ deleteOldAnswers }) => deleteOldAnswers)
  }
} as const
