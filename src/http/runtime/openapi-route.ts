import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { describe } from "../contract/openapi.ts"
import { respondWith } from "./document.ts"

/** Serves the OpenAPI description of `api` at `/openapi.json`. */
export const layer = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  serverUrl: string
) =>
  HttpApiBuilder.Router.use((router) =>
    router.get(
      "/openapi.json",
      respondWith(() => describe(api, serverUrl))
    )
  )
