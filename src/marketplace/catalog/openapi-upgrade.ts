import type { JsonObject } from "../../shared/json.ts"

const bound = (node: JsonObject, exclusive: string, inclusive: string): JsonObject => {
  const { [exclusive]: isExclusive, [inclusive]: limit, ...rest } = node
  if (typeof isExclusive !== "boolean") return node
  if (limit === undefined) return rest
  return isExclusive ? { ...rest, [exclusive]: limit } : { ...rest, [inclusive]: limit }
}

const isNull = { type: "null" } as const

/** Adds null to a type, or as an alternative where tools put it: around references. Otherwise, no effect. */
const nullable = ({ nullable, ...node }: JsonObject): JsonObject => {
  if (nullable !== true) return node
  if (typeof node.type === "string") return { ...node, type: [node.type, "null"] }
  if (Array.isArray(node.anyOf)) return { ...node, anyOf: [...node.anyOf, isNull] }
  if (Array.isArray(node.oneOf)) return { ...node, oneOf: [...node.oneOf, isNull] }
  const { allOf, ...rest } = node
  return Array.isArray(allOf) ? { ...rest, anyOf: [{ allOf }, isNull] } : node
}

/**
 * Converts a Schema Object of OpenAPI 3.0 to 3.1: `nullable`, and exclusive bounds. Libraries would
 * recognise schemas by their paths, while the grammar knows them.
 * @see https://www.openapis.org/blog/2021/02/16/migrating-from-openapi-3-0-to-3-1-0
 */
export const upgradeSchema = (node: JsonObject): JsonObject =>
  nullable(bound(bound(node, "exclusiveMinimum", "minimum"), "exclusiveMaximum", "maximum"))
