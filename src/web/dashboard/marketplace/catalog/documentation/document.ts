/**
 * An API's exported OpenAPI document, as it is read here. Publishers write what is in it: everything is looked at before it is
 * believed, references are followed a few steps at most, and nothing of it is ever HTML.
 */
import { isObject, type Json, list, object, text } from "../../../../json.ts"

/** A text of the document; empty when it is none. */
export const textOf = (value: unknown): string => text(value) ?? ""

/** A name's own entry: a document may well have a schema called `constructor`. */
export const entryOf = (node: Json, name: string): unknown =>
  Object.hasOwn(node, name) ? node[name] : undefined

/** References that lead to references, at most. */
const maxSteps = 16

export interface Resolved {
  readonly node: Json
  /** Of the component it was referred to by, when it was. */
  readonly name?: string
}

const target = (document: Json, reference: string): { readonly value: unknown; readonly name: string } => {
  const segments = reference
    .slice(2)
    .split("/")
    .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"))
  const value = segments.reduce<unknown>((at, segment) => {
    if (Array.isArray(at)) return at[Number(segment)]
    return entryOf(object(at), segment)
  }, document)
  return { value, name: segments.at(-1) ?? "" }
}

/** What a value of the document is, with its references followed; nothing when they lead nowhere. */
export const resolved = (document: Json, value: unknown): Resolved => {
  let node = object(value)
  let name: string | undefined
  for (let step = 0; step < maxSteps; step++) {
    const { $ref: reference } = node
    if (typeof reference !== "string") return { node, ...(name === undefined ? {} : { name }) }
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
  return { node: {} }
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const

/** The version of an API that is read. */
export interface VersionName {
  readonly publisher_slug: string
  readonly slug: string
  readonly version: string
}

/** Where the gateway serves a version, below its own address. */
export const versionPath = ({ publisher_slug, slug, version }: VersionName): string =>
  `/${publisher_slug}/${slug}/v/${version}`

export interface Operation {
  /** `GET /now`: no two of a version are the same. */
  readonly id: string
  readonly method: string
  /** From the version's own address. */
  readonly path: string
  /** From the gateway's address. */
  readonly gatewayPath: string
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  /** The publisher's own tag; empty when there is none. */
  readonly group: string
  readonly node: Json
  readonly pathItem: Json
}

/** Tags are exported as `publisher/api version: own`, and the version's own without the last part. */
const ownTag = ({ publisher_slug, slug, version }: VersionName, tags: unknown): string => {
  const prefix = `${publisher_slug}/${slug} ${version}: `
  const tag = textOf(list(tags)[0])
  return tag.startsWith(prefix) ? tag.slice(prefix.length) : ""
}

/** Every operation of a version, in the document's order. */
export const operationsOf = (document: Json, versionName: VersionName): ReadonlyArray<Operation> => {
  const base = versionPath(versionName)
  return Object.entries(object(document.paths)).flatMap(([gatewayPath, item]) => {
    if (!gatewayPath.startsWith(`${base}/`) && gatewayPath !== base) return []
    const path = gatewayPath.slice(base.length)
    const { node: pathItem } = resolved(document, item)
    return methods.flatMap((method) => {
      const node = entryOf(pathItem, method)
      if (!isObject(node)) return []
      return [
        {
          id: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          gatewayPath,
          summary: textOf(node.summary),
          description: textOf(node.description),
          deprecated: node.deprecated === true,
          group: ownTag(versionName, node.tags),
          node,
          pathItem
        }
      ]
    })
  })
}

export interface Parameter {
  readonly name: string
  /** `path`, `query`, `header` or `cookie`. */
  readonly in: string
  readonly required: boolean
  readonly deprecated: boolean
  readonly description: string
  readonly schema: unknown
  readonly example: unknown
}

/** What an example is of a parameter or a body: its own, or the first of those that have names. */
const exampleOf = (document: Json, node: Json): unknown => {
  if (node.example !== undefined) return node.example
  const [first] = Object.values(object(node.examples))
  return first === undefined ? undefined : resolved(document, first).node.value
}

/** The parameters of an operation; its own win over those of its path. */
export const parametersOf = (document: Json, { node, pathItem }: Operation): ReadonlyArray<Parameter> => {
  const found = new Map<string, Parameter>()
  for (const given of [...list(pathItem.parameters), ...list(node.parameters)]) {
    const parameter = resolved(document, given).node
    const [content] = Object.values(object(parameter.content))
    const name = textOf(parameter.name)
    const location = textOf(parameter.in)
    if (name === "") continue
    found.set(`${location} ${name}`, {
      name,
      in: location,
      required: parameter.required === true,
      deprecated: parameter.deprecated === true,
      description: textOf(parameter.description),
      schema: parameter.schema ?? object(content).schema,
      example: exampleOf(document, parameter)
    })
  }
  return [...found.values()]
}

/** A body in one of the forms that it may have. */
export interface Media {
  readonly type: string
  readonly schema: unknown
  /** The publisher's own; undefined when there is none. */
  readonly example: unknown
}

const mediaOf = (document: Json, content: unknown): ReadonlyArray<Media> =>
  Object.entries(object(content)).map(([type, value]) => {
    const media = object(value)
    return { type, schema: media.schema, example: exampleOf(document, media) }
  })

export interface RequestBody {
  readonly description: string
  readonly required: boolean
  readonly media: ReadonlyArray<Media>
}

export const bodyOf = (document: Json, { node }: Operation): RequestBody | undefined => {
  if (node.requestBody === undefined) return undefined
  const { content, description, required } = resolved(document, node.requestBody).node
  return {
    description: textOf(description),
    required: required === true,
    media: mediaOf(document, content)
  }
}

export interface Answer {
  /** `200`, `4XX` or `default`. */
  readonly status: string
  readonly description: string
  readonly media: ReadonlyArray<Media>
  readonly headers: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

const isGateways = (value: unknown): boolean =>
  textOf(object(value).$ref).startsWith("#/components/responses/Gateway")

const answers = (node: Json) =>
  Object.entries(object(node.responses)).filter(([status]) => !status.startsWith("x-"))

/** What the API itself answers. */
export const answersOf = (document: Json, { node }: Operation): ReadonlyArray<Answer> =>
  answers(node)
    .filter(([, value]) => !isGateways(value))
    .map(([status, value]) => {
      const { content, description, headers } = resolved(document, value).node
      return {
        status,
        description: textOf(description),
        media: mediaOf(document, content),
        headers: Object.entries(object(headers)).map(([name, header]) => ({
          name,
          description: textOf(resolved(document, header).node.description)
        }))
      }
    })

/** The statuses that the gateway answers with by itself. */
export const gatewayStatuses = ({ node }: Operation): ReadonlyArray<string> =>
  answers(node)
    .filter(([, value]) => isGateways(value))
    .map(([status]) => status)

/** Components are exported under `publisher_api_version_own`; the publisher's own name is what readers know. */
export const componentName = ({ publisher_slug, slug, version }: VersionName, exported: string): string => {
  const prefix = `${publisher_slug}_${slug}_${version}_`
  return exported.startsWith(prefix) ? exported.slice(prefix.length) : exported
}

/** What a tag is about, in the publisher's words. */
export const tagDescription = (
  document: Json,
  { publisher_slug, slug, version }: VersionName,
  own: string
) => {
  const name = `${publisher_slug}/${slug} ${version}${own === "" ? "" : `: ${own}`}`
  return textOf(object(list(document.tags).find((tag) => object(tag).name === name)).description)
}

/** The first call to try: a GET for which nothing has to be filled in. */
export const simplest = (document: Json, operations: ReadonlyArray<Operation>): Operation | undefined =>
  operations.find(
    (operation) =>
      operation.method === "GET" &&
      !operation.path.includes("{") &&
      parametersOf(document, operation).every(({ required }) => !required)
  )
