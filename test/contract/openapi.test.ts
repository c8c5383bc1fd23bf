import * as HttpApi from "@effect/platform/HttpApi"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { Api } from "../../src/api.ts"
import { Answers } from "../../src/http/contract.ts"
import { about, describe } from "../../src/http/openapi.ts"
import { lintOpenApi } from "./lint.ts"

const document = describe(Api, { ...about, serverUrl: "https://doorlock.test" })

it("is the golden file; a change of the contract that is meant renews it: bun run test test/contract -u", async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("./openapi.golden.json")
})

it("passes Redocly's recommended rules", async () => {
  const problems = await lintOpenApi(document)
  // Health checks have nothing that a caller could do wrong.
  expect(problems.filter(({ rule }) => rule !== "operation-4xx-response")).toEqual([])
})

it("shows nothing of the framework's own errors", () => {
  expect(JSON.stringify(document)).not.toMatch(/HttpApiDecodeError|ParseError|PropertyKey|_tag/)
})

const endpoints: Array<{
  readonly name: string
  readonly payload: Option.Option<Schema.Schema.All>
  readonly success: Schema.Schema.All
  readonly answers: Option.Option<Answers>
}> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    endpoints.push({
      name: `${endpoint.method} ${endpoint.path}`,
      payload: endpoint.payloadSchema,
      success: endpoint.successSchema,
      answers: Context.getOption(endpoint.annotations, Answers)
    })
  }
})

/** The schemas of a contract need no services; reflection has merely forgotten it. */
const decode = (schema: Schema.Schema.All, value: unknown) =>
  Schema.decodeUnknownSync(schema as Schema.Schema<unknown, unknown>)(value)

it.each(endpoints)("$name has examples that its own schemas accept", ({ answers, payload, success }) => {
  const { example } = Option.getOrThrow(answers)
  expect(example).toBeDefined()
  expect(() => decode(success, example?.response)).not.toThrow()
  if (Option.isSome(payload)) expect(() => decode(payload.value, example?.request)).not.toThrow()
})
