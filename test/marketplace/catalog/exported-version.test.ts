/** What a version's document becomes in the description of all published APIs. */
import { describe, expect, it } from "vitest"
import { assembled } from "../../../src/marketplace/catalog/exported-document.ts"
import { exportedVersion } from "../../../src/marketplace/catalog/exported-version.ts"
import type { JsonObject } from "../../../src/shared/schemas.ts"
import { openapi } from "../../support/marketplace/publisher.ts"

const place = {
  publisherSlug: "acme",
  apiSlug: "pets",
  version: "1.4",
  upstreamUrl: "https://api.acme.test/v2"
}

/** What the version has in a description of nothing else; of the components only its own, whose names have a `_`. */
const exported = (document: JsonObject | null, upstreamUrl = place.upstreamUrl) => {
  const sections = document === null ? [] : (exportedVersion({ ...place, upstreamUrl }, document) ?? [])
  const head = { info: { title: "", version: "" }, serverUrl: "/" }
  const bytes = assembled(head, [{ place, description: "Cats and dogs.", sections }])
  const { components, paths, tags, webhooks = {} } = JSON.parse(bytes.toString())
  const own = Object.entries(components).flatMap(([section, named]) => {
    const names = Object.entries(Object(named)).filter(([name]) => name.includes("_"))
    return names.length === 0 ? [] : [[section, Object.fromEntries(names)]]
  })
  return { tags, paths, webhooks, components: Object.fromEntries(own) }
}

const ok = { 200: { description: "Good" } }
const gateway = (...statuses: ReadonlyArray<number>) => {
  const names: Readonly<Record<number, string>> = {
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    429: "TooManyRequests",
    502: "BadGateway",
    503: "Unavailable",
    504: "Timeout"
  }
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Gateway${names[status]}` }])
  )
}
const all = gateway(401, 403, 404, 429, 502, 503, 504)
const base = "/acme/pets/v/1.4"
const versionTag = "acme/pets 1.4"

const operationOf = (operation: object) =>
  exported(openapi({ "/x": { get: { responses: ok, ...operation } } })).paths[`${base}/x`].get

const schemaOf = (schema: unknown, version = "3.1.0") =>
  exported({
    ...openapi({}, { components: { schemas: { it: schema, Cat: {}, Dog: {} } } }),
    openapi: version
  }).components.schemas["acme_pets_1.4_it"]

it("a version without a document: only its tag", () => {
  expect(exported(null)).toEqual({
    tags: [{ name: versionTag, description: "Cats and dogs." }],
    paths: {},
    webhooks: {},
    components: {}
  })
})

it("an operation: below the gateway's path, with the gateway's responses, no servers and no security", () => {
  const document = openapi(
    {
      "x-internal-note": "secret",
      "x-note": "kept",
      "/pets/{id}": {
        servers: [{ url: "https://elsewhere.test" }],
        parameters: [{ $ref: "#/components/parameters/id" }],
        get: {
          operationId: "getPet",
          security: [{ basic: [] }],
          servers: [{ url: "https://elsewhere.test" }],
          "x-internal-team": "secret",
          "x-team": "kept",
          responses: ok
        }
      }
    },
    {
      servers: [{ url: "https://api.acme.test/v2" }],
      security: [{ basic: [] }],
      components: {
        parameters: { id: { name: "id", in: "path", required: true, schema: { type: "string" } } },
        securitySchemes: { basic: { type: "http", scheme: "basic" } }
      }
    }
  )
  expect(exported(document)).toEqual({
    tags: [{ name: versionTag, description: "Cats and dogs." }],
    paths: {
      [`${base}/pets/{id}`]: {
        parameters: [{ $ref: "#/components/parameters/acme_pets_1.4_id" }],
        get: {
          operationId: "acme_pets_1.4_getPet",
          tags: [versionTag],
          "x-team": "kept",
          responses: { ...ok, ...all }
        }
      }
    },
    webhooks: {},
    components: {
      parameters: {
        "acme_pets_1.4_id": { name: "id", in: "path", required: true, schema: { type: "string" } }
      }
    }
  })
})

it.each([
  ["https://api.acme.test/v2", "https://api.acme.test/v2", "/x"],
  ["https://api.acme.test/v2", "https://other.test/v2/pets/", "/pets/x"],
  ["https://api.acme.test/v2", "/v2/pets", "/pets/x"],
  ["https://api.acme.test/v2", "https://api.acme.test/v20", "/x"],
  ["https://api.acme.test", "https://{region}.acme.test/{base}", "/v3/x"],
  ["https://api.acme.test", "/", "/x"],
  ["doorlock:echo", "/", "/x"]
] as const)("upstream %s, server %s: the path is %s", (upstream, url, path) => {
  const variables = { region: { default: "eu" }, base: { default: "v3" } }
  const document = openapi({ "/x": {} }, { servers: [{ url, variables }, { url: "https://second.test/y" }] })
  expect(Object.keys(exported(document, upstream).paths)).toEqual([base + path])
})

it.each([
  ["none of its own", ok, { ...ok, ...all }],
  ["its own 404 and 429", { ...ok, 404: { description: "x" }, 429: { description: "y" } }, undefined],
  [
    "its own class of them",
    { ...ok, "4XX": { description: "x" } },
    { ...ok, "4XX": { description: "x" }, ...gateway(502, 503, 504) }
  ],
  ["a default", { default: { description: "x" } }, { default: { description: "x" }, ...all }]
])("the gateway's own responses, besides %s", (_, responses, expected) => {
  expect(operationOf({ responses }).responses).toEqual(
    expected ?? { ...gateway(401, 403, 502, 503, 504), ...responses }
  )
})

it("a # in a path is encoded, so that no client cuts the path off there", () => {
  const document = openapi(
    { "/a#b/{c#d}": { get: { responses: ok } } },
    { components: { links: { l: { operationRef: "#/paths/~1a%23b~1%7Bc%23d%7D/get" } } } }
  )
  const { components, paths } = exported(document)
  expect(Object.keys(paths)).toEqual([`${base}/a%23b/{c#d}`])
  expect(components.links["acme_pets_1.4_l"]).toEqual({
    operationRef: "#/paths/~1acme~1pets~1v~11.4~1a%2523b~1%7Bc%23d%7D/get"
  })
})

