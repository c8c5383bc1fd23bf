/** What a version's document becomes in the description of all published APIs. */

import { domainToUnicode } from "node:url"
import { describe, expect, it } from "vitest"
import { stepsOfDocument } from "../../../src/marketplace/catalog/allowance.ts"
import { assembled } from "../../../src/marketplace/catalog/exported-document.ts"
import { fragmentOf, packed } from "../../../src/marketplace/catalog/fragment.ts"
import type { JsonObject } from "../../../src/shared/schemas.ts"
import { openapi } from "../../support/marketplace/publisher.ts"

const place = {
  publisherSlug: "acme",
  apiSlug: "pets",
  version: "1.4",
  upstreams: ["https://api.acme.test/v2", "http://sandbox:8080"]
} as const

/** What the version has in a description of nothing else; of the components only its own, whose names have a `_`. */
const exported = (
  document: JsonObject | null,
  upstreams: readonly [string, ...string[]] = place.upstreams
) => {
  const fragment =
    document === null ? undefined : fragmentOf({ ...place, upstreams }, document, stepsOfDocument())
  const head = { info: { title: "", version: "" }, serverUrl: "/" }
  const pieces = assembled(head, [{ place, description: "Cats and dogs.", fragment }])
  const { components, paths, tags, webhooks = {} } = JSON.parse(Buffer.concat(pieces).toString())
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
  [["https://api.acme.test/v2"], "https://api.acme.test/v2", "/x"],
  [["https://api.acme.test/v2"], "https://other.test/v2/pets/", "/pets/x"],
  [["https://api.acme.test/v2"], "/v2/pets", "/pets/x"],
  [["https://api.acme.test/v2"], "https://api.acme.test/v20", "/x"],
  [["https://api.acme.test"], "https://{region}.acme.test/{base}", "/v3/x"],
  [["https://api.acme.test"], "/", "/x"],
  [["doorlock:echo"], "/", "/x"]
] as const)("upstream %s, server %s: the path is %s", (upstreams, url, path) => {
  const variables = { region: { default: "eu" }, base: { default: "v3" } }
  const document = openapi({ "/x": {} }, { servers: [{ url, variables }, { url: "https://second.test/y" }] })
  expect(Object.keys(exported(document, [...upstreams]).paths)).toEqual([base + path])
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

  it.each(["#/components/schemas/Cat", "#/components/examples/E/value", "https://x.test/a", "?", 7, null])(
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

  it.each(["$id", "$anchor", "$dynamicAnchor", "__proto__", "hasOwnProperty"])(
    "data with the name %s is omitted too",
    (name) => {
      const data = { a: [JSON.parse(`{${JSON.stringify(name)}:"not ok!!"}`)] }
      expect(schemaOf({ title: "kept", example: data, "x-a": data })).toEqual({ title: "kept" })
    }
  )

  it("other data and properties stay unchanged", () => {
    const data = {
      nullable: true,
      "x-internal-a": 1,
      servers: [{ url: "u" }]
    }
    const schema = {
      properties: { id: { type: "string" }, "x-internal-a": { type: "string" }, servers: {} },
      default: data,
      const: data,
      enum: [data],
      example: data,
      examples: [data]
    }
    expect(schemaOf(schema)).toEqual(schema)
    const content = { "application/json": { example: data, examples: { a: { value: data } } } }
    expect(operationOf({ requestBody: { content } }).requestBody).toEqual({ content })
  })
})

describe("discriminators keep their values", () => {
  const mapped = (own: string) => `#/components/schemas/acme_pets_1.4_${own}`

  it("of alternatives without a mapping", () => {
    const oneOf = [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]
    expect(schemaOf({ oneOf, discriminator: { propertyName: "kind" } }).discriminator).toEqual({
      propertyName: "kind",
      mapping: { Cat: mapped("Cat"), Dog: mapped("Dog") }
    })
  })

  it("with a mapping by name and by reference", () => {
    const oneOf = [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]
    const mapping = { cat: "Cat", feline: "#/components/schemas/Cat" }
    expect(
      schemaOf({ oneOf, discriminator: { propertyName: "kind", mapping } }).discriminator.mapping
    ).toEqual({
      Dog: mapped("Dog"),
      cat: mapped("Cat"),
      feline: mapped("Cat")
    })
  })

  it("of schemas that extend the one that has it", () => {
    const Pet = { type: "object", discriminator: { propertyName: "kind" } }
    const Fish = { allOf: [{ $ref: "#/components/schemas/Pet" }, { type: "object" }] }
    const { schemas } = exported(openapi({}, { components: { schemas: { Pet, Fish } } })).components
    expect(schemas["acme_pets_1.4_Pet"].discriminator.mapping).toEqual({
      Pet: mapped("Pet"),
      Fish: mapped("Fish")
    })
  })
})

describe("3.0 becomes 3.1", () => {
  const cat = { $ref: "#/components/schemas/Cat" }
  const named = { $ref: "#/components/schemas/acme_pets_1.4_Cat" }
  it.each([
    [{ type: "string", nullable: true }, { type: ["string", "null"] }],
    [{ type: "string", nullable: false }, { type: "string" }],
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
    [{ exclusiveMinimum: true }, {}],
    [
      { type: "string", format: "byte" },
      { type: "string", contentEncoding: "base64" }
    ],
    [{ type: "string", format: "binary" }, { contentMediaType: "application/octet-stream" }],
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

describe("no trace of the upstreams", () => {
  it.each([
    ["https://api.acme.test/v2/pets/1", `${base}/pets/1`],
    ["http://API.acme.test:8443/v2", base],
    ["//api.acme.test/v2?a=1", `${base}?a=1`],
    ["https://api.acme.test/v20", "https://upstream.invalid/v20"],
    ["https://api.acme.test", "https://upstream.invalid"],
    ["mail pets@api.acme.test, eu.api.acme.test.", "mail pets@upstream.invalid, eu.upstream.invalid."],
    ["http://sandbox:8080/pets", `${base}/pets`],
    ["dial sandbox:8080", "dial upstream.invalid"],
    ["a cat in the sandbox", "a cat in the sandbox"],
    ["https://other.test/api.acme", "https://other.test/api.acme"]
  ])("%s", (text, expected) => {
    expect(operationOf({ description: text }).description).toBe(expected)
    expect(schemaOf({ default: { [text]: [text] } }).default).toEqual({ [expected]: [expected] })
  })

  it("addresses in IPv4, IPv6 and Unicode", () => {
    const upstreams = [
      "http://192.0.2.7/",
      "http://[2001:db8::7]:81/a",
      "https://xn--bcher-kva.test"
    ] as const
    const text =
      "http://192.0.2.7/x http://[2001:db8::7]:81/a/y http://[2001:db8::7] bücher.test XN--BCHER-KVA.test"
    const document = openapi({ "/x": { get: { description: text, responses: ok } } })
    expect(exported(document, [...upstreams]).paths[`${base}/x`].get.description).toBe(
      `${base}/x ${base}/y http://upstream.invalid upstream.invalid upstream.invalid`
    )
  })

  it.each([
    // A match that begins with the `n` of the escape `\\n`, the `b` of `\\b`, the digits of a `\\u0001`.
    ["http://n.attacker.example", "hello\n.attacker.example"],
    ["http://b.attacker.example", "hello\b.attacker.example"],
    ["http://u001f.attacker.example", "hello\u001f.attacker.example"],
    ["http://n", "hello\n:80, //n"],
    ["http://a.attacker.example", 'hello \\"a.attacker.example\\"'],
    ["http://xn--ls8h.attacker.example", "\u{1f4a9}.attacker.example \u{1f4a9}"],
    ["http://a.attacker.example", "\u{1f600}a.attacker.example\u{1f600}"]
  ] as const)("upstream %s, text %j: other text stays, and the JSON is valid", (upstream, text) => {
    const document = openapi(
      { "/x": { get: { description: text, responses: ok, [`x-${text}`]: { [text]: [text] } } } },
      { components: { schemas: { a: { properties: { [text]: {} }, required: [text] } } } }
    )
    const { components, paths } = exported(document, [upstream])
    const { description } = paths[`${base}/x`].get
    const { hostname } = new URL(upstream)
    const names = [hostname, domainToUnicode(hostname)].filter((name) => name.includes("."))
    expect(description).toBe(
      names.length === 0
        ? `hello\n:80, ${base}`
        : names.reduce((rest, name) => rest.replaceAll(name, "upstream.invalid"), text)
    )
    expect(paths[`${base}/x`].get[`x-${description}`]).toEqual({ [description]: [description] })
    expect(components.schemas["acme_pets_1.4_a"]).toEqual({
      properties: { [description]: {} },
      required: [description]
    })
  })

  it.each([
    "a%2Eb%63her.test",
    "A%2eB%43HER.TEST",
    "a\u3002bcher\uff0etest",
    "%61%2e%62%63%68%65%72%2e%74%65%73%74"
  ])("percent-encoded, and with other dots: %s", (text) => {
    expect(
      exported(openapi({ "/x": { get: { description: text, responses: ok } } }), ["http://a.bcher.test"])
        .paths[`${base}/x`].get.description
    ).toBe("upstream.invalid")
  })

  it.each(["b%C3%BCcher.test", "b%c3%bccher%2etest", "B\u00dcCHER.test", "xn--bcher-kva\u3002test"])(
    "of an international name: %s",
    (text) => {
      const document = openapi({ "/x": { get: { description: text, responses: ok } } })
      expect(exported(document, ["http://b\u00fccher.test"]).paths[`${base}/x`].get.description).toBe(
        "upstream.invalid"
      )
    }
  )

  it.each(["api.acme.test", "xn--bcher-kva.test", "b\u00fccher.test", "//api.acme.test/v2/x", "n.acme.test"])(
    "names that contain an upstream: references to %s still resolve",
    (name) => {
      const pointer = (...segments: ReadonlyArray<string>) =>
        `#/${segments.map((segment) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`
      const document = openapi(
        { [`/${name}`]: { get: { operationId: name, tags: [name], responses: ok } } },
        {
          tags: [{ name }],
          components: {
            schemas: {
              [name]: { properties: { [name]: {} } },
              one: { $ref: pointer("components", "schemas", name) },
              two: { $ref: pointer("components", "schemas", name, "properties", name) }
            },
            links: { l: { operationId: name }, m: { operationRef: pointer("paths", `/${name}`, "get") } }
          }
        }
      )
      const upstreams = ["https://api.acme.test/v2", "http://b\u00fccher.test"] as const
      const all = exported(document, [...upstreams])
      expect(JSON.stringify(all)).not.toMatch(/api\.acme|kva|cher/)
      const at = (reference: string) =>
        reference
          .slice(2)
          .split("/")
          .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"))
          .reduce<unknown>((value, segment) => Reflect.get(Object(value), segment), all)
      const { links, schemas } = all.components
      expect(at(schemas["acme_pets_1.4_one"].$ref)).toHaveProperty("properties")
      expect(at(schemas["acme_pets_1.4_two"].$ref)).toEqual({})
      const operation = at(links["acme_pets_1.4_m"].operationRef)
      expect(operation).toMatchObject({ operationId: links["acme_pets_1.4_l"].operationId })
      expect(all.tags.map((tag: { name: string }) => tag.name)).toContain(
        Reflect.get(Object(operation), "tags")[0]
      )
    }
  )

  it("the gateway's own names that resemble an upstream stay", () => {
    const document = openapi({ "/x": { get: { operationId: "o", responses: ok } } })
    const { paths, tags } = exported(document, ["http://1.4.test"])
    expect([Object.keys(paths), tags[0].name]).toEqual([[`${base}/x`], versionTag])
    const like = { ...place, version: "a.test", upstreams: ["http://a.test"] } as const
    const { content } = packed(fragmentOf(like, document, stepsOfDocument()))
    expect(content).toContain('{"get":{"operationId":"acme_pets_a.test_o"')
    expect(content).toContain('"/acme/pets/v/a.test/x"')
  })

  it("links to documentation on an upstream are removed, others stay", () => {
    const there = { url: "https://api.acme.test/docs" }
    const elsewhere = { url: "https://docs.acme.test/api" }
    expect(operationOf({ externalDocs: there })).not.toHaveProperty("externalDocs")
    expect(operationOf({ externalDocs: elsewhere }).externalDocs).toEqual(elsewhere)
    expect(schemaOf({ externalDocs: there })).toEqual({})
  })
})

describe("names that break tools are omitted, and the enclosing object says so:", () => {
  const own = (name: string, value: unknown = {}) =>
    JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)

  it.each(["$ref", "$id", "$anchor", "$dynamicAnchor", "__proto__", "hasOwnProperty"])("%s", (name) => {
    expect(schemaOf({ properties: { ...own(name), a: {} }, type: "object" })).toEqual({
      properties: { a: {} },
      type: "object",
      "x-doorlock-omitted": [`properties/${name}`]
    })
    const { callbacks, requestBody, responses } = operationOf({
      callbacks: own(name),
      requestBody: { content: { ...own(name), "a/b": { examples: own(name, { value: 1 }) } } },
      responses: { 200: { description: "Good", headers: own(name), links: own(name) } }
    })
    expect(callbacks).toEqual({})
    expect(requestBody).toEqual({
      content: { "a/b": { examples: {}, "x-doorlock-omitted": [`examples/${name}`] } },
      "x-doorlock-omitted": [`content/${name}`]
    })
    expect(responses[200]).toEqual({
      description: "Good",
      headers: {},
      links: {},
      "x-doorlock-omitted": [`headers/${name}`, `links/${name}`]
    })
  })

  it("also among the fields of a schema", () => {
    expect(schemaOf({ ...own("hasOwnProperty", 1), title: "a" })).toEqual({
      title: "a",
      "x-doorlock-omitted": ["hasOwnProperty"]
    })
  })

  it("but components are renamed instead", () => {
    const { components } = exported(openapi({}, { components: { schemas: own("hasOwnProperty") } }))
    expect(components.schemas).toEqual({ "acme_pets_1.4_hasOwnProperty": {} })
  })

  it("the discriminator value for a schema with such a name is omitted", () => {
    const alternatives = {
      oneOf: [{ $ref: "#/components/schemas/hasOwnProperty" }],
      discriminator: { propertyName: "a" }
    }
    const schemas = { a: alternatives, hasOwnProperty: {} }
    expect(
      exported(openapi({}, { components: { schemas } })).components.schemas["acme_pets_1.4_a"].discriminator
    ).toEqual({
      propertyName: "a",
      mapping: {}
    })
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
