/** Which documents are accepted as an API's description, and the error message for all others. */
import { describe, expect, it } from "vitest"
import { demoDocument } from "../../../src/marketplace/catalog/demo.ts"
import { checkDocument } from "../../../src/marketplace/catalog/openapi-check.ts"
import type { JsonObject } from "../../../src/shared/schemas.ts"
import { openapi } from "../../support/marketplace/publisher.ts"

/** Every published name gets all of this as a prefix. */
const place = {
  publisherSlug: "p".repeat(63),
  apiSlug: "a".repeat(63),
  version: "v".repeat(64),
  upstreamUrl: "https://api.upstream.test"
}

const problemOf = (document: JsonObject) => {
  const checked = checkDocument(JSON.stringify(document), place)
  return "problem" in checked ? checked.problem : undefined
}

const old = (paths: object, more: object = {}) => ({ ...openapi(paths, more), openapi: "3.0.3" })
const schemas = (schemas: object) => openapi({}, { components: { schemas } })
const ok = { 200: { description: "Good" } }
/** A server whose URL is long through the variable `a`. */
const longServer = (url: string, length: number) =>
  openapi({}, { servers: [{ url, variables: { a: { default: "a".repeat(length) } } }] })
/** A document with a target for each kind of reference, and more. */
const referring = (more: Readonly<Record<string, object>>) => {
  const components: Readonly<Record<string, object>> = {
    schemas: { s: { properties: { p: {} }, allOf: [{}], not: false, example: {}, enum: [{}], "x-a": {} } },
    responses: { r: { description: "", content: { "a/b": {} } } },
    parameters: { p: { name: "p", in: "query", schema: {} } },
    headers: { h: { schema: {} } },
    examples: { e: { value: {} } },
    pathItems: { i: {} }
  }
  const names = new Set([...Object.keys(components), ...Object.keys(more)])
  return openapi(
    { "x-a": {}, "/x": { get: { operationId: "x", responses: ok } } },
    {
      tags: [{ name: "t" }],
      components: Object.fromEntries([...names].map((name) => [name, { ...components[name], ...more[name] }]))
    }
  )
}
const longAddress = "openapi.servers[0].url must be at most 2048 characters with its variables"
const none = "openapi must be an OpenAPI 3.0 or 3.1 document"
const outside = "must point to a schema in components, paths or webhooks of the document"

