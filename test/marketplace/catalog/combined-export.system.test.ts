/** The combined description of all published APIs is valid, whatever they are, according to independent validators. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { expect, it } from "@effect/vitest"
import spectral from "@stoplight/spectral-core"
import { oas } from "@stoplight/spectral-rulesets"
import Ajv from "ajv/dist/2020.js"
import { Effect } from "effect"
import fc from "fast-check"
import { assembled, type Part } from "../../../src/marketplace/catalog/exported-document.ts"
import { checkDocument } from "../../../src/marketplace/catalog/openapi-check.ts"
import type { JsonObject } from "../../../src/shared/schemas.ts"
import { lintOpenApi, type OpenApiProblem, validateOpenApi } from "../../contract/lint.ts"
import { field, send } from "../../support/client.ts"
import { addVersion, marketplace, publish, publisherOn } from "../../support/marketplace/publisher.ts"
import { startServer } from "../../support/server.ts"

/** Valid by the specification alone: the style of a document is up to its publisher. */
const isSound = async (document: object) => {
  const problems = await lintOpenApi(document, "spec")
  // Redocly refuses three things that the specification permits: extensions named like its own with other content, and in a
  // 3.1 schema, an unknown keyword (JSON Schema 2020-12, section 6.5) and a boolean schema (section 4.3.2).
  const isAllowed = ({ at, message }: OpenApiProblem) =>
    at.includes("/x-") ||
    message === "Property `nullable` is not expected here." ||
    message === "Expected type `Schema` (object) but got `boolean`"
  const errors = problems.filter((problem) => problem.severity === "error" && !isAllowed(problem))
  expect(errors.slice(0, 5)).toEqual([])
  expect(await validateOpenApi(document)).toEqual({ valid: true })
}

/** Valid by two tools that are too slow, or too particular, for many documents of all sorts. */
const isSoundForOthers = async (document: object) => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema(document, "all")
  expect(() => ajv.getSchema("all#/components/schemas/acme_api-0_1.a_E")).not.toThrow()
  const linter = new spectral.Spectral()
  // The cast: the two packages declare the same ruleset type differently.
  linter.setRuleset(oas as Parameters<typeof linter.setRuleset>[0])
  const found = await linter.run(structuredClone(Object(document)))
  expect(found.filter(({ severity }) => severity === 0).map(({ message }) => message)).toEqual([])
}

const upstreamUrl = "https://bücher.test/base"
const names = ["a", "Cat", "n.attacker.example", "upstream.invalid", "x-1", "200"] as const
const texts = [
  ...names,
  "hello\n.attacker.example",
  "b%C3%BCcher.test",
  '"\\',
  "💩.attacker.example",
  ""
] as const

/** Names with a special meaning in some tools. */
const mistaken = ["$ref", "$id", "$anchor", "$dynamicAnchor", "__proto__", "hasOwnProperty"] as const

const name = fc.constantFrom(...names)
const text = fc.constantFrom(...texts)

/** Data as in real examples, with all sorts of `$ref`s. */
const data = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 2 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom(...mistaken)), tie("any"), { maxKeys: 3 }),
    fc.record({
      $ref: fc.constantFrom("#/components/schemas/a", "#/components/examples/E/value", "https://x.test", 7)
    })
  )
})).any

/** A valid target for each kind of reference. */
const targets = {
  schemas: "#/components/schemas/a",
  responses: "#/components/responses/E",
  parameters: "#/components/parameters/E",
  requestBodies: "#/components/requestBodies/E",
  headers: "#/components/headers/E",
  examples: "#/components/examples/E",
  callbacks: "#/components/callbacks/E",
  links: "#/components/links/E",
  operations: "#/paths/~1E/get",
  paths: "#/paths/~1E"
} as const
const astray = [
  ...Object.values(targets),
  "#/components/examples/E/value",
  "#/components/schemas/E/properties",
  "#/components/schemas/E/properties/a",
  "#/components/schemas/E/example",
  "#/components/schemas/E/allOf/0",
  "#/components/schemas/E/allOf/length",
  "#/components/schemas/E/allOf/00",
  "#/components/schemas/E/additionalProperties",
  "#/paths/~1E/get/parameters/length",
  "#/paths/~1E/get/operationId",
  "#/components/parameters/E/schema",
  "#/components/responses/E/headers/E",
  "#/components/responses/E/content",
  "#/components/callbacks/E/{$url}/post",
  "#/components",
  "#/info"
]

const pointer = (kind: keyof typeof targets) =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constant<string>(targets[kind]) },
    { weight: 1, arbitrary: fc.constantFrom(...astray) }
  )
