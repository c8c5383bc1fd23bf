/** The part that one version has in the description of published APIs. */
import { isJsonObject, type JsonObject } from "../../model.ts"
import { exportedMapping } from "./exported-discriminators.ts"
import { exportedNames, objectOf, type VersionPlace } from "./exported-names.ts"
import { gatewayResponses } from "./gateway-answers.ts"
import { componentSections, type Kind, rewrite } from "./openapi-grammar.ts"
import { upgradeSchema } from "./openapi-upgrade.ts"
import { withoutUpstreams } from "./upstream-traces.ts"

/**
 * Members of the description's objects, as JSON in UTF-8 without the brackets around them: they are only ever put together, and
 * handed from thread to thread.
 */
export interface Fragment {
  readonly tags: Uint8Array<ArrayBuffer>
  readonly paths: Uint8Array<ArrayBuffer>
  readonly webhooks: Uint8Array<ArrayBuffer>
  readonly components: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  /** Bytes in all. */
  readonly size: number
}

/** What the gateway has in place of it, or serves for nobody. */
const dropped: Readonly<Record<string, ReadonlyArray<string>>> = {
  pathItem: ["servers"],
  callbackItem: ["servers"],
  operation: ["servers", "security"],
  callbackOperation: ["servers", "security"],
  link: ["server"]
}

const renamed = (value: unknown, name: (own: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(objectOf(value)).map(([own, item]) => [name(own), item]))

const utf8 = new TextEncoder()

/** What stands between the brackets of an object or a list. */
export const members = (value: object): Uint8Array<ArrayBuffer> =>
  utf8.encode(JSON.stringify(value).slice(1, -1))

/** The document's own objects, each as it is in the description. */
const exported = (place: VersionPlace, document: JsonObject): JsonObject => {
  const clean = withoutUpstreams(place)
  const names = exportedNames(place, document, clean)
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
    ...(typeof operationId === "string" ? { operationId: names.name(operationId) } : undefined)
  })

  const change = (kind: Kind, changed: JsonObject, original: JsonObject): JsonObject => {
    const drop = [...(dropped[kind] ?? []), ...(isAtUpstream(original.externalDocs) ? ["externalDocs"] : [])]
    const node =
      drop.length === 0
        ? changed
        : Object.fromEntries(Object.entries(changed).filter(([name]) => !drop.includes(name)))
    if (typeof original.$ref === "string") {
      const $ref = names.reference(original.$ref)
      // Before 3.1 whatever stands beside a reference is ignored.
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
          ...(typeof original.operationRef === "string"
            ? { operationRef: names.reference(original.operationRef) }
            : undefined),
          ...(typeof original.operationId === "string"
            ? { operationId: names.name(original.operationId) }
            : undefined)
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
            {
              name: names.versionTag,
              ...(place.description === "" ? undefined : { description: clean(place.description) })
            },
            ...new Map(
              (Array.isArray(node.tags) ? node.tags : []).map((tag) => [objectOf(tag).name, tag])
            ).values()
          ]
        }
      default:
        return node
    }
  }
  return objectOf(rewrite("document", document, { text: clean, change }))
}

/**
 * What a version has in the description: its paths below the gateway's, its components under names that nobody else has, and
 * nothing of where it is served from. Of a version without a document it is the tag alone.
 *
 * @param document one that `openapi-documents` has accepted, or null
 */
export const fragmentOf = (place: VersionPlace, document: JsonObject | null): Fragment => {
  const { components, paths, tags, webhooks } = exported(place, document ?? {})
  const sections = new Map(
    componentSections.map((section) => [section, members(objectOf(objectOf(components)[section]))])
  )
  const others = {
    tags: members(Array.isArray(tags) ? tags : []),
    paths: members(objectOf(paths)),
    webhooks: members(objectOf(webhooks))
  }
  const size = [...Object.values(others), ...sections.values()].reduce((sum, { length }) => sum + length, 0)
  return { ...others, components: sections, size }
}
