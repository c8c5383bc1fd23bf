/** The gateway's own responses, for the description of published APIs (contract.md#gateway-checks). */
import type { JsonObject } from "../../shared/json.ts"

const textHeader = (description: string, example: string, more: JsonObject = {}) => ({
  description,
  ...more,
  schema: { type: "string" },
  example
})

const headers = {
  GatewayErrorCode: textHeader(
    "Which of the gateway's errors it is; codes never change. An answer of the API itself has none.",
    "rate-limit-exceeded",
    { required: true }
  ),
  GatewayErrorReason: textHeader(
    "Why the key is refused: `key-missing`, `key-malformed`, `wrong-kind-of-key`, `key-unknown`, `key-expired` or `key-revoked`. New reasons may be added.",
    "key-expired"
  ),
  GatewayProxyStatus: textHeader(
    "That the gateway answered, and why (RFC 9209). An answer of the API itself has none.",
    "doorlock; error=http_response_timeout",
    { required: true }
  ),
  GatewayRateLimit: textHeader(
    "What is left of each limit, and the seconds until it is renewed (draft-ietf-httpapi-ratelimit-headers).",
    '"minute";r=59;t=1'
  ),
  GatewayRateLimitPolicy: textHeader(
    "The limits of the plan (draft-ietf-httpapi-ratelimit-headers).",
    '"minute";q=60;w=60'
  ),
  GatewayRetryAfter: {
    description: "Seconds to wait before another try.",
    required: true,
    schema: { type: "integer", minimum: 0 }
  }
}

const refer = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })

const limited = {
  RateLimit: refer("GatewayRateLimit"),
  "RateLimit-Policy": refer("GatewayRateLimitPolicy")
}

const limitedWithRetry = { "Retry-After": refer("GatewayRetryAfter"), ...limited }

const answer = (name: string, description: string, error: string, more: JsonObject = {}) =>
  [
    `Gateway${name}`,
    {
      description,
      headers: {
        "doorlock-error": refer("GatewayErrorCode"),
        "Proxy-Status": refer("GatewayProxyStatus"),
        ...more
      },
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/GatewayError" }, example: { error } }
      }
    }
  ] as const

const keyReason = { "doorlock-reason": refer("GatewayErrorReason") }
const otherKey = "The key is of a subscription to another API, or of one that was cancelled."
const busy = "The API has as many calls as it may have at once."

/** The names and the responses, by status. */
const responses = {
  401: answer(
    "Unauthorized",
    "No key, or one that is unknown, revoked or expired.",
    "Invalid API key",
    keyReason
  ),
  403: answer("Forbidden", otherKey, "API key is not subscribed to this API"),
  404: answer("NotFound", "There is no such API or version.", "API not found", limited),
  429: answer("TooManyRequests", "Over a limit of the plan.", "Rate limit exceeded", limitedWithRetry),
  502: answer("BadGateway", "The API cannot be reached, or broke off.", "Upstream unavailable", limited),
  503: answer("Unavailable", busy, "Upstream is busy", limitedWithRetry),
  504: answer("Timeout", "The API did not answer in time.", "Upstream timed out", limited)
}

/** Without the statuses, and classes of them (`4XX`), that the operation documents itself. */
export const gatewayResponses = (own: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(responses).flatMap(([status, [name]]) =>
      status in own || `${status[0]}XX` in own ? [] : [[status, { $ref: `#/components/responses/${name}` }]]
    )
  )

export const securityScheme = "x-api-key"

/** None of their names contains a `_`, unlike all names of publishers. */
export const gatewayComponents = {
  schemas: {
    GatewayError: {
      type: "object",
      required: ["error"],
      properties: { error: { type: "string" } }
    }
  },
  responses: Object.fromEntries(Object.values(responses)),
  headers,
  securitySchemes: {
    [securityScheme]: {
      type: "apiKey",
      in: "header",
      name: "x-api-key",
      description: "A key of a subscription to the API (`dk_live_`, `dk_test_`)."
    }
  }
} as const
