/** Reads an API's exported OpenAPI document. Publishers write it, so every value is checked before use. */
import { isObject, type Json, list, object, text } from "../../../../json.ts"
import { at } from "../../../common/json/document.ts"

/** The value; empty if it is not a string. */
export const textOf = (value: unknown): string => text(value) ?? ""

/** The maximum length of a chain of references. */
const maxSteps = 16

const target = (document: Json, reference: string) => {
  const path = reference
    .slice(2)
    .split("/")
    .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"))
  return { value: at(document, path), name: path.at(-1) }
}

/** Follows references. `name` is the component's; `node` is empty if a reference leads nowhere. */
export const resolved = (
  document: Json,
  value: unknown
): { readonly node: Json; readonly name: string | undefined } => {
  let node = object(value)
  let name: string | undefined
  for (let step = 0; step < maxSteps; step++) {
    const { $ref: reference } = node
    if (typeof reference !== "string") return { node, name }
    if (!reference.startsWith("#/")) break
    try {
      const found = target(document, reference)
      if (found.value === undefined) break
      node = object(found.value)
      name ??= found.name
    } catch {
      break
    }
  }
  return { node: {}, name: undefined }
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const

export interface VersionName {
  readonly publisher_slug: string
  readonly slug: string
  readonly version: string
}

/** The path of a version below the gateway's address. */
export const versionPath = ({ publisher_slug, slug, version }: VersionName): string =>
  `/${publisher_slug}/${slug}/v/${version}`

/** The tag of a version in the export. A publisher's own tag follows it: `publisher/api version: own`. */
const tagOf = ({ publisher_slug, slug, version }: VersionName): string =>
  `${publisher_slug}/${slug} ${version}`

const afterPrefix = (text: string, prefix: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined

export const operationsOf = (document: Json, versionName: VersionName) => {
  const base = versionPath(versionName)
  return Object.entries(object(document.paths)).flatMap(([gatewayPath, item]) => {
    if (!gatewayPath.startsWith(`${base}/`) && gatewayPath !== base) return []
    const path = gatewayPath.slice(base.length)
    const { node: pathItem } = resolved(document, item)
    return methods.flatMap((method) => {
      const node = at(pathItem, [method])
      if (!isObject(node)) return []
      return [
        {
          /** Such as `GET /now`; unique within a version. */
          id: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          /** Relative to the version's address. */
          path,
          /** Relative to the gateway's address. */
          gatewayPath,
          summary: textOf(node.summary),
          description: textOf(node.description),
          deprecated: node.deprecated === true,
          /** The publisher's own tag; empty if there is none. */
          group: afterPrefix(textOf(list(node.tags)[0]), `${tagOf(versionName)}: `) ?? "",
          node,
          pathItem
        }
      ]
    })
  })
}

export type Operation = ReturnType<typeof operationsOf>[number]

/** The example of a parameter or a body: its `example`, or else the first of its named `examples`. */
const exampleOf = (document: Json, node: Json): unknown => {
  if (node.example !== undefined) return node.example
  const [first] = Object.values(object(node.examples))
  return first === undefined ? undefined : resolved(document, first).node.value
}

/** An operation's own parameters override those of its path. */
export const parametersOf = (document: Json, { node, pathItem }: Operation) => {
  const found = [...list(pathItem.parameters), ...list(node.parameters)].map((given) => {
    const parameter = resolved(document, given).node
    const [content] = Object.values(object(parameter.content))
    const place = textOf(parameter.in)
    return {
      name: textOf(parameter.name),
      in: place,
      place: `in ${place}${parameter.deprecated === true ? ", deprecated" : ""}`,
      required: parameter.required === true,
      description: textOf(parameter.description),
      schema: parameter.schema ?? object(content).schema,
      example: exampleOf(document, parameter)
    }
  })
  const named = found.filter(({ name }) => name !== "")
  return [...new Map(named.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()]
}

/** The media types of a body, each with its schema and the publisher's example, if any. */
const mediaOf = (document: Json, content: unknown) =>
  Object.entries(object(content)).map(([type, value]) => {
    const media = object(value)
    return { type, schema: media.schema, example: exampleOf(document, media) }
  })

export type Media = ReturnType<typeof mediaOf>[number]

/** The request body of an operation; undefined if it takes none. */
export const bodyOf = (document: Json, { node }: Operation) => {
  if (node.requestBody === undefined) return undefined
  const { content, description, required } = resolved(document, node.requestBody).node
  return { description: textOf(description), required: required === true, media: mediaOf(document, content) }
}

const isGateways = (value: unknown): boolean =>
  textOf(object(value).$ref).startsWith("#/components/responses/Gateway")

const answers = (node: Json) =>
  Object.entries(object(node.responses)).filter(([status]) => !status.startsWith("x-"))

/** The responses of the API itself. */
export const answersOf = (document: Json, { node }: Operation) =>
  answers(node)
    .filter(([, value]) => !isGateways(value))
    .map(([status, value]) => {
      const { content, description, headers } = resolved(document, value).node
      return {
        /** `200`, `4XX` or `default`. */
        status,
        description: textOf(description),
        media: mediaOf(document, content),
        headers: Object.entries(object(headers)).map(([name, header]) => {
          const { node } = resolved(document, header)
          return { name, description: textOf(node.description), schema: node.schema }
        })
      }
    })

export type Answer = ReturnType<typeof answersOf>[number]

/** The statuses of the gateway's own responses. */
export const gatewayStatuses = ({ node }: Operation): ReadonlyArray<string> =>
  answers(node)
    .filter(([, value]) => isGateways(value))
    .map(([status]) => status)

/** The publisher's own name of a component, which the export names `publisher_api_version_own`. */
export const componentName = ({ publisher_slug, slug, version }: VersionName, exported: string): string =>
  afterPrefix(exported, `${publisher_slug}_${slug}_${version}_`) ?? exported

export const tagDescription = (document: Json, versionName: VersionName, own: string): string => {
  const name = own === "" ? tagOf(versionName) : `${tagOf(versionName)}: ${own}`
  return textOf(object(list(document.tags).find((tag) => object(tag).name === name)).description)
}

/** The best operation for a first call: a GET without required input. */
export const simplest = (document: Json, operations: ReadonlyArray<Operation>): Operation | undefined =>
  operations.find(
    (operation) =>
      operation.method === "GET" &&
      !operation.path.includes("{") &&
      parametersOf(document, operation).every(({ required }) => !required)
  )
