import { readdirSync } from "node:fs"
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

it("has no golden file for what is no longer there", () => {
  const onDisk = readdirSync(`${import.meta.dirname}/openapi`)
  expect(onDisk.filter((file) => !files.has(file.replace(".txt", "")))).toEqual([])
})

it("passes Redocly's recommended rules", async () => {
  const problems = await lintOpenApi(document)
  // Health checks have nothing that a caller could do wrong.
  expect(problems.filter(({ rule }) => rule !== "operation-4xx-response")).toEqual([])
  // They find what they are for: a parameter of the path that nobody describes, and a reference that leads nowhere.
  const odd = { get: { responses: { 200: { $ref: "#/components/responses/none" } } } }
  const found = await lintOpenApi({ ...document, paths: { "/a/{id}": odd } })
  expect(found.map(({ at, rule }) => `${rule} ${at}`)).toEqual(
    expect.arrayContaining([
      "path-parameters-defined #/paths/~1a~1{id}/get/parameters",
      expect.stringMatching(/^no-unresolved-refs /)
    ])
  )
})

it("shows none of the framework's own errors", () => {
  expect(JSON.stringify(document)).not.toMatch(/HttpApiDecodeError|ParseError|PropertyKey|_tag/)
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
