import * as HttpApi from "@effect/platform/HttpApi"
import { Context, Option, Schema } from "effect"
import { expect, it } from "vitest"
import { Api } from "../../src/api.ts"
import { RouteMetadata } from "../../src/http/contract/error-responses.ts"
import { describe } from "../../src/http/contract/openapi.ts"
import { lintOpenApi } from "./lint.ts"
import { type Document, goldenFiles } from "./openapi-lines.ts"

const document = describe(Api, "https://doorlock.test")

// The cast: a document is JSON, whose shape a test below checks.
const files = goldenFiles(document as unknown as Document)

it.each([...files])(
  "is the golden file openapi/%s.txt; a change of the contract that is meant renews it: bun run test test/contract -u",
  async (name, text) => {
    await expect(text).toMatchFileSnapshot(`./openapi/${name}.txt`)
  }
)

it("passes Redocly's recommended rules", async () => {
  const problems = await lintOpenApi(document)
  // Health checks have nothing that a caller could do wrong.
  expect(problems.filter(({ rule }) => rule !== "operation-4xx-response")).toEqual([])
})

it("shows none of the framework's own errors", () => {
  expect(JSON.stringify(document)).not.toMatch(/HttpApiDecodeError|ParseError|PropertyKey|_tag/)
})

it("says that no credential is needed only where that is true", () => {
  // The cast: a document is JSON, whose shape the test above checks.
  const free = Object.entries(
    document.paths as Readonly<Record<string, Readonly<Record<string, { readonly description: string }>>>>
  ).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { description }]) =>
      description.includes("Needs no credential.") ? [`${method.toUpperCase()} ${path}`] : []
    )
  )
  expect(free.sort()).toEqual([
    "GET /.well-known/doorlock-receipts.json",
    "GET /api/api-marketplace/apis",
    "GET /api/api-marketplace/apis/{apiId}",
    "GET /api/api-marketplace/apis/{apiId}/openapi.json",
    "GET /api/api-marketplace/openapi.json",
    "GET /api/kyc/captcha/challenge",
    "GET /healthz",
    "GET /readyz",
    "POST /api/auth/login",
    "POST /api/auth/signup",
    "POST /api/kyc/captcha/redeem"
  ])
})

const endpoints: Array<{
  readonly name: string
  readonly payload: Option.Option<Schema.Schema.All>
  readonly success: Schema.Schema.All
  readonly metadata: Option.Option<RouteMetadata>
}> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    endpoints.push({
      name: `${endpoint.method} ${endpoint.path}`,
      payload: endpoint.payloadSchema,
      success: endpoint.successSchema,
      metadata: Context.getOption(endpoint.annotations, RouteMetadata)
    })
  }
})

/** The schemas of a contract need no services; reflection has merely forgotten it. */
const decode = (schema: Schema.Schema.All, value: unknown) =>
  Schema.decodeUnknownSync(schema as Schema.Schema<unknown, unknown>)(value)

it("every route has examples that its own schemas accept", () => {
  const problems = endpoints.flatMap(({ metadata, name, payload, success }) => {
    const { example } = Option.getOrThrow(metadata)
    try {
      decode(success, example?.response)
      if (Option.isSome(payload)) decode(payload.value, example?.request)
      return []
    } catch (error) {
      return [`${name}: ${error}`]
    }
  })
  expect(problems).toEqual([])
})
