/** Whether a document is one, and can be published. Runs in a thread of its own: see `document-thread`. */
import { isJsonObject, type JsonObject } from "../../model.ts"
import { assembled } from "./exported-document.ts"
import type { VersionPlace } from "./exported-names.ts"
import { fragmentOf } from "./fragment.ts"
import { gatewayPath } from "./model.ts"
import { referenceProblem } from "./openapi-references.ts"
import { type Problem, type SpecificationVersion, schemaProblem } from "./openapi-schema.ts"

/** Bytes that a document may come to in the description of published APIs; of a publisher there are as many in all. */
export const maxExportedSize = 4_194_304

const written = (segment: string | number): string => {
  if (typeof segment === "number" || /^\d{1,9}$/.test(segment)) return `[${segment}]`
  return /^[A-Za-z_$]\w{0,79}$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment.slice(0, 80))}]`
}

/** Shown of a place, at most: of those that are deeper, the part that is nearer to the problem. */
const maxSegments = 12

const sentence = ({ path, rule }: Problem): string => {
  const shown = path.slice(-maxSegments).map(written)
  return `openapi${shown.length < path.length ? "[...]" : ""}${shown.join("")} ${rule}`
}

const versionOf = ({ openapi }: JsonObject): SpecificationVersion | undefined => {
  const [, version] = /^(3\.[01])\.\d+$/.exec(String(openapi)) ?? []
  return version === "3.0" || version === "3.1" ? version : undefined
}

/** The place with the longest names there are: a document that fits there fits everywhere. */
const widest = {
  publisherSlug: "p".repeat(63),
  apiSlug: "a".repeat(63),
  version: "v".repeat(64),
  description: ""
} as const

const widestNames = [gatewayPath(widest), `${widest.publisherSlug}_${widest.apiSlug}_${widest.version}_`]

/** A name of the published document as it is in the publisher's own. */
const ownName = (segment: string | number): string | number => {
  const prefix = widestNames.find((name) => String(segment).startsWith(name))
  return prefix === undefined ? segment : String(segment).slice(prefix.length)
}

const problemIn = async (version: SpecificationVersion, document: JsonObject): Promise<Problem | undefined> =>
  (await schemaProblem(version, document)) ?? referenceProblem(document)

/**
 * What is wrong with a document, as a sentence, or undefined: by the JSON Schema of its version of the specification, with
 * references into itself alone, and then once more as it will be published, so that no publisher can break the description
 * that all share. Nothing is ever fetched. The time it takes grows with the document.
 *
 * @param text the document as JSON
 * @param upstreams where its version is served from, of which nothing is published
 */
export const documentProblem = async (
  text: string,
  upstreams: VersionPlace["upstreams"]
): Promise<string | undefined> => {
  const document: unknown = JSON.parse(text)
  const version = isJsonObject(document) ? versionOf(document) : undefined
  if (!isJsonObject(document) || version === undefined)
    return "openapi must be an OpenAPI 3.0 or 3.1 document"
  const problem = await problemIn(version, document)
  if (problem !== undefined) return sentence(problem)

  const fragment = fragmentOf({ ...widest, upstreams }, document)
  if (fragment.size > maxExportedSize) return "openapi is too large"
  const info = { title: "", version: "" }
  const bytes = assembled({ info, serverUrl: "/" }, [{ place: widest, fragment }])
  const published: unknown = JSON.parse(new TextDecoder().decode(bytes))
  const later = isJsonObject(published) ? await problemIn("3.1", published) : undefined
  return later === undefined
    ? undefined
    : `openapi must be valid as it is published, but there ${sentence({ ...later, path: later.path.map(ownName) })}`
}
