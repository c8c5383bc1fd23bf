import { Schema } from "effect"
import { anybody, fails } from "../../http/contract/error-responses.ts"
import { pageLimit, pageOffset } from "../../http/contract/fields.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { ApiNotFound } from "./errors.ts"
import { catalog as examples } from "./examples.ts"
import { ListedApi } from "./model.ts"

const ListApis = Schema.Struct({
  limit: pageLimit,
  offset: pageOffset(Number.MAX_SAFE_INTEGER, "offset must be a whole number of 0 or more")
})

const apiNotFound = fails(ApiNotFound, 404, "API not found")

const aboutDescriptions =
  "Servers, paths and security are those of the gateway. `ETag` and `If-None-Match` are served. A version without a document " +
  "is there as a tag alone. Of one publisher there are 4 MiB, its newest versions first, of all 16 MiB, publishers in the " +
  "order they came; `x-doorlock-omitted` names the versions that are left out, and why."

/** The published APIs, for everybody (contract.md#published-apis). */
export class CatalogApi extends routeGroup(
  "api-catalog",
  {
    title: "API catalog",
    description:
      "APIs that companies publish. They are called through the gateway, with a key of a subscription.",
    caller: anybody,
    anyOrigin: true,
    examples
  },
  route("list", "GET /api/api-marketplace/apis", {
    summary: "List the published APIs, those published last first",
    query: ListApis,
    success: Schema.Struct({
      apis: Schema.Array(ListedApi),
      total: Schema.Number,
      limit: Schema.Number,
      offset: Schema.Number
    }),
    unexpected: "Failed to list APIs",
    compressed: true
  }),
  route("describeAll", "GET /api/api-marketplace/openapi.json", {
    summary: "Describe all published APIs as one OpenAPI 3.1 document",
    description: aboutDescriptions,
    success: JsonObject,
    unexpected: "Failed to describe APIs"
  }),
  route("get", "GET /api/api-marketplace/apis/:apiId", {
    summary: "Read a published API",
    ids: { apiId: "the API" },
    success: Schema.Struct({ api: ListedApi }),
    errors: [apiNotFound],
    unexpected: "Failed to get API",
    compressed: true
  }),
  route("describe", "GET /api/api-marketplace/apis/:apiId/openapi.json", {
    summary: "Describe a published API, all its versions, as an OpenAPI 3.1 document",
    description: aboutDescriptions,
    ids: { apiId: "the API" },
    success: JsonObject,
    errors: [apiNotFound],
    unexpected: "Failed to describe API"
  })
) {}