it("tags: those of the document, under unique names", () => {
  const tags = [{ name: "cats", description: "Meow" }, { name: "cats" }, { name: "dogs" }]
  const document = openapi(
    { "/x": { get: { tags: ["cats"], responses: ok }, put: { tags: [], responses: ok } } },
    { tags }
  )
  const { paths, tags: published } = exported(document)
  expect(published.map(({ name }: { name: string }) => name)).toEqual([
    versionTag,
    `${versionTag}: cats`,
    `${versionTag}: dogs`
  ])
  expect(paths[`${base}/x`].get.tags).toEqual([`${versionTag}: cats`])
  expect(paths[`${base}/x`].put.tags).toEqual([versionTag])
})

describe("references", () => {
  it.each([
    ["#/components/schemas/Cat", "#/components/schemas/acme_pets_1.4_Cat"],
    ["#/components/schemas/it/properties/a~1b", "#/components/schemas/acme_pets_1.4_it/properties/a~1b"],
    ["#/paths/~1x~1%7Bid%7D/get", "#/paths/~1acme~1pets~1v~11.4~1x~1%7Bid%7D/get"],
    ["#/webhooks/new/post", "#/webhooks/acme_pets_1.4_new/post"]
  ])("%s", (reference, expected) => {
    expect(schemaOf({ $ref: reference, description: "kept" })).toEqual({
      $ref: expected,
      description: "kept"
    })
    expect(schemaOf({ $ref: reference, description: "ignored" }, "3.0.3")).toEqual({ $ref: expected })
    const links = { self: { operationRef: reference, server: { url: "https://x.test" } } }
    expect(operationOf({ responses: { 200: { description: "x", links } } }).responses[200].links).toEqual({
      self: { operationRef: expected }
    })
  })

  it("of every kind, and links by operation id", () => {
    const sections = ["responses", "parameters", "examples", "requestBodies", "headers", "links", "callbacks"]
    const document = openapi(
      {
        "/x": {
          post: {
            operationId: "make",
            parameters: [{ $ref: "#/components/parameters/a" }],
            requestBody: { $ref: "#/components/requestBodies/a" },
            responses: {
              200: { $ref: "#/components/responses/a" },
              201: {
                description: "x",
                headers: { A: { $ref: "#/components/headers/a" } },
                content: { "a/b": { examples: { a: { $ref: "#/components/examples/a" } } } },
                links: { a: { $ref: "#/components/links/a" }, b: { operationId: "make" } }
              }
            },
            callbacks: { a: { $ref: "#/components/callbacks/a" } }
          }
        },
        "/y": { $ref: "#/components/pathItems/a" }
      },
      { components: Object.fromEntries([...sections, "pathItems"].map((section) => [section, { a: {} }])) }
    )
    const { components, paths } = exported(document)
    const text = JSON.stringify(paths)
    for (const section of [...sections, "pathItems"]) {
      expect(components[section]).toEqual({ "acme_pets_1.4_a": {} })
      expect(text).toContain(`{"$ref":"#/components/${section}/acme_pets_1.4_a"}`)
    }
    expect(paths[`${base}/x`].post.responses[201].links.b).toEqual({ operationId: "acme_pets_1.4_make" })
  })

  it.each(["#/components/schemas/Cat", "https://x.test/a", 7])(
    "in data are not references; the data is omitted, because tools would follow %j",
    ($ref) => {
      const data = { a: [{ b: { $ref } }] }
      const kept = { type: "object", "x-kept": [1] }
      expect(
        schemaOf({
          ...kept,
          default: data,
          const: data,
          enum: [data],
          example: data,
          examples: [data],
          "x-a": data
        })
      ).toEqual(kept)
      const content = {
        "application/json": { example: data, examples: { a: { value: data, summary: "s" } } }
      }
      expect(operationOf({ requestBody: { content } }).requestBody.content).toEqual({
        "application/json": { examples: { a: { summary: "s" } } }
      })
      const { components, paths } = exported(
        openapi({ "x-a": data, "/x": { "x-a": data } }, { components: { examples: { E: { value: data } } } })
      )
      expect(paths).toEqual({ [`${base}/x`]: {} })
      expect(components.examples).toEqual({ "acme_pets_1.4_E": {} })
    }
  )
})

