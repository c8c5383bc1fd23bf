/** Checks that a text is an OpenAPI document that can be published. Runs in its own thread: see `document-thread`. */
import { isJsonObject, type JsonObject } from "../../shared/schemas.ts"
import { type Allowance, AllowanceSpent, stepsOfDocument } from "./allowance.ts"
import { assembled } from "./exported-document.ts"
import type { VersionPlace } from "./exported-names.ts"
import { fragmentOf, packed } from "./fragment.ts"
import type { Checked } from "./fragment-model.ts"
import { documentTooSlow, gatewayPath } from "./model.ts"
import { referenceProblem } from "./openapi-references.ts"
import { type Problem, type SpecificationVersion, schemaProblem } from "./openapi-schema.ts"

const written = (segment: string | number): string => {
  if (typeof segment === "number" || /^\d{1,9}$/.test(segment)) return `[${segment}]`
  return /^[A-Za-z_$]\w{0,79}$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment.slice(0, 80))}]`
}

/** Maximum segments shown of a place: those nearest the problem. */
const maxSegments = 12

const sentence = ({ path, rule }: Problem): string => {
  const shown = path.slice(-maxSegments).map(written)
  return `openapi${shown.length < path.length ? "[...]" : ""}${shown.join("")} ${rule}`
}

const versionOf = ({ openapi }: JsonObject): SpecificationVersion | undefined => {
  const [, version] = /^(3\.[01])\.\d+$/.exec(String(openapi)) ?? []
  return version === "3.0" || version === "3.1" ? version : undefined
}

/** Converts a name of the published document back to the publisher's own. */
const ownName =
  (place: VersionPlace) =>
  (segment: string | number): string | number => {
    const { apiSlug, publisherSlug, version } = place
    const prefix = [gatewayPath(place), `${publisherSlug}_${apiSlug}_${version}_`].find((name) =>
      String(segment).startsWith(name)
    )
    return prefix === undefined ? segment : String(segment).slice(prefix.length)
  }

const problemIn = async (
  version: SpecificationVersion,
  document: JsonObject,
  steps: Allowance
): Promise<Problem | undefined> =>
  (await schemaProblem(version, document)) ?? referenceProblem(document, steps)

const checked = async (text: string, place: VersionPlace, steps: Allowance): Promise<Checked> => {
  const document: unknown = JSON.parse(text)
  const version = isJsonObject(document) ? versionOf(document) : undefined
  if (!isJsonObject(document) || version === undefined) {
    return { problem: "openapi must be an OpenAPI 3.0 or 3.1 document" }
  }
  const problem = await problemIn(version, document, steps)
  if (problem !== undefined) return { problem: sentence(problem) }

  const fragment = fragmentOf(place, document, steps)
  const info = { title: "", version: "" }
  const bytes = Buffer.concat(assembled({ info, serverUrl: "/" }, [{ place, description: "", fragment }]))
  const published: unknown = JSON.parse(new TextDecoder().decode(bytes))
  const later = isJsonObject(published) ? await problemIn("3.1", published, steps) : undefined
  if (later === undefined) return { fragment: packed(fragment) }
  const said = sentence({ ...later, path: later.path.map(ownName(place)) })
  return { problem: `openapi must be valid as it is published, but there ${said}` }
}

/**
 * Checks a document, as JSON, against the JSON Schema of its specification version, and its references, which
 * may only point into itself. Then checks its published form, so that no publisher can break the description
 * that all share. Never fetches anything. The steps grow with the document, and are counted.
 */
export const checkDocument = async (text: string, place: VersionPlace): Promise<Checked> => {
  try {
    return await checked(text, place, stepsOfDocument())
  } catch (error) {
    if (!(error instanceof AllowanceSpent)) throw error
    return { problem: error.of === "bytes" ? "openapi is too large" : documentTooSlow }
  }
}
