/** Checks what no schema can express about a document: where its references point, and what must be unique. */
import { type JsonObject, objectOf } from "../../shared/json.ts"
import { isUnambiguous } from "../../shared/unambiguous-path.ts"
import { serverAddress, serverPath, withoutFragment } from "./exported-names.ts"
import { type Kind, objectsIn, type Path } from "./openapi-grammar.ts"
import { hasEnd, targetRule } from "./openapi-references.ts"
import type { Problem } from "./openapi-schema.ts"

const identifiers = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"] as const

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
  const serverRule = pathRule(serverPath(document))
  if (serverRule !== undefined) yield { path: server, rule: serverRule }
  const seen = new Map<string, string>()
  for (const name of Object.keys(objectOf(paths))) {
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

function* schemaProblems(node: JsonObject, path: Path): Generator<Problem> {
  const identifier = identifiers.find((name) => node[name] !== undefined)
  if (identifier !== undefined) {
    yield { path: [...path, identifier], rule: "is not supported: refer by #/components/schemas" }
  }
  if (node.$vocabulary !== undefined) yield { path: [...path, "$vocabulary"], rule: "is not supported" }
  if (node.$schema !== undefined && !isDialect(node.$schema)) {
    yield { path: [...path, "$schema"], rule: dialectRule }
  }
}

function* problemsIn(document: JsonObject): Generator<Problem> {
  yield* pathProblems(document)
  const operationIds = new Set<unknown>()
  const linkedIds: Array<{ readonly path: Path; readonly id: unknown }> = []

  function* referenceProblems(reference: unknown, kind: Kind, path: Path): Generator<Problem> {
    const rule = targetRule(document, reference, kind)
    if (rule !== undefined) yield { path, rule }
  }

  for (const { kind, node, path } of objectsIn("document", document)) {
    if (typeof node.$ref === "string") {
      yield* referenceProblems(node.$ref, kind, [...path, "$ref"])
      if (!hasEnd(document, node.$ref)) {
        yield {
          path: [...path, "$ref"],
          rule: "must not lead back to itself, nor through more than 32 references"
        }
      }
    }
    if (kind === "schema") yield* schemaProblems(node, path)
    if (kind === "link") {
      if (node.operationRef !== undefined) {
        yield* referenceProblems(node.operationRef, "operation", [...path, "operationRef"])
      }
      if (node.operationId !== undefined) {
        linkedIds.push({ path: [...path, "operationId"], id: node.operationId })
      }
    }
    if (kind === "operation" || kind === "callbackOperation") {
      if (node.operationId !== undefined && operationIds.has(node.operationId)) {
        yield { path: [...path, "operationId"], rule: "must be unique" }
      }
      operationIds.add(node.operationId)
    }
  }
  const dangling = linkedIds.find(({ id }) => !operationIds.has(id))
  if (dangling !== undefined) yield { path: dangling.path, rule: "must be that of an operation" }
}

/** The first such problem in an otherwise valid document. */
export const ruleProblem = (document: JsonObject): Problem | undefined => {
  const [problem] = problemsIn(document)
  return problem
}
