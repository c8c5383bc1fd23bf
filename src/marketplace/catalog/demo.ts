import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { newId } from "../../shared/identifier.ts"
import { stepsOfDocument } from "./allowance.ts"
import { echoUpstream } from "./echo-service.ts"
import { entries } from "./entries-model.ts"
import { fragmentOf, packed } from "./fragment.ts"
import { PublishingRepo } from "./publishing-repo.ts"

const echoed = {
  description: "The request, as it arrived",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Echo" } } }
}

const methods = ["get", "post", "put", "patch", "delete"] as const

export const demoDocument = {
  openapi: "3.1.1",
  info: { title: "Echo", version: "1" },
  paths: {
    "/v1/health": {
      get: {
        operationId: "health",
        summary: "Whether it is well",
        responses: {
          200: {
            description: "It is",
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["status"],
                  properties: { status: { type: "string", const: "ok" } }
                }
              }
            }
          }
        }
      }
    },
    "/v1/echo": Object.fromEntries(
      methods.map((method) => [
        method,
        {
          operationId: `${method}Echo`,
          summary: "What was asked, as it arrived",
          ...(method === "get" || method === "delete"
            ? undefined
            : { requestBody: { content: { "*/*": {} } } }),
          responses: { 200: echoed }
        }
      ])
    )
  },
  components: {
    schemas: {
      Echo: {
        type: "object",
        required: ["method", "path", "query", "headers", "body"],
        properties: {
          method: { type: "string" },
          path: { type: "string" },
          query: { type: "string", description: "With its question mark; empty when there is none." },
          headers: { type: "object", additionalProperties: { type: "string" } },
          body: { type: "string" }
        }
      }
    }
  }
}

const plans = [
  { name: "Free", requestsPerMinute: 60, requestsPerMonth: 10_000 },
  { name: "Pro", requestsPerMinute: 600, requestsPerMonth: 1_000_000 },
  { name: "Unlimited", requestsPerMinute: null, requestsPerMonth: null }
]

/**
 * Publishes `demo/echo`, version `1`, for a company in a database without published APIs; a conflict is a
 * defect. Writes straight to the tables: no publisher may have this upstream, and a test covers the other
 * checks of a version.
 */
export const publishDemo = (by: Actor) =>
  Effect.gen(function* () {
    const { companyId } = by
    const repo = yield* PublishingRepo
    const audit = yield* Audit
    const publisher = yield* repo.insertPublisher({ id: newId(), companyId, slug: "demo", name: "Demo" })
    const api = { id: newId(), slug: "echo", name: "Echo" }
    const apiId = api.id
    const description = "Answers what it was asked: a first API to call through the gateway."
    yield* repo.insertApi({ ...api, companyId, description }, 1)
    const place = {
      publisherSlug: publisher.slug,
      apiSlug: api.slug,
      version: "1",
      upstreams: [echoUpstream]
    } as const
    const version = yield* repo.insertVersion({
      id: newId(),
      companyId,
      apiId,
      version: place.version,
      upstreamUrl: echoUpstream,
      sandboxUpstreamUrl: null,
      timeoutSeconds: 30,
      openapi: JSON.stringify(demoDocument),
      fragment: packed(fragmentOf(place, demoDocument, stepsOfDocument()))
    })
    const offered = yield* Effect.forEach(plans, (plan) =>
      repo.insertPlan({ id: newId(), companyId, apiId, ...plan })
    )
    const published = yield* repo.setPublished(companyId, apiId, true)
    const done = [
      entries.publisher(publisher),
      entries.api(api),
      entries.version(apiId, version),
      ...offered.map((plan) => entries.plan(apiId, plan)),
      ...entries.published(apiId, true, published)
    ]
    yield* Effect.forEach(done, (entry) => audit.append(by, entry), { discard: true })
  }).pipe(Effect.orDie)
