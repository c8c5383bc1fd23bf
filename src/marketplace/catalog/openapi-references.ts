/** The references of an OpenAPI document, which may only point into itself. */
import { isJsonObject, type JsonObject, objectOf } from "../../shared/json.ts"
import { type Kind, kindAt } from "./openapi-grammar.ts"

/** The segments of a JSON Pointer into the same document (`#/...`, RFC 6901), or undefined. */
export const parsePointer = (reference: unknown): ReadonlyArray<string> | undefined => {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined
  try {
    return reference
      .slice(2)
      .split("/")
      .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"))
  } catch {
    return undefined
  }
}

export const writePointer = (segments: ReadonlyArray<string>): string =>
  `#/${segments
    .map((segment) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/")}`

/** The parts of a document that references may point into. No other part is published. */
const published = ["components", "paths", "webhooks"]

/** Kinds that are the same object in the specification; they only differ in who makes the call. */
const objects: Partial<Record<Kind, Kind>> = { callbackItem: "pathItem", callbackOperation: "operation" }

const titleOf = (kind: Kind): string => {
  const words = (objects[kind] ?? kind).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${/^[aeo]/.test(words) ? "an" : "a"} ${words}`
}

/** The object in a published part of the document that the reference names. A schema may be a boolean. */
const targetOf = (document: JsonObject, reference: unknown) => {
  const segments = parsePointer(reference) ?? []
  const kind = kindAt(segments)
  if (kind === undefined || kind === "components" || !published.includes(segments[0] ?? "")) return undefined
  let value: unknown = document
  for (const segment of segments) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined
    value = Reflect.get(value, segment)
  }
  return isJsonObject(value) || (kind === "schema" && typeof value === "boolean")
    ? { value, kind }
    : undefined
}

/** The problem with a reference from, or to, an object of that kind; undefined if there is none. */
export const targetRule = (document: JsonObject, reference: unknown, kind: Kind): string | undefined => {
  const wanted = titleOf(kind)
  const target = targetOf(document, reference)
  if (target === undefined) {
    return `must point to ${wanted} in components, paths or webhooks of the document`
  }
  const found = titleOf(target.kind)
  return found === wanted ? undefined : `must point to ${wanted}, and points to ${found}`
}

/** Maximum references that follow one another. A cycle of nothing but references breaks the whole description. */
const maxHops = 32

/** Whether a reference leads to an object that is not a reference. */
export const hasEnd = (document: JsonObject, reference: unknown): boolean => {
  let at = reference
  for (let hops = 0; hops < maxHops && typeof at === "string"; hops++) {
    at = objectOf(targetOf(document, at)?.value).$ref
  }
  return typeof at !== "string"
}
