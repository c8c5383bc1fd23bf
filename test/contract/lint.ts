import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Validator } from "@seriousme/openapi-schema-validator"

/** A finding of the OpenAPI linter, reduced to what a failing test should print. */
export interface OpenApiProblem {
  readonly severity: "error" | "warn"
  /** The linter's rule, such as `operation-4xx-response`. */
  readonly rule: string
  /** JSON pointer into the document, such as `#/paths/~1api~1kyc~1sessions/post`. */
  readonly at: string
  readonly message: string
}

/**
 * Lints an OpenAPI document with Redocly's rules. Returns all errors and warnings, in document order; an unreadable document
 * is a finding, too. Works offline: the rules are part of the package, and without external `$ref`s the linter fetches
 * nothing.
 *
 * @param document an OpenAPI document, as `JSON.stringify` would write it
 * @param rules `spec` applies only the specification's rules, for documents not in our style
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

/** Shared: it compiles the schema of a specification version at that version's first document. */
const validator = new Validator({ validateFormats: false })

/** Validates an OpenAPI document against its version's schema, with a library independent of the linter. */
export const validateOpenApi = (document: object): Promise<unknown> =>
  validator.validate(structuredClone({ ...document }))
