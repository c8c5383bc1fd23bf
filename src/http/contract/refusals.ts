/** Refusals that any route may send. */

/** Maximum bytes of a JSON request body: 1 MiB. */
export const maxBodyBytes = 1_048_576

/** Refusals of a body before its fields are checked. */
export const bodyRejects = {
  tooSlow: { status: 408, message: "Request body took too long", code: "body-too-slow" },
  notAnObject: { status: 400, message: "Request body must be a JSON object", code: "body-not-an-object" },
  notJson: { status: 415, message: "Content-Type must be application/json", code: "body-not-json" },
  tooLarge: { status: 413, message: "Request body is too large", code: "body-too-large" }
} as const

/** For a body dropped to make room for others. */
export const bodyDropped = {
  status: 429,
  message: "Too many requests",
  code: "too-many-requests",
  headers: { "retry-after": "1" }
} as const

/** Refusals of requests that two parsers could read differently. */
export const ambiguities = {
  /** RFC 9112, sections 3.2 and 6.3. */
  twice: {
    status: 400,
    message: "Host and Content-Length may be sent only once",
    code: "ambiguous-request"
  },
  /** RFC 9112, section 3.2: parsers may cut it off, or read it as part of the path or query. */
  fragment: {
    status: 400,
    message: "Request target must not have a fragment",
    code: "target-with-fragment"
  }
} as const

export type Ambiguity = keyof typeof ambiguities

/** For requests and failures without a row of a route. */
export const serverRefusals = {
  notFound: { status: 404, message: "Not found", code: "not-found" },
  methodNotAllowed: { status: 405, message: "Method not allowed", code: "method-not-allowed" },
  /** For a `Host` that does not belong to this service. */
  misdirected: { status: 421, message: "Host is not one of this service", code: "host-not-served" },
  internalError: { status: 500, message: "Internal server error", code: "internal-server-error" }
} as const
