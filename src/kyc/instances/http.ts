import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect, Layer } from "effect"
import { asUser } from "../../accounts/credential.ts"
import { Config } from "../../config.ts"
import { respondWith } from "../../http/runtime/document.ts"
import { group } from "../../http/runtime/handlers.ts"
import { forCaller } from "../../keys/credential.ts"
import { InstancesApi } from "./api.ts"
import { jsonSchema, published } from "./json-schema.ts"
import { Instances } from "./service.ts"

const routes = group(InstancesApi, (handlers) =>
  Effect.map(Instances, (instances) =>
    handlers
      .handle("list", () => forCaller(instances.list).pipe(Effect.bindTo("instances")))
      .handle("create", ({ payload }) =>
        asUser((by) => instances.create(by, payload)).pipe(Effect.bindTo("instance"))
      )
      .handle("get", ({ path }) =>
        forCaller((company) => instances.get(company, path.id)).pipe(Effect.bindTo("instance"))
      )
      .handle("update", ({ path, payload }) =>
        asUser((by) => instances.update(by, path.id, payload)).pipe(Effect.bindTo("instance"))
      )
  )
)

/** The JSON Schemas of config and workflow. */
const schemas = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(Config, ({ baseUrl }) =>
    Effect.forEach(published, (document) =>
      router.get(
        document.path,
        respondWith(() => jsonSchema(document, baseUrl))
      )
    )
  )
)

export const layer = Layer.merge(routes, schemas)
