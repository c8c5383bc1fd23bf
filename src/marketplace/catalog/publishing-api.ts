import { Schema } from "effect"
import { user } from "../../accounts/guards.ts"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { Ok } from "../../shared/schemas.ts"
import {
  AlreadyAPublisher,
  ApiNotFound,
  ApiTakenDown,
  DescriptionRefused,
  NotAPublisher,
  PlanNameTaken,
  PublisherNotFound,
  SlugReserved,
  SlugTaken,
  TooManyApis,
  TooManyPlans,
  TooManyVersions,
  UpstreamRefused,
  VersionExists
} from "./errors.ts"
import { publishing as examples } from "./examples.ts"
import { ApiPlan, ApiVersion, documentTooSlow, limits, NewApi, OwnApi, Publisher } from "./model.ts"
import {
  BecomePublisher,
  ChangeApi,
  CreateApi,
  CreatePlan,
  CreateVersion
} from "./publishing-requests-api.ts"

const privateAddress = (field: string) => `${field} must not point to a private address`
const otherPort = (field: string) => `${field} must not point to a port of another protocol`

const notFound = fails(ApiNotFound, 404, "API not found")
const slugTaken = fails(SlugTaken, 409, "Slug is already taken")
const publisherNotFound = fails(PublisherNotFound, 404, "Publisher not found")

const upstreamRefused = fails(UpstreamRefused, 400, privateAddress("upstreamUrl"), {
  code: "by sentence",
  describe: ({ field, objection }) => (objection === "address" ? privateAddress(field) : otherPort(field))
})

/** One code for every problem of a document. */
const openapiRefused = "openapi-refused"

const descriptionRefused = fails(DescriptionRefused, 400, "openapi must be an OpenAPI 3.0 or 3.1 document", {
  code: openapiRefused,
  describe: ({ problem }) => problem
})

/** A company's own APIs (contract.md#publishing). */
export class PublishingApi extends routeGroup(
  "api-publishing",
  {
    title: "API publishing",
    description: "Routes for publishers: APIs, versions, upstreams and plans.",
    examples
  },
  route("becomePublisher", "POST /api/api-marketplace/publishers", {
    summary: "Become a publisher",
    description:
      "The gateway paths of its APIs begin with its slug. A slug is refused if it resembles a well-known brand, a role of this service such as `admin`, or another publisher's slug.",
    access: user("write"),
    body: BecomePublisher,
    success: created(Schema.Struct({ publisher: Publisher })),
    errors: [
      slugTaken,
      fails(SlugReserved, 409, "Slug is reserved"),
      fails(AlreadyAPublisher, 409, "Company is already a publisher")
    ],
    unexpected: "Failed to create publisher"
  }),
  route("publisher", "GET /api/api-marketplace/publisher", {
    summary: "Read the company's publisher",
    access: user("read"),
    success: Schema.Struct({ publisher: Publisher }),
    errors: [publisherNotFound],
    unexpected: "Failed to get publisher"
  }),
  route("list", "GET /api/api-marketplace/publisher/apis", {
    summary: "List the company's own APIs, newest first, with drafts and upstreams",
    access: user("read"),
    success: Schema.Struct({ apis: Schema.Array(OwnApi) }),
    errors: [publisherNotFound],
    unexpected: "Failed to list APIs"
  }),
  route("addApi", "POST /api/api-marketplace/apis", {
    summary: "Create an API as a draft",
    access: user("write"),
    body: CreateApi,
    success: created(Schema.Struct({ api: NewApi })),
    errors: [
      fails(NotAPublisher, 403, "Company is not a publisher"),
      slugTaken,
      fails(TooManyApis, 409, "A publisher has at most 100 APIs", {
        describe: ({ most }) => `A publisher has at most ${most} APIs`
      })
    ],
    unexpected: "Failed to create API"
  }),
  route("changeApi", "PATCH /api/api-marketplace/apis/:apiId", {
    summary: "Change an API's name and description",
    description:
      "Omitted fields stay as they are. The slug cannot be changed, because it is part of the API's URLs.",
    access: user("write"),
    ids: { apiId: "the API" },
    body: ChangeApi,
    success: Schema.Struct({ api: OwnApi }),
    errors: [notFound],
    unexpected: "Failed to change API"
  }),
  route("addVersion", "POST /api/api-marketplace/apis/:apiId/versions", {
    summary: "Add a version; it cannot be changed later",
    description:
      "The gateway forwards `<gateway>/<publisher>/<api>/v/<version>/<rest>` to `<upstreamUrl>/<rest>`, and a call with a " +
      "test key to `<sandboxUpstreamUrl>/<rest>`. `openapi` is an OpenAPI 3.0 or 3.1 document without references to other " +
      "documents. Its paths are relative to `upstreamUrl`; if the path of its first server extends that of `upstreamUrl`, the " +
      "extra part is prepended to them. The published copy has the gateway's addresses, security and errors instead of the " +
      "upstream's.",
    access: user("write"),
    ids: { apiId: "the API" },
    body: CreateVersion,
    success: created(Schema.Struct({ version: ApiVersion })),
    errors: [
      upstreamRefused,
      descriptionRefused,
      notFound,
      fails(VersionExists, 409, "Version already exists"),
      tooManyRequests,
      fails(TooManyVersions, 409, `An API has at most ${limits.versions} versions`)
    ],
    rejects: [
      otherPort("upstreamUrl"),
      privateAddress("sandboxUpstreamUrl"),
      otherPort("sandboxUpstreamUrl"),
      documentTooSlow
    ],
    rejectPatterns: [
      {
        pattern: /^openapi(?:[.[].*)? (?:must|is) .+$/,
        code: openapiRefused,
        example: "openapi.info is required"
      }
    ],
    unexpected: "Failed to create version"
  }),
  route("addPlan", "POST /api/api-marketplace/apis/:apiId/plans", {
    summary: "Add a plan; it cannot be changed later",
    access: user("write"),
    ids: { apiId: "the API" },
    body: CreatePlan,
    success: created(Schema.Struct({ plan: ApiPlan })),
    errors: [
      notFound,
      fails(PlanNameTaken, 409, "Plan name is already taken"),
      fails(TooManyPlans, 409, `An API has at most ${limits.plans} plans`)
    ],
    unexpected: "Failed to create plan"
  }),
  route("publish", "POST /api/api-marketplace/apis/:apiId/publish", {
    summary: "Publish an API, in the catalog and on the gateway",
    description:
      "Fails with 409 while the API's `taken_down` is not null: the operator has taken it down and must allow it again first.",
    access: user("write"),
    ids: { apiId: "the API" },
    success: Ok,
    errors: [notFound, fails(ApiTakenDown, 409, "API was taken down by the operator")],
    unexpected: "Failed to publish API"
  }),
  route("unpublish", "POST /api/api-marketplace/apis/:apiId/unpublish", {
    summary:
      "Unpublish an API; its subscriptions stay, but the gateway refuses calls until it is published again",
    access: user("write"),
    ids: { apiId: "the API" },
    success: Ok,
    errors: [notFound],
    unexpected: "Failed to unpublish API"
  })
) {}
