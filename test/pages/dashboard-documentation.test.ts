/** How the dashboard reads an exported OpenAPI document. */
import { describe, expect, it } from "vitest"
import {
  componentName,
  groupOf,
  isGateways,
  tagDescription,
  versionOperations
} from "../../src/web/dashboard/marketplace/catalog/documentation/version.ts"
import { curl } from "../../src/web/reference/calls.ts"
import { answersOf, bodyOf, parametersOf, resolved, simplest } from "../../src/web/reference/document.ts"
import { webAddress } from "../../src/web/reference/prose.tsx"
import { sampleOf } from "../../src/web/reference/sample.ts"

const place = { publisher_slug: "acme", slug: "weather", version: "1" }

const document = {
  tags: [{ name: "acme/weather 1: Now", description: "As it is." }],
  paths: {
    "/acme/weather/v/10/other": { get: { responses: {} } },
    "/acme/weather/v/1/a/{id}": {
      parameters: [
        { name: "id", in: "path", required: true },
        { name: "q", in: "query", description: "of the path" }
      ],
      get: {
        tags: ["acme/weather 1: Now"],
        parameters: [{ name: "q", in: "query", description: "of the operation" }],
        responses: {
          200: { $ref: "#/components/responses/acme_weather_1_Good" },
          401: { $ref: "#/components/responses/GatewayUnauthorized" }
        }
      },
      trace: { responses: {} },
      "x-own": {}
    },
    "/acme/weather/v/1/b": {
      $ref: "#/paths/~1acme~1weather~1v~11~1c"
    },
    "/acme/weather/v/1/c": {
      post: {
        requestBody: {
          required: true,
          content: { "application/json": { examples: { one: { value: { a: 1 } } } }, "text/plain": {} }
        },
        responses: {}
      },
      get: { parameters: [{ name: "needed", in: "query", required: true }], responses: {} }
    },
    "/acme/weather/v/1/d": { get: { parameters: [{ name: "q", in: "query" }], responses: {} } }
  },
  components: {
    responses: {
      acme_weather_1_Good: { description: "Good", headers: { ETag: { description: "Of it" } } },
      GatewayUnauthorized: { description: "No" }
    },
    schemas: {
      loop: { $ref: "#/components/schemas/loop" },
      tree: {
        type: "object",
        properties: {
          name: { type: "string" },
          branches: { type: "array", items: { $ref: "#/components/schemas/tree" } }
        }
      }
    }
  }
}

describe("operations", () => {
  const operations = versionOperations(document, place)

  it("are those of the version, in the document's order, with their own tags", () => {
    expect(operations.map((operation) => [operation.id, groupOf(place, operation)])).toEqual([
      ["GET /a/{id}", "Now"],
      ["TRACE /a/{id}", ""],
      ["GET /b", ""],
      ["POST /b", ""],
      ["GET /c", ""],
      ["POST /c", ""],
      ["GET /d", ""]
    ])
    expect(tagDescription(document, place, "Now")).toBe("As it is.")
    expect(componentName(place, "acme_weather_1_Good")).toBe("Good")
    expect(componentName(place, "GatewayError")).toBe("GatewayError")
  })

  it("have the parameters of their path and their own, which take precedence", () => {
    const [read] = operations
    if (read === undefined) throw new Error("No operation")
    expect(parametersOf(document, read)).toMatchObject([
      { name: "id", in: "path", required: true },
      { name: "q", in: "query", required: false, description: "of the operation" }
    ])
    const answers = answersOf(document, read)
    expect(answers.map((answer) => [answer.status, isGateways(answer)])).toEqual([
      ["200", false],
      ["401", true]
    ])
    expect(answers[0]).toMatchObject({
      description: "Good",
      media: [],
      headers: [{ name: "ETag", description: "Of it" }]
    })
    expect(bodyOf(document, read)).toBeUndefined()
  })

  it("have a body for each media type", () => {
    const post = operations.find(({ id }) => id === "POST /c")
    if (post === undefined) throw new Error("No operation")
    expect(bodyOf(document, post)).toEqual({
      description: "",
      required: true,
      media: [
        { type: "application/json", schema: undefined, example: { a: 1 } },
        { type: "text/plain", schema: undefined, example: undefined }
      ]
    })
  })

  it("the first one to try needs no input", () => {
    expect(simplest(document, operations)?.id).toBe("GET /d")
    expect(simplest(document, [])).toBeUndefined()
  })
})

describe("references", () => {
  it("that are broken, circular or external resolve to nothing", () => {
    for (const reference of [
      "#/components/schemas/loop",
      "#/components/schemas/constructor",
      "#/%zz",
      "https://evil.test/#/a",
      "other.json"
    ]) {
      expect(resolved(document, { $ref: reference })).toEqual({ node: {} })
    }
  })
})

describe("samples", () => {
  const sample = (schema: unknown) => sampleOf(document, schema)

  it("follow a schema, and stop where it refers to itself", () => {
    expect(sample({ $ref: "#/components/schemas/tree" })).toEqual({ name: "text", branches: [] })
    expect(
      sample({
        allOf: [{ type: "object", properties: { a: { type: "integer", minimum: 5 } } }],
        properties: {
          b: { enum: ["x", "y"] },
          c: { type: ["null", "boolean"] },
          d: { format: "date", type: "string" }
        }
      })
    ).toEqual({ a: 5, b: "x", c: true, d: "2026-11-20" })
    expect(sample({ oneOf: [{ const: 7 }, { type: "string" }] })).toBe(7)
    expect(sample({ type: "number", minimum: -90, maximum: -10 })).toBe(-10)
    expect(sample(true)).toBeUndefined()
  })

  it("stay small, whatever the schema", () => {
    const wide = (levels: number): object => ({
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [
          `p${index}`,
          levels === 0 ? { type: "string" } : wide(levels - 1)
        ])
      )
    })
    expect(JSON.stringify(sample(wide(2))).length).toBeLessThan(5000)
  })
})

describe("calls", () => {
  it("quote and escape what a publisher wrote", () => {
    expect(
      curl({
        base: "https://gateway.test",
        method: "POST",
        path: "/a/v/1/x'; rm -rf ~ #\n$(id)\u001b[2J",
        headers: [["x-api-key", "dk_live_x"]],
        json: { a: "it's" }
      })
    ).toBe(
      [
        "curl -X POST 'https://gateway.test/a/v/1/x%27;%20rm%20-rf%20~%20%23%0A$(id)%1B%5B2J' \\",
        "  -H 'x-api-key: dk_live_x' \\",
        "  -H 'content-type: application/json' \\",
        `  -d '{"a":"it'\\''s"}'`
      ].join("\n")
    )
  })
})

describe("links", () => {
  it("lead only to http and https", () => {
    for (const text of [
      "javascript:alert(1)",
      "data:text/html,x",
      "ftp://a.test",
      "/dashboard",
      "",
      "https://u:p@a.test"
    ]) {
      expect(webAddress(text)).toBeUndefined()
    }
    expect(webAddress("https://a.test/x?y#z")?.href).toBe("https://a.test/x?y#z")
  })
})
