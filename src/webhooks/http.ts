import { Effect } from "effect"
import { group } from "../http/runtime/handlers.ts"
import { forActor, forCaller } from "../keys/credential.ts"
import { ok } from "../shared/schemas.ts"
import { WebhooksApi } from "./api.ts"
import { WebhookDeliveries } from "./deliveries-service.ts"
import { WebhookDrill } from "./drill-service.ts"
import { readSequence } from "./model.ts"
import { WebhookEndpoints } from "./service.ts"

/** The routes of `WebhooksApi`. */
export const layer = group(WebhooksApi, (handlers) =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const deliveries = yield* WebhookDeliveries
    const { drill } = yield* WebhookDrill
    return handlers
      .handle("list", () => forCaller(endpoints.list).pipe(Effect.bindTo("endpoints")))
      .handle("create", ({ payload }) => forActor((by) => endpoints.create(by, payload)))
      .handle("change", ({ path, payload }) =>
        forActor((by) => endpoints.change(by, path.id, payload)).pipe(Effect.bindTo("endpoint"))
      )
      .handle("remove", ({ path }) => forActor((by) => endpoints.remove(by, path.id)).pipe(Effect.as(ok)))
      .handle("rotate", ({ path, payload }) =>
        forActor((by) => endpoints.rotate(by, path.id, payload.overlapSeconds))
      )
      .handle("test", ({ path }) =>
        forActor((by) => deliveries.test(by, path.id)).pipe(Effect.bindTo("delivery"))
      )
      .handle("drill", ({ path }) => forActor((by) => drill(by, path.id)).pipe(Effect.bindTo("report")))
      .handle("recover", ({ path, payload }) =>
        forActor((by) => deliveries.recover(by, path.id, payload.since)).pipe(Effect.bindTo("deliveries"))
      )
      .handle("deliveries", ({ path, urlParams: { cursor, limit, status } }) =>
        forCaller((company) =>
          deliveries.list(company, path.id, { before: readSequence(cursor ?? ""), limit, status })
        )
      )
      .handle("delivery", ({ path }) =>
        forCaller((company) => deliveries.get(company, path.id)).pipe(Effect.bindTo("delivery"))
      )
      .handle("retry", ({ path }) => forActor((by) => deliveries.retry(by, path.id)).pipe(Effect.as(ok)))
  })
)
