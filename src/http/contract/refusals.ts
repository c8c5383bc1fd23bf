/** Refusals that any route may send: status, message and code. */

/** Bytes of a JSON request body, at most: 1 MiB. */
export const maxBodyBytes = 1_048_576

/** Refusals of the body itself, before any of its fields is checked. */
export const bodyRejects = {
  tooSlow: { status: 408, message: "Request body took too long", code: "body-too-slow" },
  notAnObject: { status: 400, message: "Request body must be a JSON object", code: "body-not-an-object" },
  notJson: { status: 415, message: "Content-Type must be application/json", code: "body-not-json" },
  tooLarge: { status: 413, message: "Request body is too large", code: "body-too-large" }
} as const

/** For a body that is dropped to make room for others. */
export const bodyDropped = {
  status: 429,
  message: "Too many requests",
  code: "too-many-requests",
  headers: { "retry-after": "1" }
} as const

/** Refusals of a request that two parsers could read as two different requests. */
export const ambiguities = {
  /** RFC 9112, sections 3.2 and 6.3. */
  twice: {
    status: 400,
    message: "Host and Content-Length may be sent only once",
    code: "ambiguous-request"
  },
  /** RFC 9112, section 3.2: one reader cuts it off, another takes it for more of the path or the query. */
  fragment: {
    status: 400,
    message: "Request target must not have a fragment",
    code: "target-with-fragment"
  }
} as const

/** By the name of what is wrong. */
export type Ambiguity = keyof typeof ambiguities

/** The refusal of a request with a `Host` that does not belong to this service. */
export const misdirected = {
  status: 421,
  message: "Host is not one of this service",
  code: "host-not-served"
} as const

/** What is answered where no row of a route is for it. */
export const notFound = { status: 404, message: "Not found", code: "not-found" } as const
export const methodNotAllowed = {
  status: 405,
  message: "Method not allowed",
  code: "method-not-allowed"
} as const
export const internalError = {
  status: 500,
  message: "Internal server error",
  code: "internal-server-error"
} as const
