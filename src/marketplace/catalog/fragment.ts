/** The part of one version in the description of published APIs. */
import { isJsonObject, type JsonObject, objectOf } from "../../shared/schemas.ts"
import { type Allowance, AllowanceSpent, bytesOfDocument, maxExportedSize } from "./allowance.ts"
import { exportedMapping } from "./exported-discriminators.ts"
import { exportedNames, type VersionPlace } from "./exported-names.ts"
import type { StoredFragment } from "./fragment-model.ts"
import { gatewayResponses } from "./gateway-answers.ts"
import { componentSections, type Kind } from "./openapi-grammar.ts"
import { rewrite } from "./openapi-rewrite.ts"
import { upgradeSchema } from "./openapi-upgrade.ts"
import { withoutUpstreams } from "./upstream-traces.ts"

const utf8 = new TextEncoder()

/** The sections of a fragment in stored order; the components by their sections. */
const sectionNames: ReadonlyArray<string> = ["tags", "paths", "webhooks", ...componentSections]

/** The members of each section as UTF-8 JSON without outer brackets, since they are only concatenated. */
export type Fragment = ReadonlyMap<string, Uint8Array>

export const packed = (fragment: Fragment): StoredFragment => {
  const sections = [...fragment.values()]
  return {
    content: new TextDecoder().decode(Buffer.concat(sections)),
    lengths: sections.map(({ length }) => length)
  }
}

export const unpacked = ({ content, lengths }: StoredFragment): Fragment => {
  const bytes = utf8.encode(content)
  let end = 0
  return new Map(
    sectionNames.map((name, index) => {
      const start = end
      end += lengths[index] ?? 0
      return [name, bytes.subarray(start, end)]
    })
  )
}

/** Total bytes. */
export const sizeOf = (fragment: Fragment): number =>
  fragment.values().reduce((sum, { length }) => sum + length, 0)

/** Fields that the gateway replaces or never serves. */
const dropped: Readonly<Record<string, ReadonlyArray<string>>> = {
  pathItem: ["servers"],
  callbackItem: ["servers"],
  operation: ["servers", "security"],
  callbackOperation: ["servers", "security"],
  link: ["server"],
  // It is the description's own; tools do not know it by all of its names.
  schema: ["$schema"]
}

const renamed = (value: unknown, name: (own: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(objectOf(value)).map(([own, item]) => [name(own), item]))

/** The serialised members of an object or array, without its brackets. */
export const members = (value: object): Uint8Array => utf8.encode(JSON.stringify(value).slice(1, -1))

const renamedText = (field: string, value: unknown, name: (own: string) => string): JsonObject =>
  typeof value === "string" ? { [field]: name(value) } : {}

/** The document's own objects, as they appear in the description. */
const exported = (
  place: VersionPlace,
  document: JsonObject,
  steps: Allowance,
  bytes: Allowance
): JsonObject => {
  const clean = withoutUpstreams([place], steps)
  const text = (own: string): string => {
    const made = clean(own)
    bytes.take(made.length)
    return made
  }
  const names = exportedNames(place, document, clean, bytes)
  const mapping = exportedMapping(names, document, clean)
  const isOld = String(document.openapi).startsWith("3.0")
  const isAtUpstream = (docs: unknown) => {
    const { url } = objectOf(docs)
    return typeof url === "string" && clean(url) !== url
  }

  const tags = (own: unknown) =>
    Array.isArray(own) && own.length > 0 ? own.map((tag) => names.tag(String(tag))) : [names.versionTag]

  const operation = (node: JsonObject, { operationId, tags: own }: JsonObject): JsonObject => ({
    ...node,
    tags: tags(own),
    ...renamedText("operationId", operationId, names.name)
  })

  const change = (kind: Kind, changed: JsonObject, original: JsonObject): JsonObject => {
    const drop = [...(dropped[kind] ?? []), ...(isAtUpstream(original.externalDocs) ? ["externalDocs"] : [])]
    const node =
      drop.length === 0
        ? changed
        : Object.fromEntries(Object.entries(changed).filter(([name]) => !drop.includes(name)))
    if (typeof original.$ref === "string") {
      const $ref = names.reference(original.$ref)
      // Before 3.1, tools ignore everything beside a reference.
      return isOld && kind !== "pathItem" ? { $ref } : { ...node, $ref }
    }
    switch (kind) {
      case "schema": {
        const schema = isJsonObject(node.discriminator)
          ? { ...node, discriminator: { ...node.discriminator, mapping: mapping(original) } }
          : node
        return isOld ? upgradeSchema(schema) : schema
      }
      case "operation": {
        const responses = objectOf(node.responses)
        return { ...operation(node, original), responses: { ...responses, ...gatewayResponses(responses) } }
      }
      case "callbackOperation":
        return { ...operation(node, original), security: [] }
      case "link":
        return {
          ...node,
          ...renamedText("operationRef", original.operationRef, names.reference),
          ...renamedText("operationId", original.operationId, names.name)
        }
      case "tag":
        return { ...node, name: names.tag(String(original.name)) }
      case "components":
        return Object.fromEntries(
          Object.entries(node).map(([section, named]) => [section, renamed(named, names.name)])
        )
      case "document":
        return {
          ...node,
          paths: Object.fromEntries(
            Object.entries(objectOf(node.paths)).flatMap(([path, item]) =>
              path.startsWith("/") ? [[names.path(path), item]] : []
            )
          ),
          webhooks: renamed(node.webhooks, names.name),
          tags: [
            ...new Map(
              (Array.isArray(node.tags) ? node.tags : []).map((tag) => [objectOf(tag).name, tag])
            ).values()
          ]
        }
      default:
        return node
    }
  }
  return objectOf(rewrite("document", document, { text, change, steps }))
}

/**
 * A version's part in the description, except for its own tag: its paths below the gateway's, its components
 * under unique names, and nothing about where it is served from. `openapi-check` has accepted `document`.
 * Throws `AllowanceSpent` if the part grows too large.
 */
export const fragmentOf = (
  place: VersionPlace,
  document: JsonObject,
  steps: Allowance,
  bytes: Allowance = bytesOfDocument()
): Fragment => {
  const { components, paths, tags, webhooks } = exported(place, document, steps, bytes)
  const sections = [
    Array.isArray(tags) ? tags : [],
    objectOf(paths),
    objectOf(webhooks),
    ...componentSections.map((section) => objectOf(objectOf(components)[section]))
  ]
  const fragment = new Map(sectionNames.map((name, index) => [name, members(sections[index] ?? {})]))
  if (sizeOf(fragment) > maxExportedSize) throw new AllowanceSpent("bytes")
  return fragment
}
