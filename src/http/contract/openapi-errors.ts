/** The error responses of the OpenAPI document, built from the contract's rows. */
import { type ErrorForm, errorBody } from "./answers.ts"
import { errorHeader } from "./error-code.ts"
import type { Json } from "./openapi-json.ts"
import type { DeclaredRoute } from "./reflection.ts"
import { ambiguities, bodyDropped, bodyRejects } from "./refusals.ts"

const reasons: Readonly<Record<number, string>> = {
  400: "The request is not as it must be",
  401: "No credential, or not a good one",
  403: "The credential does not permit it",
  404: "There is no such thing",
  408: "The body did not arrive in time",
  409: "It is not in a state for it",
  410: "It has expired",
  413: "The request is too large",
  415: "The body is of another type",
  422: "It contradicts an earlier request",
  429: "Too many of these; see `Retry-After`",
  500: "A fault of the service",
  503: "Not now"
}

interface RouteError {
  readonly code: string
  readonly message: string
}

/** Every error of a route by status; one message for each code. */
export const errorsOf = ({
  answers,
  failures,
  takesBody
}: DeclaredRoute): ReadonlyMap<number, ReadonlyArray<RouteError>> => {
  const errors = new Map<number, Map<string, string>>()
  const add = ({ code, message, status }: RouteError & { readonly status: number }) =>
    errors.set(status, (errors.get(status) ?? new Map<string, string>()).set(code, message))
  for (const ambiguity of Object.values(ambiguities)) add(ambiguity)
  if (takesBody) for (const reject of Object.values(bodyRejects)) add(reject)
  for (const message of answers.rejects) add({ status: 400, code: answers.codeOf(message), message })
  for (const { code, example } of answers.rejectPatterns) add({ status: 400, code, message: example })
  for (const failure of failures) add(failure)
  if (takesBody) add(bodyDropped)
  add({ status: 500, code: answers.codeOf(answers.unexpected), message: answers.unexpected })
  return new Map(
    [...errors]
      .sort(([left], [right]) => left - right)
      .map(([status, messages]) => [status, [...messages].map(([code, message]) => ({ code, message }))])
  )
}

const retryAfterHeader = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } }
}

const codeHeader = (codes: ReadonlyArray<string>) => ({
  [errorHeader]: {
    description: "Which error it is. Codes never change; further ones may come.",
    required: true,
    // Not an `enum`: generated clients would break on new codes.
    schema: { type: "string", examples: codes }
  }
})

/** The schema of error bodies in this form. */
const errorSchemaName = { plain: "Error", captcha: "CaptchaError" } as const satisfies Record<
  ErrorForm,
  string
>

const errorSentence = { type: "string", description: "One sentence, for people." }

export const errorSchemas = {
  Error: {
    type: "object",
    description: "What went wrong. The header `doorlock-error` says it for programs.",
    required: ["error"],
    properties: { error: errorSentence }
  },
  CaptchaError: {
    type: "object",
    description: "The same, on the route that verifies captcha tokens.",
    required: ["ok", "error"],
    properties: { ok: { type: "boolean", enum: [false] }, error: errorSentence }
  }
}

const errorResponse = (form: ErrorForm, status: number, errors: ReadonlyArray<RouteError>): Json => ({
  description: reasons[status] ?? "An error",
  headers: {
    ...codeHeader(errors.map(({ code }) => code)),
    ...(status === 429 ? retryAfterHeader : undefined)
  },
  content: {
    "application/json": {
      schema: { $ref: `#/components/schemas/${errorSchemaName[form]}` },
      examples: Object.fromEntries(
        errors.map(({ code, message }) => [code, { value: errorBody(form, message) }])
      )
    }
  }
})

/** Responses of several routes, which the document contains once. */
export type SharedResponses = Map<string, Json>

/** The error responses of a route. One with a single message is shared, under its status and code. */
export const errorResponses = (route: DeclaredRoute, shared: SharedResponses): Json => {
  const { form } = route.answers
  const described = ([status, errors]: readonly [number, ReadonlyArray<RouteError>]) => {
    const response = errorResponse(form, status, errors)
    const [only, ...others] = errors
    if (only === undefined || others.length > 0) return [String(status), response]
    const name = `${form === "plain" ? "" : `${form}-`}${status}-${only.code}`
    shared.set(name, response)
    return [String(status), { $ref: `#/components/responses/${name}` }]
  }
  return Object.fromEntries([...errorsOf(route)].map(described))
}
