import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { echoUpstream } from "./echo-service.ts"
import { exportedVersion } from "./exported-version.ts"
import { Publishing } from "./publishing-service.ts"

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
        summary: "Check the health of the service",
        responses: {
          200: {
            description: "The service is healthy",
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
          summary: "Return the request as it arrived",
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
  { name: "Pro", requestsPerMinute: 600, requestsPerMonth: 100_000 }
]

/**
 * Publishes `demo/echo`, version `1`, for a company in a database without published APIs; a conflict is a
 * defect. No publisher may have its upstream, so it skips the checks of a version; a test runs them on its document.
 */
export const publishDemo = (by: Actor) =>
  Effect.gen(function* () {
    const publishing = yield* Publishing
    const { slug: publisherSlug } = yield* publishing.addPublisher(by, { slug: "demo", name: "Demo" })
    const { id, slug: apiSlug } = yield* publishing.addApi(by, {
      slug: "echo",
      name: "Echo",
      description: "Returns the request that it receives: a first API to call through the gateway."
    })
    const version = "1"
    const place = { publisherSlug, apiSlug, version, upstreamUrl: echoUpstream }
    yield* publishing.addChecked(
      by,
      id,
      { version, upstreamUrl: echoUpstream, openapi: JSON.stringify(demoDocument) },
      exportedVersion(place, demoDocument) ?? null
    )
    for (const plan of plans) yield* publishing.addPlan(by, id, plan)
    yield* publishing.publish(by, id)
  }).pipe(Effect.orDie)
