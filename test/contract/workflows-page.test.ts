/** docs/guides/workflows.md has every setting of an instance, and its examples pass the checks of the server. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Option } from "effect"
import { lexer, type Tokens } from "marked"
import { describe, expect, it } from "vitest"
import { configProblem } from "../../src/kyc/instances/config-model.ts"
import { jsonSchema, published } from "../../src/kyc/instances/json-schema.ts"
import { applying } from "../../src/kyc/instances/rules-model.ts"
import { readWorkflow } from "../../src/kyc/instances/workflow-model.ts"
import { workflowProblem } from "../../src/kyc/instances/workflow-sense-model.ts"
import { ReviewStatus } from "../../src/kyc/reviews/model.ts"
import { Status } from "../../src/kyc/sessions/model.ts"
import type { JsonObject } from "../../src/shared/json.ts"
import { at, list, object, objects, text } from "../../src/web/json.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/guides/workflows.md"), "utf8")

/** The tokens below each heading, by its words. */
const sections = new Map<string, Array<Tokens.Generic>>()
let heading = ""
for (const token of lexer(page) as ReadonlyArray<Tokens.Generic>) {
  if (token.type === "heading") heading = String(token.text).replaceAll("`", "")
  sections.set(heading, [...(sections.get(heading) ?? []), token])
}

/** The rows of the tables in a section, as text. */
const rowsIn = (section: string): ReadonlyArray<ReadonlyArray<string>> =>
  (sections.get(section) ?? []).flatMap((token) =>
    token.type === "table" ? (token as Tokens.Table).rows.map((row) => row.map((cell) => cell.text)) : []
  )

/** What a cell has in backticks. */
const codesIn = (cell = ""): ReadonlyArray<string> =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)

const firstCodes = (section: string): ReadonlyArray<string> =>
  rowsIn(section).flatMap(([first]) => codesIn(first).slice(0, 1))

const examples: ReadonlyArray<JsonObject> = [...sections.values()]
  .flat()
  .flatMap((token) =>
    token.type === "code" && token.lang === "json" ? [JSON.parse(String(token.text))] : []
  )

const steps = examples.filter((example) => "type" in example)
const rules = examples.flatMap((example) => ("after" in example ? [example] : objects(example.rules)))
const configs = examples.filter((example) => !("type" in example || "after" in example || "rules" in example))

const [configSchema, workflowSchema] = published.map((one) => object(jsonSchema(one, "")))

/** The names of the properties of each shape, by what its `key` must be. */
const shapes = (key: string, schema: unknown): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    objects(at(schema, ["items", "anyOf"]) ?? at(schema, ["anyOf"])).flatMap((shape) => {
      const name = text(list(at(shape, ["properties", key, "enum"]))[0])
      return name === undefined ? [] : [[name, Object.keys(object(shape.properties))] as const]
    })
  )

const kinds = shapes("type", at(workflowSchema, ["properties", "steps"]))
const formSchema = objects(at(workflowSchema, ["properties", "steps", "items", "anyOf"])).find(
  (shape) => at(shape, ["properties", "type", "enum", 0]) === "form"
)
const fieldKinds = shapes("type", at(formSchema, ["properties", "fields"]))
const common = ["id", "type", "optional", "title", "text"]

describe("the examples", () => {
  it("pass the checks of the server", () => {
    expect(steps.map((step) => workflowProblem({ steps: [step] }))).toEqual(steps.map(() => undefined))
    expect(workflowProblem({ v: 1, steps, rules })).toBeUndefined()
    expect(configs.map(configProblem)).toEqual(configs.map(() => undefined))
    expect([steps.length, rules.length, configs.length]).toEqual([kinds.size, 10, 3])
  })

  it("use every kind of step, field and condition", () => {
    const used = (values: ReadonlyArray<unknown>) => [...new Set(values)].sort()
    const kindsOfFields = steps.flatMap(({ fields }) => objects(fields)).map(({ type }) => type)
    expect(used(steps.map(({ type }) => type))).toEqual([...kinds.keys()].sort())
    expect(used(kindsOfFields)).toEqual([...fieldKinds.keys()].sort())
    expect(used(rules.map((rule) => at(rule, ["if", "op"])))).toEqual([...firstCodes("Conditions")].sort())
  })

  it("have rules that apply as the page says", () => {
    const workflow = Option.getOrThrow(readWorkflow({ steps, rules }))
    const outcomes = (answers: Readonly<Record<string, JsonObject>>) =>
      applying(workflow, (id) => answers[id], new Date("2026-12-01T00:00:00Z")).flatMap(
        ({ then: { fail, skip = [] } }) => [...skip, ...(fail == null ? [] : [fail])]
      )
    expect(outcomes({})).toEqual([])
    expect(
      outcomes({ document: { type: "residence_permit", country: "EST", expiry: "2035-01-01" } })
    ).toEqual(["address"])
    expect(outcomes({ document: { type: "passport", country: "LVA", expiry: "2029-12-31" } })).toEqual([
      "address",
      "selfie",
      "EXPIRES_TOO_SOON"
    ])
    expect(
      outcomes({ person: { nationality: "FIN", dateOfBirth: "2011-01-01", occupation: "student" } })
    ).toEqual(["COUNTRY_NOT_SUPPORTED", "address", "COUNTRY_NOT_SUPPORTED", "BORN_TOO_LATE", "TOO_YOUNG"])
    expect(outcomes({ address: { skipped: true } })).toEqual(["ADDRESS_NEEDED"])
    expect(outcomes({ address: { files: [] } })).toEqual([])
  })
})

