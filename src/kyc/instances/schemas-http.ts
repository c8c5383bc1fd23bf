import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect } from "effect"
import { Config } from "../../config.ts"
import { respondWith } from "../../http/runtime/document.ts"
import { jsonSchema, published } from "./json-schema.ts"

/** Serves the JSON Schemas of config and workflow. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(Config, ({ baseUrl }) =>
    Effect.forEach(published, (document) =>
      router.get(
        document.path,
        respondWith(() => jsonSchema(document, baseUrl))
      )
    )
  )
)