const reference = (kind: keyof typeof targets) => fc.record({ $ref: pointer(kind) })

/** A Schema Object. */
const schema = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.record({ $ref: name.map((own) => `#/components/schemas/${own}`) }),
    reference("schemas"),
    fc.record(
      {
        type: fc.constantFrom("string", "object"),
        description: text,
        default: data,
        enum: fc.array(data, { minLength: 1, maxLength: 2 }),
        example: data,
        "x-note": data,
        properties: fc.dictionary(fc.oneof(text, fc.constantFrom(...mistaken)), tie("any"), { maxKeys: 2 }),
        required: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }),
        discriminator: fc.record({ propertyName: text })
      },
      { requiredKeys: [] }
    )
  )
})).any

const object = fc.record({
  type: fc.constant("object"),
  properties: fc.dictionary(text, schema, { maxKeys: 2 })
})

// A schema, an example, both or neither.
const content = fc.record({
  "application/json": fc.oneof(
    fc.record({ schema }),
    fc.record({ schema, example: data }),
    fc.record({
      schema,
      examples: fc.dictionary(
        name,
        fc.oneof(fc.record({ summary: text, value: data }), reference("examples")),
        { maxKeys: 1 }
      )
    })
  )
})

const response = fc.record(
  {
    description: text,
    content,
    headers: fc.record({ A: reference("headers"), B: fc.record({ schema }) }, { requiredKeys: [] }),
    links: fc.record(
      { A: reference("links"), B: fc.record({ operationRef: pointer("operations") }) },
      { requiredKeys: [] }
    )
  },
  { requiredKeys: ["description"] }
)

const operation = fc.record(
  {
    operationId: text,
    summary: text,
    tags: fc.array(text, { maxLength: 2 }),
    "x-internal-a": data,
    "x-a": data,
    parameters: fc.tuple(reference("parameters")),
    requestBody: fc.oneof(fc.record({ content }), reference("requestBodies")),
    responses: fc.record({ 200: fc.oneof(response, reference("responses")) }),
    callbacks: fc.record({ A: reference("callbacks") })
  },
  { requiredKeys: ["responses"] }
)

const document = fc.record({
  openapi: fc.constantFrom("3.0.3", "3.1.0"),
  info: fc.constant({ title: "Any", version: "1" }),
  servers: fc.constantFrom([{ url: "/base/x" }], [{ url: "https://n.attacker.example/v1" }]),
  // Every name that references use exists, so that they resolve.
  paths: fc
    .dictionary(
      fc.oneof(
        name.map((own) => `/${own}`),
        fc.constantFrom("/a#b", "/a#c", "/a%23b", "//n.attacker.example/x")
      ),
      fc.oneof(
        { weight: 5, arbitrary: fc.record({ get: operation, post: operation }, { requiredKeys: [] }) },
        { weight: 1, arbitrary: reference("paths") }
      ),
      { maxKeys: 3 }
    )
    .map((paths) => ({
      ...paths,
      "/E": { get: { operationId: "E", parameters: [], responses: { 200: { description: "" } } } }
    })),
  components: fc.record({
    schemas: fc.record(Object.fromEntries(names.map((own) => [own, object]))).map((schemas) => ({
      ...schemas,
      E: {
        type: "object",
        properties: { a: {} },
        allOf: [{}],
        additionalProperties: false,
        example: { type: "object" }
      }
    })),
    examples: fc
      .dictionary(name, fc.record({ value: data }), { maxKeys: 2 })
      .map((examples) => ({ ...examples, E: { value: { type: "object" } } })),
    responses: fc.constant({
      E: { description: "", content: {}, headers: { E: { schema: { type: "string" } } } }
    }),
    parameters: fc.constant({ E: { name: "e", in: "query", schema: { type: "string" } } }),
    requestBodies: fc.constant({ E: { content: { "a/b": {} } } }),
    headers: fc.constant({ E: { schema: { type: "string" } } }),
    links: fc.constant({ E: { operationRef: targets.operations } }),
    callbacks: fc.constant({ E: { "{$url}": { post: { responses: { 200: { description: "" } } } } } })
  })
})

it("of any accepted documents together", async () => {
  let taken = 0
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 3, maxLength: 6 }), async (documents) => {
      const parts: Array<Part> = []
      for (const one of documents) {
        const place = { publisherSlug: "acme", apiSlug: `api-${parts.length}`, version: "1.a", upstreamUrl }
        const checked = checkDocument(JSON.stringify(one), place)
        if ("sections" in checked) parts.push({ place, description: "", sections: checked.sections })
      }
      taken += parts.length
      const info = { title: "All", version: "1" }
      const bytes = assembled({ info, serverUrl: "https://doorlock.test/gateway" }, parts)
      const all: object = JSON.parse(bytes.toString())
      await isSound(all)
    }),
    { numRuns: 30 }
  )
  expect(taken).toBeGreaterThan(20)
})

