/** What each role serves and does, but for that of a gateway (`gateway.ts`). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect, Layer } from "effect"
import { Api } from "../api.ts"
import { Config } from "../config.ts"
import { OnlyOthersRecord } from "../events/collecting.ts"
import { allWork, mergedLayers, servicesOf } from "../feature.ts"
import { features } from "../features.ts"
import * as admission from "../gateway/admission.ts"
import * as gatewayHttp from "../gateway/http.ts"
import { describe } from "../http/contract/openapi.ts"
import { DirectRoutes } from "../http/runtime/direct.ts"
import { respondWith } from "../http/runtime/document.ts"
import { Lifecycle } from "../http/runtime/lifecycle.ts"
import * as serve from "../http/runtime/serve.ts"
import * as contractTools from "../mcp/contract-tools.ts"
import { AccessLogger } from "../observability/access-log.ts"
import { ApiDescription } from "../pages/docs.ts"
import { Seal } from "../secrets/seal.ts"
import * as dispatcher from "../work/dispatcher.ts"
import * as operationsServer from "./operations-server.ts"

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

/** What is done outside requests. */
const background = Layer.merge(mergedLayers(features, "background"), dispatcher.layer(allWork(features)))

/** The whole API and the pages. `beside` is what the process does besides. */
const serving = <E, R, E2, R2>(
  pastRouter: Layer.Layer<DirectRoutes, E, R>,
  beside: Layer.Layer<never, E2, R2>
) =>
  serve.layer.pipe(
    Layer.provide(pastRouter),
    Layer.provide(HttpApiBuilder.api(Api)),
    Layer.provide(Layer.mergeAll(mergedLayers(features, "routes"), openapi, beside)),
    Layer.provide(Layer.merge(contractTools.layer(Api), description)),
    Layer.provide(mergedLayers(features, "credentials")),
    Layer.provide(HttpApiBuilder.Router.Live),
    Layer.provide(Layer.merge(AccessLogger.layer, Lifecycle.layer)),
    Layer.provide(services)
  )

/** @param pastRouter routes outside the router */
export const layerWith = <E, R>(pastRouter: Layer.Layer<DirectRoutes, E, R>) =>
  serving(pastRouter, background)

/** Serves everything and does everything. */
export const all = layerWith(gateway)

/** Serves everything but the gateway. It reports what work waits, because nobody else may do so. */
export const api = serving(
  DirectRoutes.none,
  dispatcher.figuresOnly(allWork(features).map(({ name }) => name))
)

/** Nobody tells it of events. */
const lookingOften = Layer.succeed(OnlyOthersRecord, true)

/** Does what is done outside requests. */
export const work = operationsServer
  .layerWith(DirectRoutes.none, Layer.provide(background, lookingOften))
  .pipe(Layer.provide(services))
