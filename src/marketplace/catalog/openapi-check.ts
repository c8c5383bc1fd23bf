/** Checks that a text is an OpenAPI document that can be published. Runs in a thread: see `openapi-documents`. */
import { isJsonObject, type JsonObject } from "../../shared/json.ts"
import { assembled } from "./exported-document.ts"
import type { VersionPlace } from "./exported-names.ts"
import { exportedVersion } from "./exported-version.ts"
import type { Sections } from "./model.ts"
import { ruleProblem } from "./openapi-rules.ts"
import { type Problem, type SpecificationVersion, schemaProblem } from "./openapi-schema.ts"

/** A sentence with the document's problem, or its part in the description if there is none. */
export type Checked = { readonly problem: string } | { readonly sections: Sections }

const written = (segment: string): string => {
  if (/^\d{1,9}$/.test(segment)) return `[${segment}]`
  return /^[A-Za-z_$]\w{0,79}$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment.slice(0, 80))}]`
}

/** Shows at most twelve segments of the place: those nearest the problem. */
const sentence = ({ path, rule }: Problem): string => {
  const shown = path.slice(-12).map(written)
  return `openapi${shown.length < path.length ? "[...]" : ""}${shown.join("")} ${rule}`
}

const versionOf = ({ openapi }: JsonObject): SpecificationVersion | undefined => {
  const [, version] = /^(3\.[01])\.\d+$/.exec(String(openapi)) ?? []
  return version === "3.0" || version === "3.1" ? version : undefined
}

const problemIn = (version: SpecificationVersion, document: JsonObject): Problem | undefined =>
  schemaProblem(version, document) ?? ruleProblem(document)

/**
 * Checks a document, as JSON, against the JSON Schema of its specification version, and its references, which
 * may only point into itself. Then checks its published form, so that no publisher can break the description
 * that all share. Never fetches anything.
 */
export const checkDocument = (text: string, place: VersionPlace): Checked => {
  const document: unknown = JSON.parse(text)
  const version = isJsonObject(document) ? versionOf(document) : undefined
  if (!isJsonObject(document) || version === undefined) {
    return { problem: "openapi must be an OpenAPI 3.0 or 3.1 document" }
  }
  const problem = problemIn(version, document)
  if (problem !== undefined) return { problem: sentence(problem) }
  const sections = exportedVersion(place, document)
  if (sections === undefined) return { problem: "openapi is too large" }
  const alone = assembled({ info: { title: "", version: "" }, serverUrl: "/" }, [
    { place, description: "", sections }
  ])
  const later = problemIn("3.1", JSON.parse(alone.toString()))
  return later === undefined
    ? { sections }
    : { problem: `openapi must be valid as it is published, but there ${sentence(later)}` }
}