it("a discriminator is left out: its values are names, which change", () => {
  const oneOf = [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]
  expect(schemaOf({ oneOf, discriminator: { propertyName: "kind", mapping: { cat: "Cat" } } })).toEqual({
    oneOf: ["Cat", "Dog"].map((own) => ({ $ref: `#/components/schemas/acme_pets_1.4_${own}` }))
  })
})

describe("3.0 becomes 3.1", () => {
  const cat = { $ref: "#/components/schemas/Cat" }
  const named = { $ref: "#/components/schemas/acme_pets_1.4_Cat" }
  it.each([
    [{ type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      { allOf: [cat], nullable: true, title: "t" },
      { title: "t", anyOf: [{ allOf: [named] }, { type: "null" }] }
    ],
    [{ oneOf: [cat], nullable: true }, { oneOf: [named, { type: "null" }] }],
    [{ nullable: true }, {}],
    [
      { minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      { exclusiveMinimum: 1, maximum: 9 }
    ],
    [
      { properties: { nullable: { type: "integer", nullable: true } } },
      { properties: { nullable: { type: ["integer", "null"] } } }
    ],
    [
      { additionalProperties: false, example: { nullable: true } },
      { additionalProperties: false, example: { nullable: true } }
    ]
  ])("%j", (schema, expected) => {
    expect(schemaOf(schema, "3.0.3")).toEqual(expected)
  })
})

describe("requests that the publisher sends", () => {
  const post = {
    operationId: "told",
    security: [{ basic: [] }],
    servers: [{ url: "https://x.test" }],
    responses: ok
  }
  const expected = { operationId: "acme_pets_1.4_told", tags: [versionTag], security: [], responses: ok }

  it("webhooks: under unique names, without the gateway", () => {
    expect(exported(openapi({}, { webhooks: { "new pet": { post } } })).webhooks).toEqual({
      "acme_pets_1.4_new pet": { post: expected }
    })
  })

  it("callbacks: by their expressions, without the gateway", () => {
    const callbacks = { told: { "{$request.body#/url}": { post }, "x-note": 1 } }
    expect(operationOf({ callbacks }).callbacks).toEqual({
      told: { "{$request.body#/url}": { post: expected }, "x-note": 1 }
    })
  })
})

describe("names that break tools are left out", () => {
  const own = (name: string, value: unknown = {}) =>
    JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)

  it.each(["$ref", "$id", "$anchor", "$dynamicAnchor", "__proto__", "hasOwnProperty"])("%s", (name) => {
    expect(schemaOf({ properties: { ...own(name), a: {} }, type: "object" })).toEqual({
      properties: { a: {} },
      type: "object"
    })
    const { callbacks, requestBody, responses } = operationOf({
      callbacks: own(name),
      requestBody: { content: { ...own(name), "a/b": { examples: own(name, { value: 1 }) } } },
      responses: { 200: { description: "Good", headers: own(name), links: own(name) } }
    })
    expect(callbacks).toEqual({})
    expect(requestBody).toEqual({ content: { "a/b": { examples: {} } } })
    expect(responses[200]).toEqual({ description: "Good", headers: {}, links: {} })
  })
})

it.each(["https://json-schema.org/draft/2020-12/schema", "https://spec.openapis.org/oas/3.1/dialect/base"])(
  "a schema does not repeat its dialect, %s, but keeps a property of that name",
  (dialect) => {
    const named = { properties: { $schema: { type: "string" } }, required: ["$schema"] }
    expect(schemaOf({ $schema: dialect, ...named, items: { $schema: dialect } })).toEqual({
      ...named,
      items: {}
    })
  }
)
