/** What is taken for a description of an API, and the sentence for what is not. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { demoDocument } from "../../src/marketplace/catalog/demo.ts"
import { OpenApiDocuments } from "../../src/marketplace/catalog/openapi-documents.ts"
import { referenceProblem } from "../../src/marketplace/catalog/openapi-references.ts"
import { schemaProblem } from "../../src/marketplace/catalog/openapi-schema.ts"
import type { JsonObject } from "../../src/model.ts"
import { openapi } from "../support/publisher.ts"
import { watched } from "../support/watched.ts"

const problemOf = (document: JsonObject) =>
  Effect.runPromise(
    Effect.flatMap(OpenApiDocuments, ({ check }) => check(document)).pipe(
      Effect.match({ onSuccess: () => undefined, onFailure: ({ problem }) => problem }),
      Effect.provide(OpenApiDocuments.Default)
    )
  )

const old = (paths: object, more: object = {}) => ({ ...openapi(paths, more), openapi: "3.0.3" })
const schemas = (schemas: object) => openapi({}, { components: { schemas } })
const ok = { 200: { description: "Good" } }
const none = "openapi must be an OpenAPI 3.0 or 3.1 document"
const outside = "must point into components, paths or webhooks of the document"

describe("refused", () => {
  it.each<readonly [string, JsonObject]>([
    [none, {}],
    [none, { swagger: "2.0" }],
    [none, { ...openapi(), openapi: "3.2.0" }],
    [none, { ...openapi(), openapi: 3.1 }],
    [none, { ...openapi(), openapi: "3.1" }],
    ['openapi must have the field "info"', { openapi: "3.1.0", paths: {} }],
    ['openapi must have the field "info"', { openapi: "3.0.0", paths: {} }],
    ['openapi must have the field "paths"', { openapi: "3.0.0", info: { title: "x", version: "1" } }],
    ["openapi.paths must be object", openapi([])],
    ['openapi.paths must not have the field "x"', openapi({ x: {} })],
    [
      'openapi.paths["/x"].get.parameters[0] must have the field "name"',
      openapi({ "/x": { get: { parameters: [{ in: "query", schema: {} }] } } })
    ],
    [
      'openapi.paths["/x"].get.responses[200] must have the field "description"',
      old({ "/x": { get: { responses: { 200: {} } } } })
    ],
    [
      'openapi.paths["/x"].get must not have the field "foo"',
      old({ "/x": { get: { responses: ok, foo: 1 } } })
    ],
    [
      "openapi.components.schemas.a.type must be one of array, boolean, integer, null, number, object, string",
      schemas({ a: { type: "text" } })
    ],
    [
      "openapi.components.schemas.a.properties.b.minimum must be number",
      schemas({ a: { properties: { b: { minimum: "1" } } } })
    ],
    [`openapi.components.schemas.a.$ref ${outside}`, schemas({ a: { $ref: "https://x.test/a.json" } })],
    [`openapi.components.schemas.a.$ref ${outside}`, schemas({ a: { $ref: "other.yaml#/a" } })],
    [`openapi.components.schemas.a.$ref ${outside}`, schemas({ a: { $ref: "#/components/schemas/b" } })],
    [`openapi.components.schemas.a.$ref ${outside}`, schemas({ a: { $ref: "#/info/title" } })],
    [`openapi.components.schemas.a.$ref ${outside}`, schemas({ a: { $ref: "#" } })],
    [`openapi.components.schemas.a.$ref ${outside}`, schemas({ a: { $ref: "#/components/schemas/%zz" } })],
    [
      `openapi.components.schemas.a.$ref ${outside}`,
      schemas({ a: { $ref: "#/components/schemas/toString" } })
    ],
    [
      "openapi.components.schemas.a.$id is not supported: refer by #/components/schemas",
      schemas({ a: { $id: "https://x.test/a" } })
    ],
    [
      "openapi.components.schemas.a.discriminator.mapping.b must be a schema of the document",
      schemas({ a: { discriminator: { propertyName: "p", mapping: { b: "c" } } } })
    ],
    [
      "openapi.jsonSchemaDialect must be that of OpenAPI 3.1",
      openapi({}, { jsonSchemaDialect: "http://json-schema.org/draft-07/schema#" })
    ],
    ['openapi.paths["/a/../b"] must not have the segments . and ..', openapi({ "/a/../b": {} })],
    ['openapi.paths["/a/%2E%2e"] must not have the segments . and ..', openapi({ "/a/%2E%2e": {} })],
    ['openapi.paths["/a?b"] must not have a query or fragment', openapi({ "/a?b": {} })],
    [
      'openapi.paths["/{b}"] must be unlike every other path, whatever its parameters are called',
      openapi({ "/{a}": {}, "/{b}": {} })
    ],
    [
      'openapi.paths["/b"].get.operationId must be unique',
      openapi({
        "/a": { get: { operationId: "o", responses: ok } },
        "/b": { get: { operationId: "o", responses: ok } }
      })
    ],
    [
      'openapi.paths["/a"].get.responses[200].links.l.operationId must be that of an operation',
      openapi({
        "/a": { get: { responses: { 200: { description: "x", links: { l: { operationId: "o" } } } } } }
      })
    ],
    [
      `openapi.paths["/a"].get.responses[200].links.l.operationRef ${outside}`,
      openapi({
        "/a": {
          get: {
            responses: {
              200: { description: "x", links: { l: { operationRef: "https://x.test#/paths/~1a/get" } } }
            }
          }
        }
      })
    ],
    [
      "openapi.paths must have at most 1000 operations",
      openapi(
        Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`/${n}`, { get: { responses: ok } }]))
      )
    ],
    [
      `openapi.paths[${JSON.stringify(`/${"a".repeat(79)}`)}].get must be object`,
      openapi({ [`/${"a".repeat(500)}`]: { get: 1 } })
    ]
  ])("%s", async (sentence, document) => {
    expect(await problemOf(document)).toBe(sentence)
  })

  it("one that is too large once it is published", async () => {
    const reference = { $ref: "#/components/schemas/a" }
    const many = { allOf: Array.from({ length: 20_000 }, () => reference) }
    expect(await problemOf(schemas({ a: { type: "string" }, many }))).toBe("openapi is too large")
  })
})

describe("taken", () => {
  it.each<readonly [string, JsonObject]>([
    ["the demo API's", demoDocument],
    ["3.0", old({ "/x": { get: { responses: ok } } })],
    [
      "3.1 with webhooks alone",
      { openapi: "3.1.1", info: { title: "x", version: "1" }, webhooks: { a: {} } }
    ],
    ["paths that differ in a segment", openapi({ "/{a}/x": {}, "/{a}/y": {} })],
    [
      "names and data that look like something else",
      openapi({
        "/x": {
          get: {
            responses: {
              200: {
                description: "x",
                content: {
                  "application/json": {
                    example: { $ref: "https://x.test", $id: "y" },
                    schema: {
                      type: "object",
                      properties: { $ref: { type: "string" }, $id: {}, servers: {}, discriminator: {} },
                      default: { $ref: 7 }
                    }
                  }
                }
              }
            }
          }
        }
      })
    ],
    ["formats that are none", schemas({ a: { type: "string", format: "a format of ours" } })],
    ["keywords that are none", schemas({ a: { type: "string", nullable: true, "x-y": 1 } })],
    [
      "the dialect of OpenAPI",
      openapi({}, { jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base" })
    ],
    ["keys such as __proto__", schemas(JSON.parse('{"a":{"properties":{"__proto__":{"type":"string"}}}}'))]
  ])("%s", async (_, document) => {
    expect(await problemOf(document)).toBeUndefined()
  })
})

describe("answers for long documents, whatever is in them", () => {
  const long = (text: string) => text.repeat(900_000 / text.length)
  const described = (description: string) => openapi({ "/x": { get: { description, responses: ok } } })
  const documents: ReadonlyArray<readonly [string, JsonObject, string?]> = [
    ["braces in a server", openapi({}, { servers: [{ url: long("{") }] })],
    ["slashes in a server", openapi({}, { servers: [{ url: `/${long("/")}x` }] })],
    ["braces in a path", openapi({ [`/${long("{")}`]: {} })],
    ["slashes in a path", openapi({ [`${long("/")}x`]: {} })],
    ["slashes in words", described(long("//"))],
    ["an upstream in words", described(long("//upstream.invalid")), "openapi is too large"],
    ["digits behind an upstream", described(`//upstream.invalid:${long("1")}`)],
    [
      "a long reference",
      schemas({ a: { $ref: `#/components/schemas/${long("a/")}` } }),
      `openapi.components.schemas.a.$ref ${outside}`
    ],
    ["a long operation id", openapi({ "/x": { get: { operationId: long("a"), responses: ok } } })],
    [
      "many schemas that extend one",
      schemas({
        a: { discriminator: { propertyName: "p" } },
        ...Object.fromEntries(
          Array.from({ length: 15_000 }, (_, n) => [`s${n}`, { allOf: [{ $ref: "#/components/schemas/a" }] }])
        )
      }),
      "openapi is too large"
    ],
    [
      "wrong in every alternative",
      schemas({ a: { oneOf: Array.from({ length: 20_000 }, () => ({ minimum: "x" })) } }),
      "openapi.components.schemas.a.oneOf[0].minimum must be number"
    ]
  ]
  for (const [what, document, problem] of documents) {
    // At once, but for what grows with the square of a text's length, which no count of looks shows: that runs into the test's time.
    it(what, async () => expect(await problemOf(document)).toBe(problem))
  }
})

describe("twice as much in a document is looked at twice as often, or little more", () => {
  const names = (size: number) => Array.from({ length: size }, (_, n) => `s${n}`)
  const shapes: ReadonlyArray<readonly [string, (size: number) => JsonObject]> = [
    [
      "paths",
      (size) =>
        openapi(Object.fromEntries(names(size).map((name) => [`/${name}/{id}`, { get: { responses: ok } }])))
    ],
    [
      "references to one schema",
      (size) =>
        schemas({
          a: { type: "string" },
          many: { allOf: names(size).map(() => ({ $ref: "#/components/schemas/a" })) }
        })
    ],
    [
      "schemas that extend one",
      (size) =>
        schemas({
          a: { discriminator: { propertyName: "p" } },
          ...Object.fromEntries(
            names(size).map((name) => [name, { allOf: [{ $ref: "#/components/schemas/a" }] }])
          )
        })
    ],
    [
      "a chain of references",
      (size) =>
        schemas(
          Object.fromEntries(
            names(size).map((name, n) => [name, n === 0 ? {} : { $ref: `#/components/schemas/s${n - 1}` }])
          )
        )
    ],
    ["wrong alternatives", (size) => schemas({ a: { oneOf: names(size).map(() => ({ minimum: "x" })) } })]
  ]
  const checks = {
    "the schema": (document: JsonObject) => schemaProblem("3.1", document),
    references: async (document: JsonObject) => referenceProblem(document)
  }
  for (const [what, ofSize] of shapes) {
    it.each(Object.entries(checks))(`${what}: %s`, async (_, check) => {
      const looksAt = async (size: number) => {
        const { document, looks } = watched(ofSize(size))
        await check(document)
        return looks()
      }
      const looks = await looksAt(200)
      expect(looks).toBeGreaterThan(0)
      expect(await looksAt(400)).toBeLessThanOrEqual(2.2 * looks)
    })
  }
})
