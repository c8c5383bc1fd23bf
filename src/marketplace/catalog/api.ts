import { Schema } from "effect"
import { anybody, fails } from "../../http/contract/error-responses.ts"
import { pageFields, pageLimit, pageOffset } from "../../http/contract/fields.ts"
import { route, routeGroup, unguarded } from "../../http/contract/routes.ts"
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
  "Servers, paths and security are those of the gateway. Supports `ETag` and `If-None-Match`. A version without a document " +
  "appears only as a tag. The response contains at most 4 MiB per publisher, newest versions first, and 16 MiB in total, oldest " +
  "publishers first; `x-doorlock-omitted` names the omitted versions and the reason for each."

/** The published APIs, for everybody (contract.md#published-apis). */
export class CatalogApi extends routeGroup(
  "api-catalog",
  {
    title: "API catalog",
    description: "APIs that companies publish. Call them through the gateway with a subscription's key.",
    access: unguarded(anybody),
    anyOrigin: true,
    examples
  },
  route("list", "GET /api/api-marketplace/apis", {
    summary: "List the published APIs, most recently published first",
    query: ListApis,
    success: Schema.Struct({
      apis: Schema.Array(ListedApi),
      total: Schema.Number.annotations({ description: "The number of published APIs on all pages." }),
      ...pageFields
    }),
    unexpected: "Failed to list APIs",
    compressed: true
  }),
  route("describeAll", "GET /api/api-marketplace/openapi.json", {
    summary: "Get one OpenAPI document for all published APIs",
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
    summary: "Get the OpenAPI document of a published API, with all its versions",
    description: aboutDescriptions,
    ids: { apiId: "the API" },
    success: JsonObject,
    errors: [apiNotFound],
    unexpected: "Failed to describe API"
  })
) {}
