/** The published JSON Schemas and our own check are made from one definition; an independent validator agrees. */
import Ajv2020 from "ajv/dist/2020"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { configProblem } from "../../../src/kyc/instances/config-model.ts"
import { demoInstance } from "../../../src/kyc/instances/demo.ts"
import { jsonSchema, published } from "../../../src/kyc/instances/json-schema.ts"
import { workflowProblem } from "../../../src/kyc/instances/workflow-sense-model.ts"
import { badSense, badShape, good } from "../../support/kyc/instance-documents.ts"
import { watched } from "../../support/marketplace/watched.ts"

const ajv = new Ajv2020({ strict: true, allErrors: true })
const schemas = published.map((document) => jsonSchema(document, "https://doorlock.test"))
for (const schema of schemas) ajv.addSchema(schema)

const check = { config: configProblem, workflow: workflowProblem } as const

const byJsonSchema = (kind: "config" | "workflow", document: unknown): boolean =>
  ajv.validate(`https://doorlock.test/schemas/kyc-${kind}.json`, document) === true

it.each([
  ...good,
  ...(["config", "workflow"] as const).map((kind) => [kind, JSON.stringify(demoInstance[kind])] as const)
])("accepted by both: %s %.120s", (kind, json) => {
  const document = JSON.parse(json)
  expect(check[kind](document)).toBeUndefined()
  expect(byJsonSchema(kind, document)).toBe(true)
})

it.each(badShape)("refused by both for their shape: %s %.120s", (kind, json, sentence) => {
  const document = JSON.parse(json)
  expect(check[kind](document)).toBe(sentence)
  expect(byJsonSchema(kind, document)).toBe(false)
})

it.each(badSense)("refused for a rule that JSON Schema cannot express: %s %.120s", (kind, json, sentence) => {
  const document = JSON.parse(json)
  expect(check[kind](document)).toBe(sentence)
  expect(byJsonSchema(kind, document)).toBe(true)
})

/** Every field of a JSON Schema, wherever it is, as its path and schema. */
const fieldsOf = (schema: unknown, path = ""): ReadonlyArray<readonly [string, unknown]> =>
  typeof schema !== "object" || schema === null
    ? []
    : Object.entries(schema).flatMap(([key, value]) =>
        key === "examples"
          ? []
          : key === "properties"
            ? Object.entries(value).flatMap(
                ([name, field]): ReadonlyArray<readonly [string, unknown]> => [
                  [`${path}.${name}`, field],
                  ...fieldsOf(field, `${path}.${name}`)
                ]
              )
            : fieldsOf(value, path)
      )

describe("the published schemas", () => {
  it("describe every field", () => {
    const undescribed = schemas
      .flatMap((schema) => fieldsOf(schema))
      .filter(([, field]) => !/\S.+\.$/.test(Object(field).description))
    expect(undescribed).toEqual([])
  })

  it.each(schemas)("have examples that they accept", (schema) => {
    const { examples } = Object(schema)
    expect(examples.length).toBeGreaterThan(1)
    for (const example of examples) expect(ajv.validate(schema, example)).toBe(true)
  })
})

/** `value` with another value in the place of one of its parts, which `choices` lead to. */
const changed = (value: unknown, choices: ReadonlyArray<number>, other: unknown): unknown => {
  const [choice, ...rest] = choices
  if (choice === undefined || typeof value !== "object" || value === null) return other
  const keys = Object.keys(value)
  const key = keys[choice % keys.length]
  const change = (of: string, part: unknown) => (of === key ? changed(part, rest, other) : part)
  return Array.isArray(value)
    ? value.map((part, index) => change(String(index), part))
    : Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(name, part)]))
}

describe("both judge any changed document alike, with a message of the form in the contract", () => {
  it.each(["config", "workflow"] as const)("%s", (kind) => {
    const change = fc.tuple(
      fc.array(fc.nat(), { minLength: 1, maxLength: 7 }),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(-1, 1, 51, "form", "en", "person"))
    )
    fc.assert(
      fc.property(change, ([choices, other]) => {
        const document = Object(changed(demoInstance[kind], choices, other))
        const problem = check[kind](document)
        if (problem === undefined) expect(byJsonSchema(kind, document)).toBe(true)
        else expect(problem).toMatch(new RegExp(`^${kind}[.[].* must .+$`))
        if (!byJsonSchema(kind, document)) expect(problem).toBeDefined()
      }),
      { numRuns: 3000, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: false }
    )
  })
})

describe("the check takes at most linear time, whatever the input", () => {
  it.each([
    [
      "config",
      (size: number) => ({
        title: Object.fromEntries(Array.from({ length: size }, (_, index) => [`k ${index}`, index]))
      })
    ],
    ["workflow", (size: number) => ({ steps: Array.from({ length: size }, () => 7) })],
    [
      "workflow",
      (size: number) => ({
        steps: [{ id: "a", type: "form", fields: Array.from({ length: size }, () => ({})) }]
      })
    ]
  ] as const)("%s", (kind, ofSize) => {
    const looksAt = (size: number) => {
      const { document, looks } = watched(ofSize(size))
      expect(check[kind](document)).toMatch(new RegExp(`^${kind}\\.`))
      return looks()
    }
    const looks = looksAt(2_000)
    expect(looks).toBeGreaterThan(0)
    expect(looksAt(8_000)).toBeLessThanOrEqual(4 * looks)
  })
})