it.each(mistaken.flatMap((own) => [[own, "3.0.3"] as const, [own, "3.1.0"] as const]))(
  "of a document in which everything that may have a name is called %s, in %s",
  async (own, openapi) => {
    // Never by assignment: a key may be `__proto__`.
    const called = (value: unknown) => Object.fromEntries([[own, value]])
    const datum = called("not ok!!")
    const schema = {
      type: "object",
      properties: {
        ...Object.fromEntries([[own, { type: "string" }]]),
        a: { example: datum, default: [datum, datum] }
      },
      enum: [datum],
      "x-a": datum
    }
    const content = called({ schema, examples: called({ value: 1 }) })
    const one = {
      openapi,
      info: { title: "Any", version: "1" },
      paths: {
        "/E": {
          post: {
            "x-a": datum,
            requestBody: {
              content: { ...content, "a/b": { encoding: called({ contentType: "a/b" }), example: datum } }
            },
            responses: {
              200: {
                description: "",
                headers: called({ schema }),
                links: called({ operationId: "E" }),
                content
              }
            },
            operationId: "E",
            callbacks: called({})
          }
        }
      },
      components: { schemas: { E: schema } }
    }
    const place = { publisherSlug: "acme", apiSlug: "api-0", version: "1.a", upstreamUrl }
    const checked = checkDocument(JSON.stringify(one), place)
    if ("problem" in checked) throw new Error(checked.problem)
    const info = { title: "All", version: "1" }
    const part = { place, description: "", sections: checked.sections }
    const bytes = assembled({ info, serverUrl: "https://doorlock.test/gateway" }, [part])
    const all = JSON.parse(bytes.toString())
    await isSound(all)
    await isSoundForOthers(all)
  }
)

const require = createRequire(import.meta.url)
const examples = dirname(require.resolve("@readme/oas-examples/package.json"))

/** Documents from packages, each at most 1 MiB: hand-written examples, and the descriptions of real services. */
const realDocuments = async (): Promise<ReadonlyArray<readonly [string, JsonObject]>> => {
  const files = [
    ...[...new Bun.Glob("3.*/json/**/*.json").scanSync(examples)].map((file) => join(examples, file)),
    require.resolve("@ideal-postcodes/openapi/dist/openapi.json"),
    require.resolve("rclone-openapi/openapi.json")
  ]
  return Promise.all(files.toSorted().map(async (file) => [file, await Bun.file(file).json()] as const))
}

/** These break the specification: `exclusiveMaximum: true` in 3.1, and no responses. */
const bad = [
  "3.0/json/openapi-workshop/post.json",
  "3.1/json/schema-validation-local.json",
  "3.1/json/schema-validation-top-level.json"
].map((file) => join(examples, file))

it.scopedLive(
  "of sixty real-world documents, published one after the other",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      // Each publisher may store only 4 MiB, so the test needs several.
      const publishers = yield* Effect.forEach(["one", "two", "three"], (slug) => publisherOn(server, slug))
      const refused: Array<string> = []
      let published = 0
      for (const [index, [file, openapi]] of (yield* Effect.promise(realDocuments)).entries()) {
        const publisher = publishers[index % publishers.length]
        if (publisher === undefined) return yield* Effect.die("three publishers")
        const api = yield* publisher.newApi({ slug: `api-${index}` })
        if (bad.includes(file)) {
          const version = { version: "1", upstreamUrl: "https://api.upstream.test", openapi }
          const { status } = yield* publisher.ask("POST", `/apis/${api.id}/versions`, version)
          if (status === 400) refused.push(file)
          continue
        }
        yield* addVersion(publisher, api, { openapi })
        yield* publish(publisher, api)
        published++
      }
      expect(refused).toEqual(bad)
      expect(published).toBeGreaterThanOrEqual(60)
      const { body, status } = yield* send(server, "GET", `${marketplace}/openapi.json`)
      expect([status, Object(body)["x-doorlock-omitted"]]).toEqual([200, undefined])
      expect(
        new Set(Object(field(body, "tags")).map(({ name }: { name: string }) => name.split(" ")[0])).size
      ).toBe(published)
      yield* Effect.promise(() => isSound(Object(body)))
    }),
  300_000
)
