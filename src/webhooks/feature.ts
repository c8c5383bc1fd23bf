import { Effect, Layer } from "effect"
import { WebhookAnswers } from "./answers-service.ts"
import { WebhooksApi } from "./api.ts"
import { AttemptRepo } from "./attempts-repo.ts"
import { DeliveryRepo } from "./deliveries-repo.ts"
import { WebhookDeliveries } from "./deliveries-service.ts"
import { attemptWork, WebhookDelivering } from "./delivering-service.ts"
import { WebhookDrill } from "./drill-service.ts"
import * as fanOut from "./fan-out.ts"
import * as http from "./http.ts"
import { WebhookPosting } from "./posting.ts"
import { WebhookEndpointRepo } from "./repo.ts"
import { WebhookSecrets } from "./secrets.ts"
import { WebhookEndpoints } from "./service.ts"

/** Sends events to the endpoints of companies. */
export const webhooks = {
  contract: [WebhooksApi],
  foundation: fanOut.layer,
  routes: http.layer,
  services: Layer.mergeAll(
    WebhookEndpoints.Default,
    WebhookDeliveries.Default,
    WebhookDelivering.Default,
    WebhookDrill.Default
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        WebhookEndpointRepo.Default,
        DeliveryRepo.Default,
        AttemptRepo.Default,
        WebhookSecrets.Default,
        WebhookAnswers.Default,
        WebhookPosting.Default
      )
    )
  ),
  work: attemptWork,
  housekeeping: {
    webhooks: Effect.flatMap(WebhookEndpoints, ({ tidy }) => tidy),
    "webhook partitions": Effect.flatMap(WebhookDeliveries, ({ rollPartitions }) => rollPartitions)
  }
} as const
