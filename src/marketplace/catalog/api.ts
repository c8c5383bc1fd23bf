import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, anybody, fails } from "../../http/contract/answers.ts"
import { idOf, wholeNumber } from "../../http/contract/fields.ts"
import { JsonObject } from "../../model.ts"
import { ApiNotFound } from "./errors.ts"
import { examples } from "./examples.ts"
import { ListedApi } from "./model.ts"

const messages = {
  limit: "limit must be a whole number from 1 to 100",
  offset: "offset must be a whole number of 0 or more"
} as const

const ListApis = Schema.Struct({
  limit: Schema.optionalWith(
    wholeNumber(1, 100, messages.limit, "The most that are listed. By default 20."),
    { default: () => 20 }
  ),
  offset: Schema.optionalWith(
    wholeNumber(
      0,
      Number.MAX_SAFE_INTEGER,
      messages.offset,
      "How many to pass over before the first that is listed. By default 0."
    ),
    { default: () => 0 }
  )
})

const ById = Schema.Struct({ apiId: idOf("the API") })

const apiNotFound = fails(ApiNotFound, 404, "API not found")

const aboutDescriptions =
  "Servers, paths and security are those of the gateway. `ETag` and `If-None-Match` are served. A version without a document " +
  "is there as a tag alone. Of one publisher there are 4 MiB, its newest versions first, of all 16 MiB, publishers in the " +
  "order they came; `x-doorlock-omitted` names the versions that are left out, and why."

/** The published APIs, for everybody (contract.md#published-apis). */
export class CatalogApi extends HttpApiGroup.make("api-catalog")
  .add(
    HttpApiEndpoint.get("list", "/api/api-marketplace/apis")
      .setUrlParams(ListApis)
      .addSuccess(
        Schema.Struct({
          apis: Schema.Array(ListedApi),
          total: Schema.Number,
          limit: Schema.Number,
          offset: Schema.Number
        })
      )
      .annotate(OpenApi.Summary, "List the published APIs, those published last first")
      .pipe(
        answers({
          caller: anybody,
          example: examples.list,
          rejects: [messages.limit, messages.offset],
          unexpected: "Failed to list APIs",
          compressed: true,
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.get("describeAll", "/api/api-marketplace/openapi.json")
      .addSuccess(JsonObject)
      .annotate(OpenApi.Summary, "Describe all published APIs as one OpenAPI 3.1 document")
      .annotate(OpenApi.Description, aboutDescriptions)
      .pipe(
        answers({
          caller: anybody,
          example: examples.description,
          unexpected: "Failed to describe APIs",
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/api/api-marketplace/apis/:apiId")
      .setPath(ById)
      .addSuccess(Schema.Struct({ api: ListedApi }))
      .addError(apiNotFound)
      .annotate(OpenApi.Summary, "Read a published API")
      .pipe(
        answers({
          caller: anybody,
          example: examples.get,
          unexpected: "Failed to get API",
          compressed: true,
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.get("describe", "/api/api-marketplace/apis/:apiId/openapi.json")
      .setPath(ById)
      .addSuccess(JsonObject)
      .addError(apiNotFound)
      .annotate(OpenApi.Summary, "Describe a published API, all its versions, as an OpenAPI 3.1 document")
      .annotate(OpenApi.Description, aboutDescriptions)
      .pipe(
        answers({
          caller: anybody,
          example: examples.description,
          unexpected: "Failed to describe API",
          anyOrigin: true
        })
      )
  )
  .annotate(OpenApi.Title, "API catalog")
  .annotate(
    OpenApi.Description,
    "APIs that companies publish. They are called through the gateway, with a key of a subscription."
  ) {}
