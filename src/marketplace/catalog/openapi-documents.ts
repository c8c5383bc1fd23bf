import * as Effect from "effect/Effect"
import type { JsonObject } from "../../model.ts"
import { DescriptionRefused } from "./errors.ts"
import { fragmentOf } from "./fragment.ts"
import { referenceProblem } from "./openapi-references.ts"
import { type Problem, type SpecificationVersion, schemaProblem } from "./openapi-schema.ts"

/** Characters that a document may come to in the description of published APIs; of a publisher there are as many in all. */
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
  description: "",
  upstreams: ["http://upstream.invalid"]
} as const

const problemOf = async (document: JsonObject): Promise<string | undefined> => {
  const version = versionOf(document)
  if (version === undefined) return "openapi must be an OpenAPI 3.0 or 3.1 document"
  const problem = (await schemaProblem(version, document)) ?? referenceProblem(document)
  if (problem !== undefined) return sentence(problem)
  return fragmentOf(widest, document).size > maxExportedSize ? "openapi is too large" : undefined
}

/**
 * Tells whether what a publisher gives as a document is one, and can be published: by the JSON Schema of its version of the
 * specification, with references into itself alone. Nothing is ever fetched. The time it takes grows with the document, which
 * is no larger than a body may be.
 */
export class OpenApiDocuments extends Effect.Service<OpenApiDocuments>()("OpenApiDocuments", {
  succeed: {
    check: (document: JsonObject): Effect.Effect<void, DescriptionRefused> =>
      Effect.flatMap(
        Effect.promise(() => problemOf(document)),
        (problem) => (problem === undefined ? Effect.void : new DescriptionRefused({ problem }))
      )
  }
}) {}
