/** Checks what no schema can express about a document: where its references point, and what must be unique. */
import { isJsonObject, type JsonObject, objectOf } from "../../shared/schemas.ts"
import { isUnambiguous } from "../../shared/unambiguous-path.ts"
import type { Allowance } from "./allowance.ts"
import { serverAddress, serverPath, withoutFragment } from "./exported-names.ts"
import { parsePointer } from "./json-pointer.ts"
import { type Kind, kindAt, type Path, walk } from "./openapi-grammar.ts"
import { isMistaken } from "./openapi-rewrite.ts"
import type { Problem } from "./openapi-schema.ts"

/** The most operations, and the most paths, in a document. Each is published with the gateway's path and responses. */
const maxOperations = 1_000

/** The longest path of the first server, in characters, as encoded in references to paths. */
const maxServerPath = 2_048

/** The parts of a document that references may point into. No other part is published. */
const published = ["components", "paths", "webhooks"]

const titles: Readonly<Record<Kind, string>> = {
  document: "the document",
  components: "the components",
  tag: "a tag",
  pathItem: "a path item",
  operation: "an operation",
  callbackItem: "a path item",
  callbackOperation: "an operation",
  parameter: "a parameter",
  header: "a header",
  requestBody: "a request body",
  mediaType: "a media type",
  encoding: "an encoding",
  response: "a response",
  callback: "a callback",
  example: "an example",
  link: "a link",
  schema: "a schema"
}

/** Kinds that are the same object in the specification; they only differ in who makes the call. */
const objects: Partial<Record<Kind, Kind>> = { callbackItem: "pathItem", callbackOperation: "operation" }

const objectOfKind = (kind: Kind): Kind => objects[kind] ?? kind

interface Target {
  readonly value: JsonObject | boolean
  readonly kind: Kind
}

/** The object in a published part of the document that the reference names. A schema may be a boolean. */
const targetOf = (document: JsonObject, reference: unknown, steps: Allowance): Target | undefined => {
  if (typeof reference !== "string") return undefined
  steps.take(reference.length)
  const segments = parsePointer(reference)
  const kind = segments === undefined ? undefined : kindAt(segments)
  if (segments === undefined || kind === undefined || !published.includes(segments[0] ?? "")) return undefined
  let value: unknown = document
  for (const segment of segments) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined
    value = Reflect.get(value, segment)
  }
  if (!isJsonObject(value) && !(kind === "schema" && typeof value === "boolean")) return undefined
  return { value, kind: objectOfKind(kind) }
}

/** The problem with a reference from, or to, an object of that kind; undefined if there is none. */
const targetRule = (
  document: JsonObject,
  reference: unknown,
  kind: Kind,
  steps: Allowance
): string | undefined => {
  const target = targetOf(document, reference, steps)
  const wanted = objectOfKind(kind)
  if (target === undefined) {
    return `must point to ${titles[wanted]} in components, paths or webhooks of the document`
  }
  return target.kind === wanted
    ? undefined
    : `must point to ${titles[wanted]}, and points to ${titles[target.kind]}`
}

/** Whether references form a cycle, which breaks the whole description; those in `ending` do not. */
const isEndless = (
  document: JsonObject,
  reference: string,
  ending: Set<string>,
  steps: Allowance
): boolean => {
  const followed = new Set<string>()
  for (let at: unknown = reference; typeof at === "string" && !ending.has(at); ) {
    if (followed.has(at)) return true
    followed.add(at)
    const target = targetOf(document, at, steps)?.value
    at = isJsonObject(target) ? target.$ref : undefined
  }
  for (const one of followed) ending.add(one)
  return false
}

const identifiers = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"] as const

function* mappingProblems(
  document: JsonObject,
  { discriminator }: JsonObject,
  at: Path,
  steps: Allowance
): Generator<Problem> {
  const path = [...at, "discriminator", "mapping"]
  const mapping = Object.entries(objectOf(objectOf(discriminator).mapping))
  const mistaken = mapping.find(([value]) => isMistaken(value))
  if (mistaken !== undefined) {
    yield { path, rule: `must not have the value ${mistaken[0]}, which tools take for something else` }
  }
  const schemas = objectOf(objectOf(document.components).schemas)
  for (const [value, target] of mapping) {
    if (typeof target === "string" && Object.hasOwn(schemas, target)) continue
    if (targetRule(document, target, "schema", steps) !== undefined) {
      yield { path: [...path, value], rule: "must be a schema of the document" }
    }
  }
}

