import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { DashboardMember, DashboardSession } from "../../accounts/guards.ts"
import { answers, fails } from "../../http/contract/answers.ts"
import { idOf, NoFields, unstorableJson, unstorableText } from "../../http/contract/fields.ts"
import { tooManyRequests } from "../../http/contract/too-many-requests.ts"
import { Ok } from "../../model.ts"
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
  SlugTooSimilar,
  TooManyApis,
  TooManyPlans,
  TooManyVersions,
  UpstreamRefused,
  VersionExists
} from "./errors.ts"
import { examples } from "./examples.ts"
import { ApiPlan, ApiVersion, documentTooSlow, limits, NewApi, OwnApi, Publisher } from "./model.ts"
import {
  BecomePublisher,
  ChangeApi,
  CreateApi,
  CreatePlan,
  CreateVersion,
  messages
} from "./publishing-requests-api.ts"

const privateAddress = (field: string) => `${field} must not point to a private address`
const otherPort = (field: string) => `${field} must not point to a port of another protocol`

const slugRejects = [messages.slug, messages.slugForm]
const nameRejects = [messages.name, messages.nameLong, unstorableText("name"), messages.nameUnclear]
const descriptionRejects = [messages.description, unstorableText("description")]

const notFound = fails(ApiNotFound, 404, "API not found")
const slugTaken = fails(SlugTaken, 409, "Slug is already taken")
const publisherNotFound = fails(PublisherNotFound, 404, "Publisher not found")
const ById = Schema.Struct({ apiId: idOf("the API") })

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
export class PublishingApi extends HttpApiGroup.make("api-publishing")
  .add(
    HttpApiEndpoint.post("becomePublisher", "/api/api-marketplace/publishers")
      .setPayload(BecomePublisher)
      .addSuccess(Schema.Struct({ publisher: Publisher }), { status: 201 })
      .addError(slugTaken)
      .addError(fails(SlugReserved, 409, "Slug is reserved"))
      .addError(fails(SlugTooSimilar, 409, "Slug is too similar to another publisher's"))
      .addError(fails(AlreadyAPublisher, 409, "Company is already a publisher"))
      .middleware(DashboardMember)
      .annotate(OpenApi.Summary, "Make the company a publisher; its slug begins the paths of its APIs")
      .annotate(
        OpenApi.Description,
        "Slugs that look like a well-known brand, like a role of this service such as `admin`, or like another publisher's slug are refused."
      )
      .pipe(
        answers({
          example: examples.becomePublisher,
          rejects: [...slugRejects, ...nameRejects],
          unexpected: "Failed to create publisher"
        })
      )
  )
  .add(
    HttpApiEndpoint.get("publisher", "/api/api-marketplace/publisher")
      .addSuccess(Schema.Struct({ publisher: Publisher }))
      .addError(publisherNotFound)
      .middleware(DashboardSession)
      .annotate(OpenApi.Summary, "Read the publisher that the company is")
      .pipe(answers({ example: examples.publisher, unexpected: "Failed to get publisher" }))
  )
  .add(
    HttpApiEndpoint.get("list", "/api/api-marketplace/publisher/apis")
      .addSuccess(Schema.Struct({ apis: Schema.Array(OwnApi) }))
      .addError(publisherNotFound)
      .middleware(DashboardSession)
      .annotate(OpenApi.Summary, "List the company's own APIs, newest first, drafts and upstreams too")
      .pipe(answers({ example: examples.own, unexpected: "Failed to list APIs" }))
  )
  .add(
    HttpApiEndpoint.post("addApi", "/api/api-marketplace/apis")
      .setPayload(CreateApi)
      .addSuccess(Schema.Struct({ api: NewApi }), { status: 201 })
      .addError(fails(NotAPublisher, 403, "Company is not a publisher"))
      .addError(slugTaken)
      .addError(
        fails(TooManyApis, 409, "A publisher has at most 100 APIs", {
          describe: ({ most }) => `A publisher has at most ${most} APIs`
        })
      )
      .middleware(DashboardMember)
      .annotate(OpenApi.Summary, "Add an API, as a draft")
      .pipe(
        answers({
          example: examples.addApi,
          rejects: [...slugRejects, ...nameRejects, ...descriptionRejects],
          unexpected: "Failed to create API"
        })
      )
  )
  .add(
    HttpApiEndpoint.patch("changeApi", "/api/api-marketplace/apis/:apiId")
      .setPath(ById)
      .setPayload(ChangeApi)
      .addSuccess(Schema.Struct({ api: OwnApi }))
      .addError(notFound)
      .middleware(DashboardMember)
      .annotate(OpenApi.Summary, "Change what an API is called and how it is described")
      .annotate(
        OpenApi.Description,
        "What is left out stays. The slug cannot be changed: it is in the addresses that are called."
      )
      .pipe(
        answers({
          example: examples.changeApi,
          rejects: [
            messages.nameEmpty,
            messages.nameLong,
            unstorableText("name"),
            messages.nameUnclear,
            ...descriptionRejects
          ],
          unexpected: "Failed to change API"
        })
      )
  )
  .add(
    HttpApiEndpoint.post("addVersion", "/api/api-marketplace/apis/:apiId/versions")
      .setPath(ById)
      .setPayload(CreateVersion)
      .addSuccess(Schema.Struct({ version: ApiVersion }), { status: 201 })
      .addError(upstreamRefused)
      .addError(descriptionRefused)
      .addError(notFound)
      .addError(fails(VersionExists, 409, "Version already exists"))
      .addError(tooManyRequests)
      .addError(fails(TooManyVersions, 409, `An API has at most ${limits.versions} versions`))
      .middleware(DashboardMember)
      .annotate(OpenApi.Summary, "Add a version; it cannot be changed later")
      .annotate(
        OpenApi.Description,
        "A call of `<gateway>/<publisher>/<api>/v/<version>/<rest>` goes to `<upstreamUrl>/<rest>`, one with a test key to " +
          "`<sandboxUpstreamUrl>/<rest>`. `openapi` is an OpenAPI 3.0 or 3.1 document whose references all point into itself. " +
          "Its paths are those below `upstreamUrl`; when the path of its first server continues that of `upstreamUrl`, the " +
          "rest of it comes before them. It is published with the gateway's addresses, security and answers in place of the " +
          "upstream's."
      )
      .pipe(
        answers({
          example: examples.addVersion,
          rejects: [
            messages.version,
            messages.versionForm,
            messages.upstreamUrl,
            messages.sandboxUpstreamUrl,
            messages.timeoutSeconds,
            messages.openapi,
            unstorableJson("openapi"),
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
        })
      )
  )
  .add(
    HttpApiEndpoint.post("addPlan", "/api/api-marketplace/apis/:apiId/plans")
      .setPath(ById)
      .setPayload(CreatePlan)
      .addSuccess(Schema.Struct({ plan: ApiPlan }), { status: 201 })
      .addError(notFound)
      .addError(fails(PlanNameTaken, 409, "Plan name is already taken"))
      .addError(fails(TooManyPlans, 409, `An API has at most ${limits.plans} plans`))
      .middleware(DashboardMember)
      .annotate(OpenApi.Summary, "Add a plan; it cannot be changed later")
      .pipe(
        answers({
          example: examples.addPlan,
          rejects: [...nameRejects, messages.requestsPerMinute, messages.requestsPerMonth],
          unexpected: "Failed to create plan"
        })
      )
  )
  .add(
    HttpApiEndpoint.post("publish", "/api/api-marketplace/apis/:apiId/publish")
      .setPath(ById)
      .setPayload(NoFields)
      .addSuccess(Ok)
      .addError(notFound)
      .addError(fails(ApiTakenDown, 409, "API was taken down by the operator"))
      .middleware(DashboardMember)
      .annotate(OpenApi.Summary, "Publish an API: it is listed, and the gateway serves it")
      .annotate(
        OpenApi.Description,
        "409 while `taken_down` of the API is not null: the operator took it off the market, and has to allow it first."
      )
      .pipe(answers({ example: examples.publish, unexpected: "Failed to publish API" }))
  )
  .add(
    HttpApiEndpoint.post("unpublish", "/api/api-marketplace/apis/:apiId/unpublish")
      .setPath(ById)
      .setPayload(NoFields)
      .addSuccess(Ok)
      .addError(notFound)
      .middleware(DashboardMember)
      .annotate(OpenApi.Summary, "Make an API a draft again; its subscriptions stay, and rest")
      .pipe(answers({ example: examples.publish, unexpected: "Failed to unpublish API" }))
  )
  .annotate(OpenApi.Title, "API publishing")
  .annotate(
    OpenApi.Description,
    "The company's side of the APIs it publishes: versions, upstreams, plans."
  ) {}
