import { type JsonObject, objectOf } from "../../shared/schemas.ts"
import type { ExportedNames } from "./exported-names.ts"
import { parsePointer } from "./json-pointer.ts"
import { isMistaken } from "./openapi-rewrite.ts"

const componentOf = (schema: unknown): ReadonlyArray<string> => {
  const { $ref } = objectOf(schema)
  const [first, second, name, ...inner] = (typeof $ref === "string" ? parsePointer($ref) : undefined) ?? []
  const isSchema = first === "components" && second === "schemas" && inner.length === 0
  return isSchema && name !== undefined ? [name] : []
}

const listed = (...lists: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  lists.flatMap((list) => (Array.isArray(list) ? list.flatMap(componentOf) : []))

/** Schemas without alternatives: own name, and those whose `allOf` names it. Indirect ones need a mapping. */
const extensionsIn = (schemas: JsonObject): ReadonlyMap<unknown, ReadonlyArray<string>> => {
  const extensions = new Map<unknown, Array<string>>()
  for (const [name, schema] of Object.entries(schemas)) {
    const { anyOf, oneOf } = objectOf(schema)
    if (anyOf === undefined && oneOf === undefined) extensions.set(schema, [name])
  }
  for (const [name, schema] of Object.entries(schemas)) {
    for (const base of new Set(listed(objectOf(schema).allOf))) {
      extensions.get(schemas[base])?.push(name)
    }
  }
  return extensions
}

/**
 * Maps every discriminator's values: by default a value is the schema's name, which changes in the
 * description. The result takes a Schema Object of `document` in its original form; `text` transforms every
 * string of it.
 */
export const exportedMapping = (
  names: ExportedNames,
  document: JsonObject,
  text: (own: string) => string
) => {
  const extensions = extensionsIn(objectOf(objectOf(document.components).schemas))
  return (schema: JsonObject): JsonObject => {
    const { mapping } = objectOf(schema.discriminator)
    const mapped = Object.entries(objectOf(mapping)).map(
      ([value, target]) => [text(value), names.mapped(String(target))] as const
    )
    const targets = new Set(mapped.map(([, target]) => target))
    const implied = [...listed(schema.oneOf, schema.anyOf), ...(extensions.get(schema) ?? [])]
      // Tools fail on a value such as `hasOwnProperty`, which may well be a schema's name.
      .filter((name) => !isMistaken(name))
      .map((name) => [text(name), names.schema(name)] as const)
      .filter(([, target]) => !targets.has(target))
    return Object.fromEntries([...implied, ...mapped])
  }
}
