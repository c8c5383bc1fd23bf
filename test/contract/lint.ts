import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Validator } from "@seriousme/openapi-schema-validator"

/** One finding of the OpenAPI linter, flattened to what a failing test should print. */
export interface OpenApiProblem {
  readonly severity: "error" | "warn"
  /** The linter's rule, such as `operation-4xx-response`. */
  readonly rule: string
  /** JSON pointer into the document, such as `#/paths/~1api~1kyc~1sessions/post`. */
  readonly at: string
  readonly message: string
}

/**
 * Lints an OpenAPI document with Redocly's rules and answers every problem found, errors and warnings, in the
 * order of the document. An unreadable document is a problem too. Works offline: the rules are part of the package, and a
 * document without external `$ref`s makes the linter fetch nothing.
 *
 * @param document an OpenAPI document, as `JSON.stringify` would write it
 * @param rules `spec` are those of the specification alone, for a document whose style is not ours
 */
export const lintOpenApi = async (
  document: object,
  rules: "recommended" | "spec" = "recommended"
): Promise<ReadonlyArray<OpenApiProblem>> => {
  const config = await createConfig({ extends: [rules] })
  const problems = await lintFromString({
    source: JSON.stringify(document, null, 2),
    absoluteRef: "openapi.json",
    config
  })
  return problems.map((problem) => ({
    severity: problem.severity,
    rule: problem.ruleId,
    at: problem.location[0]?.pointer ?? "#/",
    message: problem.message
  }))
}

/** One for all documents: it compiles the schema of a version of the specification when the first document of it comes. */
const validator = new Validator({ validateFormats: false })

/** Validates an OpenAPI document against the schema of its version, by a library that the linter knows nothing of. */
export const validateOpenApi = (document: object): Promise<unknown> =>
  validator.validate(structuredClone({ ...document }))
