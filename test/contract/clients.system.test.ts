import { expect, it } from "@effect/vitest"
import spectral from "@stoplight/spectral-core"
import { oas } from "@stoplight/spectral-rulesets"
import Ajv from "ajv/dist/2020.js"
import { Api } from "../../src/api.ts"
import { describe } from "../../src/http/contract/openapi.ts"

const document = describe(Api, "https://doorlock.test")

const object = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** Every schema below `value`, with its place. */
const schemasIn = (value: unknown, at: string): ReadonlyArray<readonly [string, object]> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = `${at}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`
    const own = key === "schema" ? [[place, object(inner)] as const] : []
    const named =
      at.endsWith("components/schemas") && key !== "schema" ? [[place, object(inner)] as const] : []
    return [...own, ...named, ...schemasIn(inner, place)]
  })
}

const operations = Object.entries(object(document.paths)).flatMap(([path, methods]) =>
  Object.entries(object(methods)).map(([method, operation]) => ({
    name: `${method} ${path}`,
    operation: object(operation)
  }))
)

it("Spectral finds nothing", async () => {
  const linter = new spectral.Spectral()
  // The cast: the two packages write the type of the same rules differently.
  linter.setRuleset(oas as Parameters<typeof linter.setRuleset>[0])
  const found = await linter.run(JSON.stringify(document))
  expect(found.map(({ code, message, path }) => `${code} ${path.join("/")} ${message}`)).toEqual([])
})

it("Ajv 2020 compiles the whole document and every schema in it", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema(document, "doorlock")
  const schemas = schemasIn(document, "#")
  expect(schemas.length).toBeGreaterThan(300)
  for (const [at] of schemas) expect(() => ajv.getSchema(`doorlock${at}`), at).not.toThrow()
  expect(JSON.stringify(document)).not.toContain('"$id"')
})

it("a POST that needs no body requires none", () => {
  const demanding = operations.flatMap(({ name, operation }) => {
    const { content, required } = object(operation.requestBody)
    const schema = object(object(object(content)["application/json"]).schema)
    return required === true && JSON.stringify(schema).includes("NoFields") ? [name] : []
  })
  expect(demanding).toEqual([])
  const bodies = new Map(operations.map(({ name, operation }) => [name, operation.requestBody]))
  expect(bodies.get("post /api/auth/logout")).toBeUndefined()
  expect(object(bodies.get("post /api/api-marketplace/keys/{id}/rotate")).required).toBe(false)
  expect(object(bodies.get("post /api/kyc/public/sessions")).required).toBe(true)
})