describe("the tables", () => {
  it("have every field of every step", () => {
    expect(firstCodes("Steps")).toEqual(common)
    for (const [kind, names] of kinds) {
      const told = firstCodes(kind).filter((name) => names.includes(name) && !common.includes(name))
      expect({ kind, told }).toEqual({ kind, told: names.filter((name) => !common.includes(name)) })
    }
    const item = at(objects(at(workflowSchema, ["properties", "steps", "items", "anyOf"])), [
      0,
      "properties",
      "items",
      "items",
      "properties"
    ])
    expect(firstCodes("consent").slice(1).sort()).toEqual(
      Object.keys(object(item))
        .map((name) => `items[].${name}`)
        .sort()
    )
  })

  it("have every field of every kind of field", () => {
    const [, ...rows] = rowsIn("form")
    const ofAll = rows
      .filter(([first]) => !fieldKinds.has(codesIn(first)[0] ?? ""))
      .map(([first]) => codesIn(first)[0])
    for (const [kind, names] of fieldKinds) {
      const row = rows.find(([first]) => first === `\`${kind}\``) ?? []
      const missing = names.filter((name) => !ofAll.includes(name) && !codesIn(row[2]).includes(name))
      expect({ kind, missing }).toEqual({ kind, missing: [] })
    }
    expect(
      ofAll.filter((name) => ![...fieldKinds.values()].every((names) => names.includes(name ?? "")))
    ).toEqual([])
  })

  it("have every setting of a config", () => {
    const told = Object.fromEntries(
      rowsIn("Config").map(([part, settings]) => [codesIn(part)[0], codesIn(settings)])
    )
    const known = Object.entries(object(at(configSchema, ["properties"]))).map(([part, schema]) => [
      part,
      // A text has languages, not settings.
      Object.keys(object(at(schema, ["properties"])))
    ])
    expect(told).toEqual(Object.fromEntries(known))
  })

  it("have every condition, and every choice for a match", () => {
    const conditions = shapes("op", at(workflowSchema, ["properties", "rules", "items", "properties", "if"]))
    expect(firstCodes("Conditions")).toEqual([...conditions.keys()])
    const choices = list(
      at(configSchema, ["properties", "dedup", "properties", "onMatch", "anyOf", 0, "enum"])
    )
    expect(firstCodes("Duplicates")).toEqual(choices)
  })

  it("have every status, also in the drawings", () => {
    const drawings = (section: string) =>
      (sections.get(section) ?? [])
        .filter(({ lang }) => lang === "diagram")
        .map((token) => String(token.text))
    for (const [section, statuses] of [
      ["Statuses of a session", Status.literals],
      ["Statuses of a review", ReviewStatus.literals]
    ] as const) {
      expect(firstCodes(section)).toEqual([...statuses])
      expect(statuses.filter((status) => !drawings(section).join().includes(status))).toEqual([])
    }
  })
})

describe("a wrong example", () => {
  it("is refused", () => {
    expect(workflowProblem({ steps: [{ id: "address", type: "upload", maxFiles: 11 }] })).toBe(
      "workflow.steps[0].maxFiles must be a whole number from 1 to 10"
    )
    expect(page).toContain("`workflow.steps[0].maxFiles must be a whole number from 1 to 10`")
  })
})
