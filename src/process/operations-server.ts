/** A server with no other routes than those for operators (`/healthz`, `/readyz`, `/metrics`). */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Layer } from "effect"
import { allGroups, withGroups } from "../feature.ts"
import { apiName } from "../http/contract/error-responses.ts"
import type { DirectRoutes } from "../http/runtime/direct.ts"
import { Lifecycle } from "../http/runtime/lifecycle.ts"
import * as serve from "../http/runtime/serve.ts"
import { AccessLogger } from "../observability/access-log.ts"
import { operations } from "../operations/feature.ts"

const Operations = withGroups(HttpApi.make(apiName), allGroups([operations]))

/**
 * @param pastRouter routes outside the router
 * @param beside what the process does besides
 */
export const layerWith = <E, R, E2, R2>(
  pastRouter: Layer.Layer<DirectRoutes, E, R>,
  beside: Layer.Layer<never, E2, R2>
) =>
  serve.layer.pipe(
    Layer.provide(pastRouter),
    Layer.provide(HttpApiBuilder.api(Operations)),
    Layer.provide(Layer.merge(operations.routes, beside)),
    Layer.provide(HttpApiBuilder.Router.Live),
    Layer.provide(Layer.merge(AccessLogger.layer, Lifecycle.layer))
  )
