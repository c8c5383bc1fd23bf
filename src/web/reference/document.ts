/** Reads an OpenAPI document. Publishers write some, so every value is checked before use. */
import { at, isObject, type Json, list, object, text } from "../json.ts"

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

/**
 * Follows references. `name` is the component's; `node` is empty if a reference leads nowhere. A description beside the
 * first reference is that of the place, and wins.
 */
export const resolved = (
  document: Json,
  value: unknown
): { readonly node: Json; readonly name: string | undefined } => {
  let node = object(value)
  let name: string | undefined
  for (let step = 0; step < maxSteps; step++) {
    const { $ref: reference } = node
    if (typeof reference !== "string") {
      const { description } = object(value)
      return { node: typeof description === "string" ? { ...node, description } : node, name }
    }
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

/**
 * The operations of a document, in its order.
 *
 * @param base the path that those of the operations begin with; others are left out
 */
export const operationsOf = (document: Json, base = "") =>
  Object.entries(object(document.paths)).flatMap(([wholePath, item]) => {
    if (!wholePath.startsWith(`${base}/`) && wholePath !== base) return []
    const path = wholePath.slice(base.length)
    const { node: pathItem } = resolved(document, item)
    return methods.flatMap((method) => {
      const node = at(pathItem, [method])
      if (!isObject(node)) return []
      return [
        {
          /** Such as `GET /now`; unique within its base. */
          id: `${method.toUpperCase()} ${path}`,
          /** Empty if there is none. */
          operationId: textOf(node.operationId),
          method: method.toUpperCase(),
          /** Relative to `base`. */
          path,
          wholePath,
          summary: textOf(node.summary),
          description: textOf(node.description),
          deprecated: node.deprecated === true,
          /** Empty if there is none. */
          tag: textOf(list(node.tags)[0]),
          node,
          pathItem
        }
      ]
    })
  })

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

/** The responses that an operation declares. */
export const answersOf = (document: Json, { node }: Operation) =>
  Object.entries(object(node.responses))
    .filter(([status]) => !status.startsWith("x-"))
    .map(([status, value]) => {
      const { content, description, headers } = resolved(document, value).node
      return {
        /** `200`, `4XX` or `default`. */
        status,
        /** What it refers to; empty if it is declared in place. */
        reference: textOf(object(value).$ref),
        description: textOf(description),
        media: mediaOf(document, content),
        /** The named examples of JSON bodies: of an error, by its code. */
        examples: Object.entries(object(object(object(content)["application/json"]).examples)).map(
          ([name, example]) => [name, resolved(document, example).node.value] as const
        ),
        headers: Object.entries(object(headers)).map(([name, header]) => {
          const { node } = resolved(document, header)
          return { name, description: textOf(node.description), schema: node.schema }
        })
      }
    })

export type Answer = ReturnType<typeof answersOf>[number]

/** A schema without references; `orNull` if it is one schema or null. */
export const plain = (
  document: Json,
  value: unknown
): { readonly node: Json; readonly name: string | undefined; readonly orNull: boolean } => {
  const { name, node } = resolved(document, value)
  const options = [...list(node.oneOf), ...list(node.anyOf)]
  const [only, ...others] = options.filter((option) => resolved(document, option).node.type !== "null")
  if (only === undefined || others.length > 0 || options.length !== 2) return { name, node, orNull: false }
  const inner = resolved(document, only)
  const { anyOf: _, oneOf: __, ...own } = node
  return { node: { ...inner.node, ...own }, name: name ?? inner.name, orNull: true }
}

/** The best operation for a first call: a GET without required input. */
export const simplest = (document: Json, operations: ReadonlyArray<Operation>): Operation | undefined =>
  operations.find(
    (operation) =>
      operation.method === "GET" &&
      !operation.path.includes("{") &&
      parametersOf(document, operation).every(({ required }) => !required)
  )
