import type { JsonObject } from "../../model.ts"
import { type ExportedNames, objectOf } from "./exported-names.ts"
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

/**
 * By component schema that names no alternatives: its own name, and those of the schemas that extend it, which say `allOf`
 * with a reference to it. Those that extend them in turn have to be in a mapping of the publisher's own.
 */
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
 * Gives every discriminator a mapping. Where it has none for a schema, the value that stands for it is the schema's name: as
 * it is in the publisher's document, which is no longer its name in the description.
 *
 * @param text what becomes of every string that is the publisher's own
 * @returns the mapping for a Schema Object of `document`, as it was originally
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
      // Tools go wrong at a value like `hasOwnProperty`, which the schema may well be called.
      .filter((name) => !isMistaken(name))
      .map((name) => [text(name), names.schema(name)] as const)
      .filter(([, target]) => !targets.has(target))
    return Object.fromEntries([...implied, ...mapped])
  }
}