/** OpenAPI's dialect, or the draft it is based on. Tools that read the description know no other. */
const isDialect = (dialect: unknown): boolean =>
  /^https:\/\/(?:spec\.openapis\.org\/oas\/3\.1\/dialect\/|json-schema\.org\/draft\/2020-12\/schema$)/.test(
    String(dialect)
  )

const dialectRule = "must be that of OpenAPI 3.1"

/** The problem with a path to publish, if the gateway would refuse the path or a URL would change it. */
const pathRule = (path: string): string | undefined => {
  if (/\\|%(?:25)*00/.test(path)) return "must not have a backslash or an encoded NUL"
  return isUnambiguous(path) ? undefined : "must not have the segments . and .."
}

function* pathProblems(document: JsonObject): Generator<Problem> {
  const { jsonSchemaDialect, paths } = document
  if (jsonSchemaDialect !== undefined && !isDialect(jsonSchemaDialect)) {
    yield { path: ["jsonSchemaDialect"], rule: dialectRule }
  }
  const server = ["servers", "0", "url"]
  if (serverAddress(document) === undefined) {
    yield { path: server, rule: "must be at most 2048 characters with its variables" }
  }
  if (encodeURIComponent(serverPath(document)).length > maxServerPath) {
    yield { path: server, rule: "must have a path of at most 2048 characters, as references have it" }
  }
  const serverRule = pathRule(serverPath(document))
  if (serverRule !== undefined) yield { path: server, rule: serverRule }
  const names = Object.keys(objectOf(paths))
  if (names.length > maxOperations) {
    yield { path: ["paths"], rule: `must have at most ${maxOperations} paths` }
  }
  const seen = new Map<string, string>()
  for (const name of names) {
    if (name.startsWith("x-")) continue
    const path = ["paths", name]
    const rule = pathRule(name)
    if (rule !== undefined) yield { path, rule }
    if (name.includes("?")) yield { path, rule: "must not have a query" }
    const shape = withoutFragment(name).replaceAll(/\{[^{}]*\}/g, "{}")
    const other = seen.get(shape)
    if (other !== undefined) {
      yield {
        path,
        rule: `must be unlike every other path, whatever its parameters are called: ${JSON.stringify(other.slice(0, 80))} is the same`
      }
    }
    seen.set(shape, name)
  }
}

/** The first such problem in an otherwise valid document. */
export const referenceProblem = (document: JsonObject, steps: Allowance): Problem | undefined => {
  const operationIds = new Set<unknown>()
  const ending = new Set<string>()
  const linkedIds: Array<{ readonly path: Path; readonly id: unknown }> = []
  let operations = 0

  function* problemsAt(kind: Kind, node: JsonObject, path: Path): Generator<Problem> {
    const at = (field: string) => [...path, field]
    if (typeof node.$ref === "string") {
      const rule = targetRule(document, node.$ref, kind, steps)
      if (rule !== undefined) yield { path: at("$ref"), rule }
      if (isEndless(document, node.$ref, ending, steps)) {
        yield { path: at("$ref"), rule: "must not lead back to itself" }
      }
    }
    if (kind === "schema") {
      const identifier = identifiers.find((name) => node[name] !== undefined)
      if (identifier !== undefined) {
        yield { path: at(identifier), rule: "is not supported: refer by #/components/schemas" }
      }
      if (node.$vocabulary !== undefined) yield { path: at("$vocabulary"), rule: "is not supported" }
      if (node.$schema !== undefined && !isDialect(node.$schema)) {
        yield { path: at("$schema"), rule: dialectRule }
      }
      yield* mappingProblems(document, node, path, steps)
    }
    if (kind === "link") {
      if (node.operationRef !== undefined) {
        const rule = targetRule(document, node.operationRef, "operation", steps)
        if (rule !== undefined) yield { path: at("operationRef"), rule }
      }
      if (node.operationId !== undefined) linkedIds.push({ path: at("operationId"), id: node.operationId })
    }
    if (kind === "operation" || kind === "callbackOperation") {
      operations += 1
      if (operations > maxOperations) {
        yield { path: ["paths"], rule: `must have at most ${maxOperations} operations` }
      }
      if (node.operationId !== undefined && operationIds.has(node.operationId)) {
        yield { path: at("operationId"), rule: "must be unique" }
      }
      operationIds.add(node.operationId)
    }
  }

  let [problem] = pathProblems(document)
  const visit = (kind: Kind, node: JsonObject, path: Path) => {
    if (problem === undefined) [problem] = problemsAt(kind, node, path)
  }
  walk("document", document, visit, steps)
  const dangling = linkedIds.find(({ id }) => !operationIds.has(id))
  if (dangling !== undefined) problem ??= { path: dangling.path, rule: "must be that of an operation" }
  return problem
}
