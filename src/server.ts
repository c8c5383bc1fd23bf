/** Contract, handlers, middleware and pages: one HTTP server. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "./api.ts"
import { Config } from "./config.ts"
import { mergedLayers, servicesOf } from "./feature.ts"
import { features } from "./features.ts"
import * as admission from "./gateway/admission.ts"
import * as gatewayHttp from "./gateway/http.ts"
import type { DirectRoutes } from "./http/runtime/direct.ts"
import { Lifecycle } from "./http/runtime/lifecycle.ts"
import * as openapi from "./http/runtime/openapi-route.ts"
import * as serve from "./http/runtime/serve.ts"
import { AccessLogger } from "./observability/access-log.ts"
import * as routeTable from "./pages/route-table.ts"
import { Seal } from "./secrets/seal.ts"

/** The use cases of every feature, on the database. */
export const services = Layer.provide(servicesOf(features), Seal.Default)

const description = Layer.unwrapEffect(Effect.map(Config, ({ baseUrl }) => openapi.layer(Api, baseUrl)))

/** The gateway, which answers past the router. */
export const gateway = gatewayHttp.layer.pipe(Layer.provide(admission.layer), Layer.provide(services))

/** Listens, with these routes past the router; everything it stands on is provided by `main`, or by a test. */
export const layerWith = <E, R>(pastRouter: Layer.Layer<DirectRoutes, E, R>) =>
  serve.layer.pipe(
    Layer.provide(pastRouter),
    Layer.provide(HttpApiBuilder.api(Api)),
    Layer.provide(Layer.merge(mergedLayers(features, "routes"), description)),
    Layer.provide(routeTable.layer(Api)),
    Layer.provide(mergedLayers(features, "credentials")),
    Layer.provide(HttpApiBuilder.Router.Live),
    Layer.provide(Layer.merge(AccessLogger.layer, Lifecycle.layer)),
    Layer.provide(services)
  )

export const layer = layerWith(gateway)
