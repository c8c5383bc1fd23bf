import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect, Layer } from "effect"
import { Api } from "../api.ts"
import { Config } from "../config.ts"
import { allWork, mergedLayers, servicesOf } from "../feature.ts"
import { features } from "../features.ts"
import * as admission from "../gateway/admission.ts"
import * as gatewayHttp from "../gateway/http.ts"
import { describe } from "../http/contract/openapi.ts"
import type { DirectRoutes } from "../http/runtime/direct.ts"
import { respondWith } from "../http/runtime/document.ts"
import { Lifecycle } from "../http/runtime/lifecycle.ts"
import * as serve from "../http/runtime/serve.ts"
import * as contractTools from "../mcp/contract-tools.ts"
import { AccessLogger } from "../observability/access-log.ts"
import { ApiDescription } from "../pages/api-description.ts"
import { Seal } from "../secrets/seal.ts"
import * as dispatcher from "../work/dispatcher.ts"

export const services = Layer.provide(servicesOf(features), Seal.Default)

const description = Layer.effect(
  ApiDescription,
  Effect.map(Config, ({ baseUrl }) => {
    let made: ReturnType<ApiDescription["Type"]> | undefined
    return () => {
      made ??= describe(Api, baseUrl)
      return made
    }
  })
)

const openapi = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(ApiDescription, (make) => router.get("/openapi.json", respondWith(make)))
)

/** The gateway, which bypasses the router. */
export const gateway = gatewayHttp.layer.pipe(Layer.provide(admission.layer), Layer.provide(services))

/** @param pastRouter routes outside the router */
export const layerWith = <E, R>(pastRouter: Layer.Layer<DirectRoutes, E, R>) =>
  serve.layer.pipe(
    Layer.provide(pastRouter),
    Layer.provide(HttpApiBuilder.api(Api)),
    Layer.provide(
      Layer.mergeAll(mergedLayers(features, "routes"), openapi, dispatcher.layer(allWork(features)))
    ),
    Layer.provide(Layer.merge(contractTools.layer(Api), description)),
    Layer.provide(mergedLayers(features, "credentials")),
    Layer.provide(HttpApiBuilder.Router.Live),
    Layer.provide(Layer.merge(AccessLogger.layer, Lifecycle.layer)),
    Layer.provide(services)
  )

export const layer = layerWith(gateway)
