/** The part of one version in the description of published APIs. */
import { isJsonObject, type JsonObject, objectOf } from "../../shared/json.ts"
import { maxExportedSize, namesOf, type VersionPlace, versionTag } from "./exported-names.ts"
import { gatewayResponses } from "./gateway-answers.ts"
import type { Sections } from "./model.ts"
import { componentSections, fieldOf, isDataIn, type Kind } from "./openapi-grammar.ts"

/**
 * Whether tools fail on the name, wherever it stands and whatever it names: they follow a reference, require a
 * unique identifier, and find the others in every JavaScript object. One breaks the whole description.
 */
const isMistaken = (name: string): boolean =>
  ["$ref", "$id", "$anchor", "$dynamicAnchor", "__proto__", "hasOwnProperty"].includes(name)

/** Whether an object in the data has such a name, at any depth. */
const hasMistaken = (data: unknown): boolean =>
  typeof data === "object" &&
  data !== null &&
  Object.entries(data).some(([name, item]) => isMistaken(name) || hasMistaken(item))

/** Undefined for what is left out, such as extensions that stay private to the publisher. */
const dataOf = (name: string, item: unknown): unknown =>
  name.startsWith("x-internal-") || hasMistaken(item) ? undefined : item

/** Fields that the gateway replaces or never serves. */
const dropped: Partial<Readonly<Record<Kind, ReadonlyArray<string>>>> = {
  pathItem: ["servers"],
  callbackItem: ["servers"],
  operation: ["servers", "security"],
  callbackOperation: ["servers", "security"],
  link: ["server"],
  // The dialect is the description's own, and the values of a discriminator are names, which change here.
  schema: ["$schema", "discriminator"]
}

type Change = (kind: Kind, node: JsonObject, original: JsonObject) => JsonObject

/** Not by assignment, because a key may be `__proto__`. */
const mapped = (own: unknown, to: (name: string, item: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(objectOf(own)).map(([name, item]) => [name, to(name, item)]))

/**
 * Changes every object of the specification, inner ones first. Everything else is data: examples, defaults,
 * extensions. Tools would read references and identifiers in it, so a field with such data is undefined. A
 * member with a name on which tools fail is, too, unless its name changes: those of components and webhooks.
 */
const rewritten = (kind: Kind, value: unknown, change: Change): unknown => {
  if (!isJsonObject(value)) return value
  const isNamedAnew = kind === "document" || kind === "components"
  const inner = mapped(value, (name, item) => {
    // `change` sets the reference.
    if (isMistaken(name) || dropped[kind]?.includes(name) === true) return undefined
    const field = fieldOf(kind, name)
    if (field === undefined) return dataOf(name, item)
    if (field.holds === "=") return rewritten(field.kind, item, change)
    if (Array.isArray(item)) return item.map((one) => rewritten(field.kind, one, change))
    return mapped(item, (key, one) => {
      if (isDataIn(field, key)) return dataOf(key, one)
      return isNamedAnew || !isMistaken(key) ? rewritten(field.kind, one, change) : undefined
    })
  })
  return change(kind, inner, value)
}

/** The sections of a version in stored order; the components by their sections. */
export const sectionNames: ReadonlyArray<string> = ["tags", "paths", "webhooks", ...componentSections]

/** The serialised members of an object or array, without its brackets. */
export const members = (value: object): string => JSON.stringify(value).slice(1, -1)

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
const upgradeSchema = (node: JsonObject): JsonObject =>
  nullable(bound(bound(node, "exclusiveMinimum", "minimum"), "exclusiveMaximum", "maximum"))

/** Renames a field, if the object has it. */
const renamed = (node: JsonObject, field: string, rename: (own: string) => string): JsonObject =>
  typeof node[field] === "string" ? { [field]: rename(node[field]) } : {}

const allRenamed = (value: unknown, rename: (own: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(objectOf(value)).map(([own, item]) => [rename(own), item]))

/**
 * A version's part in the description, except for its own tag: its paths below the gateway's, its components
 * under unique names. `openapi-check` has accepted `document`. Undefined if it becomes too large.
 */
export const exportedVersion = (place: VersionPlace, document: JsonObject): Sections | undefined => {
  const names = namesOf(place, document)
  const isOld = String(document.openapi).startsWith("3.0")

  const operation = ({ tags, ...node }: JsonObject): JsonObject => ({
    ...node,
    tags: Array.isArray(tags) && tags.length > 0 ? tags.map(names.tag) : [versionTag(place)],
    ...renamed(node, "operationId", names.name)
  })

  const change: Change = (kind, node, { $ref }) => {
    if (typeof $ref === "string") {
      // Before 3.1, tools ignore everything beside a reference.
      return { ...(isOld && kind !== "pathItem" ? {} : node), $ref: names.reference($ref) }
    }
    switch (kind) {
      case "schema":
        return isOld ? upgradeSchema(node) : node
      case "operation": {
        const responses = objectOf(node.responses)
        return { ...operation(node), responses: { ...responses, ...gatewayResponses(responses) } }
      }
      case "callbackOperation":
        return { ...operation(node), security: [] }
      case "link":
        return {
          ...node,
          ...renamed(node, "operationRef", names.reference),
          ...renamed(node, "operationId", names.name)
        }
      case "tag":
        return { ...node, name: names.tag(node.name) }
      default:
        return node
    }
  }

  const { components, paths, tags, webhooks } = objectOf(rewritten("document", document, change))
  const ownPaths = Object.entries(objectOf(paths)).filter(([path]) => path.startsWith("/"))
  const sections = [
    [...new Map((Array.isArray(tags) ? tags : []).map((tag) => [objectOf(tag).name, tag])).values()],
    allRenamed(Object.fromEntries(ownPaths), names.path),
    allRenamed(webhooks, names.name),
    ...componentSections.map((section) => allRenamed(objectOf(components)[section], names.name))
  ].map(members)
  const isTooLarge = names.areTooLong() || Buffer.byteLength(sections.join("")) > maxExportedSize
  return isTooLarge ? undefined : sections
}
