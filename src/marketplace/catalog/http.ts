import * as Effect from "effect/Effect"
import { respond } from "../../http/document.ts"
import { group } from "../../http/handlers.ts"
import { CatalogApi } from "./api.ts"
import { ApiDescriptions } from "./descriptions.ts"
import { Catalog } from "./service.ts"

/** The routes of `CatalogApi`. */
export const layer = group(CatalogApi, (handlers) =>
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const descriptions = yield* ApiDescriptions
    return handlers
      .handle("list", ({ urlParams: { limit, offset } }) =>
        Effect.map(catalog.list(limit, offset), ({ items, total }) => ({ apis: items, total, limit, offset }))
      )
      .handle("describeAll", () => Effect.flatMap(descriptions.ofAll, respond))
      .handle("get", ({ path }) => Effect.map(catalog.get(path.apiId), (api) => ({ api })))
      .handle("describe", ({ path }) => Effect.flatMap(descriptions.of(path.apiId), respond))
  })
)
