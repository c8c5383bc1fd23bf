/** The part that one version has in the description of published APIs. */
import { isJsonObject, type JsonObject } from "../../model.ts"
import { exportedDiscriminator } from "./exported-discriminators.ts"
import { exportedNames, objectOf, type VersionPlace } from "./exported-names.ts"
import { gatewayResponses } from "./gateway-answers.ts"
import { componentSections, rewrite } from "./openapi-grammar.ts"
import { upgradeSchema } from "./openapi-upgrade.ts"
import { withoutUpstreams } from "./upstream-traces.ts"

/** Members of the description's objects, as JSON text without the brackets around them: they are only ever put together. */
export interface Fragment {
  readonly tags: string
  readonly paths: string
  readonly webhooks: string
  readonly components: ReadonlyMap<string, string>
  /** Characters in all. */
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

const members = (value: object): string => JSON.stringify(value).slice(1, -1)

/** The document's own objects, each as it is in the description. */
const exported = (place: VersionPlace, document: JsonObject): JsonObject => {
  const names = exportedNames(place, document)
  const discriminator = exportedDiscriminator(names, document)
  const isOld = String(document.openapi).startsWith("3.0")
  const clean = withoutUpstreams(place)
  const isAtUpstream = (docs: unknown) => {
    const { url } = objectOf(docs)
    return typeof url === "string" && clean(url) !== url
  }

  const tags = (own: unknown) =>
    Array.isArray(own) && own.length > 0 ? own.map((tag) => names.tag(String(tag))) : [names.versionTag]

  const operation = (node: JsonObject): JsonObject => ({
    ...node,
    tags: tags(node.tags),
    ...(typeof node.operationId === "string" ? { operationId: names.name(node.operationId) } : undefined)
  })

  return objectOf(
    rewrite("document", document, (kind, changed, original) => {
      const drop = [...(dropped[kind] ?? []), ...(isAtUpstream(changed.externalDocs) ? ["externalDocs"] : [])]
      const node =
        drop.length === 0
          ? changed
          : Object.fromEntries(Object.entries(changed).filter(([name]) => !drop.includes(name)))
      if (typeof node.$ref === "string") {
        const $ref = names.reference(node.$ref)
        // Before 3.1 whatever stands beside a reference is ignored.
        return isOld && kind !== "pathItem" ? { $ref } : { ...node, $ref }
      }
      switch (kind) {
        case "schema": {
          const schema = isJsonObject(node.discriminator)
            ? { ...node, discriminator: discriminator(original) }
            : node
          return isOld ? upgradeSchema(schema) : schema
        }
        case "operation": {
          const responses = objectOf(node.responses)
          return { ...operation(node), responses: { ...responses, ...gatewayResponses(responses) } }
        }
        case "callbackOperation":
          return { ...operation(node), security: [] }
        case "link":
          return {
            ...node,
            ...(typeof node.operationRef === "string"
              ? { operationRef: names.reference(node.operationRef) }
              : undefined),
            ...(typeof node.operationId === "string"
              ? { operationId: names.name(node.operationId) }
              : undefined)
          }
        case "tag":
          return { ...node, name: names.tag(String(node.name)) }
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
                ...(place.description === "" ? undefined : { description: place.description })
              },
              ...new Map(
                (Array.isArray(node.tags) ? node.tags : []).map((tag) => [objectOf(tag).name, tag])
              ).values()
            ]
          }
        default:
          return node
      }
    })
  )
}

/**
 * What a version has in the description: its paths below the gateway's, its components under names that nobody else has, and
 * nothing of where it is served from. Of a version without a document it is the tag alone.
 *
 * @param document one that `openapi-documents` has accepted, or null
 */
export const fragmentOf = (place: VersionPlace, document: JsonObject | null): Fragment => {
  const clean = withoutUpstreams(place)
  const { components, paths, tags, webhooks } = exported(place, document ?? {})
  const texts = {
    tags: clean(members(Array.isArray(tags) ? tags : [])),
    paths: clean(members(objectOf(paths))),
    webhooks: clean(members(objectOf(webhooks))),
    components: new Map(
      componentSections.map((section) => [section, clean(members(objectOf(objectOf(components)[section])))])
    )
  }
  const { components: sections, ...others } = texts
  const size = [...Object.values(others), ...sections.values()].reduce((sum, { length }) => sum + length, 0)
  return { ...texts, size }
}
