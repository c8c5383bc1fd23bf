/** What the editor of instances works out by itself, without a browser. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { moved, placeIn, withAt } from "../../src/web/dashboard/common/json/document.ts"
import { jsonError, lineOf, pretty } from "../../src/web/dashboard/common/json/json-text.ts"
import { documentOf } from "../../src/web/dashboard/marketplace/publishing/document-syntax.ts"
import { yaml } from "../../src/web/dashboard/marketplace/publishing/yaml.ts"
import { at, type Path } from "../../src/web/json.ts"

describe("a document", () => {
  const document = { title: { en: "A" }, odd: [1, { x: 1 }], theme: { unknown: true } }

  it("changes in one place, and keeps unknown fields", () => {
    expect(withAt(document, ["theme", "primary"], "#000000")).toEqual({
      ...document,
      theme: { unknown: true, primary: "#000000" }
    })
    expect(withAt(document, ["odd", 1, "x"], 2)).toEqual({ ...document, odd: [1, { x: 2 }] })
    expect(withAt({}, ["legal", "company"], "Acme")).toEqual({ legal: { company: "Acme" } })
    expect(document).toEqual({ title: { en: "A" }, odd: [1, { x: 1 }], theme: { unknown: true } })
  })

  it("loses a cleared field, and objects that become empty", () => {
    expect(withAt(document, ["title", "en"], undefined)).toEqual({ odd: document.odd, theme: document.theme })
    expect(withAt(document, ["legal", "company"], undefined)).toEqual(document)
  })

  it("accepts __proto__ as a name", () => {
    const changed = withAt(JSON.parse('{"__proto__":{"a":1}}'), ["b"], 1)
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"a":1},"b":1}')
    expect(at(changed, ["__proto__", "a"])).toBe(1)
    expect(at({}, ["__proto__"])).toBeUndefined()
    expect(at({}, ["constructor", "name"])).toBeUndefined()
  })

  it("can have its items moved", () => {
    expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"])
    expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"])
    expect(moved(["a", "b", "c"], 1, 1)).toEqual(["a", "b", "c"])
  })
})

describe("an error message of the API", () => {
  it.each<[string, Path | undefined]>([
    ["config must be an object", []],
    ["config.theme.primary must be a colour like #1f5eff", ["theme", "primary"]],
    ['config["odd key"][2].x must be true or false', ["odd key", 2, "x"]],
    ['config.title["pt-BR"] must be a string', ["title", "pt-BR"]],
    ["workflow.steps[0] must be an object", undefined],
    ["name is required", undefined]
  ])("%s", (sentence, path) => {
    expect(placeIn("config", sentence)).toEqual(path)
  })
})

describe("JSON as text", () => {
  it.each([
    ['{\n  "a": 1,\n}', 3, "a name in double quotes"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, "a comma, or }"],
    ['{"a": \n tru}', 2, "a value"],
    ['{"a": "x\n"}', 1, "a string that ends on its line"],
    ["{} x", 1, "nothing more"],
    ["", 1, "a value"]
  ])("%j is wrong in line %i, which should have %s", (text, line, message) => {
    expect(jsonError(text)).toEqual({ line, message })
  })

  it("is refused if and only if JSON.parse refuses it", () => {
    const text = fc.oneof(
      fc.json(),
      fc.array(fc.constantFrom(...'{}[]",:01-.eE+ \ntruefalsn\\u')).map((characters) => characters.join(""))
    )
    fc.assert(
      fc.property(text, (tried) => {
        const parsed = (): unknown => {
          try {
            return JSON.parse(tried)
          } catch {
            return undefined
          }
        }
        const value = parsed()
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
        expect(jsonError(tried) === undefined).toBe(isObject)
      }),
      { numRuns: 2000 }
    )
  })

  it("gives the line of a path, or of its nearest parent", () => {
    const text = pretty({ title: { en: "A" }, list: [1, { x: 2 }] })
    expect(text.split("\n")[7]).toContain('"x": 2')
    expect(lineOf(text, ["list", 1, "x"])).toBe(8)
    expect(lineOf(text, ["list", 1, "missing"])).toBe(7)
    expect(lineOf(text, ["title", "en"])).toBe(3)
    expect(lineOf(text, ["theme", "primary"])).toBe(1)
    expect(lineOf('{"a":1,\n"a":2}', ["a"])).toBe(2)
    // A name that is a number is written as an index.
    expect(lineOf('{"responses": {\n"200": {\n"$ref": 1}}}', ["responses", 200, "$ref"])).toBe(3)
  })
})

describe("a document as YAML", () => {
  const tides = `# When the water is high
openapi: 3.1.0
paths:
  /high-water:
    get:
      responses:
        200: &found
          description: The hour
        404:
          <<: *found
          description: None
`

  it("is content as JSON has it, with aliases, and merges", async () => {
    expect(await documentOf(tides)).toMatchObject({
      openapi: "3.1.0",
      paths: {
        "/high-water": {
          get: { responses: { 200: { description: "The hour" }, 404: { description: "None" } } }
        }
      }
    })
    // As many as an API with hundreds of operations has.
    const hours = `x-hours:\n  - &hour The hour\n${"  - *hour\n".repeat(300)}`
    expect(await documentOf(hours)).toHaveProperty("x-hours.300", "The hour")
    expect(await documentOf(" \n")).toBeUndefined()
  })

  it.each([
    ["openapi: 3.1.0\ninfo: title: Tides\n", /^Line 2: .*[Mm]appings/],
    ["- openapi: 3.1.0\n", "Line 1: The document must be an object."],
    ["openapi: 3.1.0\nopenapi: 3.1.0\n", "Line 2: Map keys must be unique."],
    ["openapi: 3.1.0\n---\nopenapi: 3.1.0\n", "Line 2: There must be only one document."],
    ["openapi: &a\n  self: *a\n", "Line 1: The document has too many aliases, or one that contains itself."]
  ])("says what is wrong with %j, and where", async (text, sentence) => {
    const { sentence: said = "" } = yaml.problemIn(text) ?? {}
    expect(said).toMatch(sentence)
    await expect(documentOf(text)).rejects.toMatchObject({ message: `openapi must be YAML or JSON. ${said}` })
  })

  it.each([
    [["paths", "/high-water", "get", "responses", "200"], 7],
    // The API writes a numeric name as an index.
    [["paths", "/high-water", "get", "responses", 200, "content"], 7],
    [["paths", "/low-water"], 3],
    [[], 1]
  ] as const)("has %j at its line", (place, line) => expect(yaml.lineOf(tides, place)).toBe(line))
})
