import type { JsonObject } from "../../model.ts"
import { type ExportedNames, objectOf } from "./exported-names.ts"

const schemaPrefix = "#/components/schemas/"

const componentOf = (schema: unknown): ReadonlyArray<string> => {
  const { $ref } = objectOf(schema)
  return typeof $ref === "string" && $ref.startsWith(schemaPrefix) ? [$ref.slice(schemaPrefix.length)] : []
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
 * @returns the discriminator of a Schema Object of `document`, as it was originally
 */
export const exportedDiscriminator = (names: ExportedNames, document: JsonObject) => {
  const extensions = extensionsIn(objectOf(objectOf(document.components).schemas))
  return (schema: JsonObject): JsonObject => {
    const discriminator = objectOf(schema.discriminator)
    const mapped = Object.entries(objectOf(discriminator.mapping)).map(
      ([value, target]) => [value, names.mapped(String(target))] as const
    )
    const targets = new Set(mapped.map(([, target]) => target))
    const implied = [...listed(schema.oneOf, schema.anyOf), ...(extensions.get(schema) ?? [])]
      .map((name) => [name, names.schema(name)] as const)
      .filter(([, target]) => !targets.has(target))
    return { ...discriminator, mapping: Object.fromEntries([...implied, ...mapped]) }
  }
}