describe("refused", () => {
  it.each<readonly [string, JsonObject]>([
    [none, {}],
    [none, { swagger: "2.0" }],
    [none, { ...openapi(), openapi: "3.2.0" }],
    [none, { ...openapi(), openapi: "3.1" }],
    ['openapi must have the field "info"', { openapi: "3.1.0", paths: {} }],
    ['openapi must have the field "paths"', { openapi: "3.0.0", info: { title: "x", version: "1" } }],
    ["openapi.paths must be object", openapi([])],
    ['openapi.paths must not have the field "x"', openapi({ x: {} })],
    [
      'openapi.paths["/x"].get.parameters[0] must have the field "name"',
      openapi({ "/x": { get: { parameters: [{ in: "query", schema: {} }] } } })
    ],
    [
      'openapi.paths["/x"].get must not have the field "foo"',
      old({ "/x": { get: { responses: ok, foo: 1 } } })
    ],
    [
      "openapi.components.schemas.a.type must be one of array, boolean, integer, null, number, object, string",
      schemas({ a: { type: "text" } })
    ],
    ...(
      [
        ["#/components/responses/r", "a response"],
        ["#/components/parameters/p", "a parameter"],
        ["#/components/headers/h", "a header"],
        ["#/components/pathItems/i", "a path item"],
        ["#/paths/~1x/get", "an operation"],
        ["#/components/responses/r/content/a~1b", "a media type"]
      ] as const
    ).map(
      ([$ref, title]) =>
        [
          `openapi.components.schemas.a.$ref must point to a schema, and points to ${title}`,
          referring({ schemas: { a: { $ref } } })
        ] as const
    ),
    ...[
      "https://x.test/a.json",
      "#",
      "#/components/schemas/b",
      "#/components/schemas/%zz",
      "#/components/schemas/toString",
      "#/components/responses",
      "#/components/responses/r/content",
      "#/components/schemas/s/properties",
      "#/components/schemas/s/example",
      "#/components/examples/e/value",
      "#/paths/x-a",
      "#/paths/~1x/get/operationId",
      "#/components/schemas/s/allOf/length",
      "#/components/schemas/s/allOf/00",
      "#/components/parameters/p/name",
      "#/tags/0",
      "#/info"
    ].map(
      ($ref) =>
        [`openapi.components.schemas.a.$ref ${outside}`, referring({ schemas: { a: { $ref } } })] as const
    ),
    [
      "openapi.components.parameters.a.$ref must point to a parameter, and points to a header",
      referring({ parameters: { a: { $ref: "#/components/headers/h" } } })
    ],
    [
      "openapi.components.links.a.operationRef must point to an operation, and points to a path item",
      referring({ links: { a: { operationRef: "#/paths/~1x" } } })
    ],
    [
      "openapi.components.schemas.a.$ref must not lead back to itself, nor through more than 32 references",
      schemas({ a: { $ref: "#/components/schemas/b" }, b: { $ref: "#/components/schemas/a" } })
    ],
    [
      "openapi.components.schemas.a.$id is not supported: refer by #/components/schemas",
      schemas({ a: { $id: "https://x.test/a" } })
    ],
    [
      "openapi.jsonSchemaDialect must be that of OpenAPI 3.1",
      openapi({}, { jsonSchemaDialect: "http://json-schema.org/draft-07/schema#" })
    ],
    ...["/a/../b", "/a/%2E%2e", "/a/%252e%252E/b", "/a/..;x/b", "/a/.%2e%2fb", "/%c0%ae./b"].map(
      (path) =>
        [
          `openapi.paths[${JSON.stringify(path)}] must not have the segments . and ..`,
          openapi({ [path]: {} })
        ] as const
    ),
    ...["/..\\..\\other/api/v/1/x", "/a\\b", "/a/{b\\c}", "/a%00b", "/a%252500b"].map(
      (path) =>
        [
          `openapi.paths[${JSON.stringify(path)}] must not have a backslash or an encoded NUL`,
          openapi({ [path]: {} })
        ] as const
    ),
    ...["/base/%2e%2e%2f..%2fvictim", "https://x.test/base/%252e%252e", "/base/..;x", "/{a}%2f"].map(
      (url) =>
        [
          "openapi.servers[0].url must not have the segments . and ..",
          openapi({}, { servers: [{ url, variables: { a: { default: "base/..%2f.." } } }] })
        ] as const
    ),
    [
      "openapi.servers[0].url must not have a backslash or an encoded NUL",
      openapi({}, { servers: [{ url: "/base/%00" }] })
    ],
    [
      "openapi.components.schemas.a.$schema must be that of OpenAPI 3.1",
      schemas({ a: { $schema: "http://json-schema.org/draft-04/schema#" } })
    ],
    [
      "openapi.components.schemas.a.anyOf[0].$schema must be that of OpenAPI 3.1",
      schemas({ a: { anyOf: [{ $schema: "https://json-schema.org/draft/2020-12/schema#" }] } })
    ],
    [
      "openapi.components.schemas.a.$vocabulary is not supported",
      schemas({ a: { $vocabulary: { "https://x.test/v": true } } })
    ],
    ['openapi.paths["/a?b"] must not have a query', openapi({ "/a?b": {} })],
    [
      'openapi.paths["/{b}"] must be unlike every other path, whatever its parameters are called: "/{a}" is the same',
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
      'openapi.paths["/a"].get.responses[200].links.l.operationRef must point to an operation in components, paths or webhooks of the document',
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
      'openapi.paths["/a%23b"] must be unlike every other path, whatever its parameters are called: "/a#b" is the same',
      openapi({ "/a#b": {}, "/a%23b": {} })
    ],
    [
      "openapi.tags must not have the same item twice",
      old({}, { tags: [{ name: "a", description: "b" }, { name: "c" }, { description: "b", name: "a" }] })
    ],
    [longAddress, longServer("/{a}{a}", 1_500)],
    [
      `openapi.paths[${JSON.stringify(`/${"a".repeat(79)}`)}].get must be object`,
      openapi({ [`/${"a".repeat(500)}`]: { get: 1 } })
    ]
  ])("%s", (sentence, document) => {
    expect(problemOf(document)).toBe(sentence)
  })
})

