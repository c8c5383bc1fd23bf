import { Effect } from "effect"
import { respond, respondUntagged } from "../../http/runtime/document.ts"
import { group } from "../../http/runtime/handlers.ts"
import { CatalogApi } from "./api.ts"
import { Catalog } from "./catalog.ts"
import { ApiDescriptions } from "./descriptions.ts"

export const layer = group(CatalogApi, (handlers) =>
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const descriptions = yield* ApiDescriptions
    return handlers
      .handle("list", ({ urlParams: { limit, offset } }) =>
        Effect.flatMap(catalog.list(limit, offset), respondUntagged)
      )
      .handle("describeAll", () => Effect.flatMap(descriptions.ofAll, respond))
      .handle("get", ({ path }) => catalog.get(path.apiId).pipe(Effect.bindTo("api")))
      .handle("describe", ({ path }) => Effect.flatMap(descriptions.of(path.apiId), respond))
  })
)
