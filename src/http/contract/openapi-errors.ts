/** The error responses of the OpenAPI document, built from the contract's rows. */

import { errorHeader, reasonHeader } from "./error-code.ts"
import { type ErrorForm, errorBody, type ProtocolError } from "./error-responses.ts"
import type { Json } from "./openapi-json.ts"
import type { DeclaredRoute } from "./reflection.ts"
import { ambiguities, bodyDropped, bodyRejects } from "./refusals.ts"

const reasons: Readonly<Record<number, string>> = {
  400: "The request is invalid",
  401: "The credential is missing or invalid",
  403: "The credential does not allow this",
  404: "Not found",
  408: "The body took too long to arrive",
  409: "The resource's state does not allow this",
  410: "The resource has expired",
  413: "The request is too large",
  415: "The body's content type is not supported",
  422: "The request contradicts an earlier one",
  429: "Too many requests; see `Retry-After`",
  500: "An unexpected failure of the service",
  503: "Temporarily unavailable"
}

interface RouteError {
  readonly code: string
  readonly message: string
  /** What `doorlock-reason` may say. */
  readonly reasons?: ReadonlyArray<string>
}

/** Every error of a route by status; one message for each code. */
export const errorsOf = ({
  metadata,
  failures,
  takesBody
}: DeclaredRoute): ReadonlyMap<number, ReadonlyArray<RouteError>> => {
  const errors = new Map<number, Map<string, RouteError>>()
  const add = ({ code, message, reasons = [], status }: RouteError & { readonly status: number }) =>
    errors.set(
      status,
      (errors.get(status) ?? new Map<string, RouteError>()).set(code, { code, message, reasons })
    )
  for (const ambiguity of Object.values(ambiguities)) add(ambiguity)
  if (takesBody) for (const reject of Object.values(bodyRejects)) add(reject)
  for (const message of metadata.rejects) add({ status: 400, code: metadata.codeOf(message), message })
  for (const { code, example } of metadata.rejectPatterns) add({ status: 400, code, message: example })
  for (const error of metadata.protocolErrors) add(error)
  for (const failure of failures) add(failure)
  if (takesBody) add(bodyDropped)
  add({ status: 500, code: metadata.codeOf(metadata.unexpected), message: metadata.unexpected })
  return new Map(
    [...errors]
      .sort(([left], [right]) => left - right)
      .map(([status, messages]) => [status, [...messages.values()]])
  )
}

const retryAfterHeader = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } }
}

const codeHeader = (codes: ReadonlyArray<string>) => ({
  [errorHeader]: {
    description: "The error's code. Codes never change; new ones may be added.",
    required: true,
    // Not an `enum`: generated clients would break on new codes.
    schema: { type: "string", examples: codes }
  }
})

const reasonOf = (reasons: ReadonlyArray<string>) =>
  reasons.length === 0
    ? {}
    : {
        [reasonHeader]: {
          description: "Why, for people who look for the cause. New reasons may be added.",
          schema: { type: "string", examples: reasons }
        }
      }

const errorSchemaName = { plain: "Error", captcha: "CaptchaError" } as const satisfies Record<
  ErrorForm,
  string
>

const errorSentence = { type: "string", description: "A message for people, in one sentence." }

export const errorSchemas = {
  Error: {
    type: "object",
    description: "An error. Programs should read its code in the header `doorlock-error`.",
    required: ["error"],
    properties: { error: errorSentence }
  },
  CaptchaError: {
    type: "object",
    description: "An error of the route that verifies captcha tokens.",
    required: ["ok", "error"],
    properties: { ok: { type: "boolean", enum: [false] }, error: errorSentence }
  }
}

const errorResponse = (
  form: ErrorForm,
  status: number,
  errors: ReadonlyArray<RouteError>,
  protocolErrors: ReadonlyArray<ProtocolError>
): Json => {
  const schema = { $ref: `#/components/schemas/${errorSchemaName[form]}` }
  const bodies = new Map(
    protocolErrors.filter((error) => error.status === status).map(({ body, code }) => [code, body])
  )
  return {
    description: reasons[status] ?? "An error",
    headers: {
      ...codeHeader(errors.map(({ code }) => code)),
      ...reasonOf(errors.flatMap(({ reasons = [] }) => reasons)),
      ...(status === 429 ? retryAfterHeader : undefined)
    },
    content: {
      "application/json": {
        schema:
          bodies.size === 0
            ? schema
            : {
                anyOf: [
                  schema,
                  {
                    type: "object",
                    description: `The body of ${[...bodies.keys()].map((code) => `\`${code}\``).join(", ")}.`
                  }
                ]
              },
        examples: Object.fromEntries(
          errors.map(({ code, message }) => [
            code,
            bodies.has(code)
              ? { summary: message, value: bodies.get(code) }
              : { value: errorBody(form, message) }
          ])
        )
      }
    }
  }
}

/** Responses of several routes, which the document contains once. */
export type SharedResponses = Map<string, Json>

/** The error responses of a route. One with a single message is shared, under its status and code, but for one that may have other reasons. */
export const errorResponses = (route: DeclaredRoute, shared: SharedResponses): Json => {
  const { form, protocolErrors } = route.metadata
  const described = ([status, errors]: readonly [number, ReadonlyArray<RouteError>]) => {
    const response = errorResponse(form, status, errors, protocolErrors)
    const [only, ...others] = errors
    if (only === undefined || others.length > 0) return [String(status), response]
    const name = `${form === "plain" ? "" : `${form}-`}${status}-${only.code}`
    if (!Bun.deepEquals(shared.get(name) ?? response, response)) return [String(status), response]
    shared.set(name, response)
    return [String(status), { $ref: `#/components/responses/${name}` }]
  }
  return Object.fromEntries([...errorsOf(route)].map(described))
}