describe("accepted", () => {
  it.each<readonly [string, JsonObject]>([
    ["the demo API's", demoDocument],
    [
      "3.1 with webhooks alone",
      { openapi: "3.1.1", info: { title: "x", version: "1" }, webhooks: { a: {} } }
    ],
    [
      "references to what is of their kind, wherever it is",
      referring({
        schemas: {
          a: { $ref: "#/components/schemas/s/properties/p" },
          d: { $ref: "#/components/schemas/s/allOf/0" },
          e: { $ref: "#/components/schemas/s/not" },
          b: { $ref: "#/components/parameters/p/schema" },
          c: { $ref: "#/components/headers/h/schema" }
        },
        callbacks: { a: { "{$url}": { $ref: "#/components/pathItems/i" } } },
        links: { a: { operationRef: "#/paths/~1x/get" } },
        headers: { a: { $ref: "#/components/headers/h" } }
      })
    ],
    [
      "paths with a #, which is part of them, and names that differ from it",
      openapi({ "/a#b": {}, "/a#c": {}, "/a": {}, "/{x#y}#z": {} })
    ],
    [
      "paths with dots that are no segments, and with a slash that is encoded",
      openapi(
        { "/a..b/{c}.json": {}, "/.well-known/a%2Fb": {}, "/...": {} },
        { servers: [{ url: "/v1..2/" }] }
      )
    ],
    [
      "schemas that name the dialect",
      schemas({
        a: { $schema: "https://json-schema.org/draft/2020-12/schema" },
        b: { $schema: "https://spec.openapis.org/oas/3.1/dialect/base" },
        c: { properties: { $schema: { type: "string" }, $vocabulary: {} }, example: { $schema: "x" } }
      })
    ],
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
    ["keywords that are none", schemas({ a: { type: "string", nullable: true, "x-y": 1 } })],
    ["keys such as __proto__", schemas(JSON.parse('{"a":{"properties":{"__proto__":{"type":"string"}}}}'))]
  ])("%s", (_, document) => {
    expect(problemOf(document)).toBeUndefined()
  })
})

describe("gives a result for long documents of any content", () => {
  const long = (text: string) => text.repeat(900_000 / text.length)
  const documents: ReadonlyArray<readonly [string, JsonObject, string?]> = [
    ["braces in a server", openapi({}, { servers: [{ url: long("{") }] }), longAddress],
    ["braces in a path", openapi({ [`/${long("{")}`]: {} })],
    ["slashes in a path", openapi({ [`${long("/")}x`]: {} })],
    ["percent signs that are encoded again and again", openapi({ [`/%${long("25")}`]: {} })],
    [
      "a long reference",
      schemas({ a: { $ref: `#/components/schemas/${long("a/")}` } }),
      `openapi.components.schemas.a.$ref ${outside}`
    ],
    [
      "tags, which must be unique",
      old({}, { tags: Array.from({ length: 30_000 }, (_, n) => ({ name: `${n}` })) }),
      "openapi is too large"
    ],
    [
      "a chain of references",
      schemas(
        Object.fromEntries(
          Array.from({ length: 15_000 }, (_, n) => [
            `s${n}`,
            n === 0 ? {} : { $ref: `#/components/schemas/s${n - 1}` }
          ])
        )
      ),
      "openapi.components.schemas.s33.$ref must not lead back to itself, nor through more than 32 references"
    ],
    [
      "wrong in every alternative",
      schemas({ a: { oneOf: Array.from({ length: 20_000 }, () => ({ minimum: "x" })) } }),
      "openapi.components.schemas.a.oneOf[0].minimum must be number"
    ]
  ]
  for (const [what, document, problem] of documents) {
    // At once where time grows with the length. Where it grows with its square, not before the end of the test's time.
    it(what, () => expect(problemOf(document)).toBe(problem))
  }
})

it.each<readonly [string, JsonObject]>([
  [
    "references to an operation",
    openapi(
      {
        "/x": {
          get: {
            responses: {
              200: {
                description: "",
                links: Object.fromEntries(
                  Array.from({ length: 20_000 }, (_, n) => [`l${n}`, { operationRef: "#/paths/~1x/get" }])
                )
              }
            }
          }
        }
      },
      { servers: [{ url: `/base/${"e".repeat(2_000)}` }] }
    )
  ],
  [
    "tags of an operation",
    openapi({ "/x": { get: { responses: ok, tags: Array.from({ length: 200_000 }, () => "t") } } })
  ]
])("short names that become long: %s", (_, document) => {
  expect(problemOf(document)).toBe("openapi is too large")
})
