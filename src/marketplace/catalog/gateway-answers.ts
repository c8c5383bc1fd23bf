/** The gateway's own possible responses to any call, for the description of published APIs (contract.md#gateway-checks). */
import type { JsonObject } from "../../model.ts"

const retryAfter = {
  description: "Seconds to wait before another try.",
  required: true,
  schema: { type: "integer", minimum: 0 }
}

const rateLimit = {
  description:
    "What is left of each limit, and the seconds until it is renewed (draft-ietf-httpapi-ratelimit-headers).",
  schema: { type: "string" },
  example: '"minute";r=59;t=1'
}

const rateLimitPolicy = {
  description: "The limits of the plan (draft-ietf-httpapi-ratelimit-headers).",
  schema: { type: "string" },
  example: '"minute";q=60;w=60'
}

const proxyStatus = {
  description: "That the gateway answered, and why (RFC 9209). An answer of the API itself has none.",
  required: true,
  schema: { type: "string" },
  example: "doorlock; error=http_response_timeout"
}

const errorCode = {
  description:
    "Which of the gateway's errors it is; codes never change. An answer of the API itself has none.",
  required: true,
  schema: { type: "string" },
  example: "rate-limit-exceeded"
}

const headers = {
  GatewayErrorCode: errorCode,
  GatewayProxyStatus: proxyStatus,
  GatewayRateLimit: rateLimit,
  GatewayRateLimitPolicy: rateLimitPolicy,
  GatewayRetryAfter: retryAfter
}

type Header = keyof typeof headers

const refer = (name: Header) => ({ $ref: `#/components/headers/${name}` })

const limited = {
  RateLimit: refer("GatewayRateLimit"),
  "RateLimit-Policy": refer("GatewayRateLimitPolicy")
}

const answer = (description: string, error: string, more: JsonObject = {}) => ({
  description,
  headers: {
    "doorlock-error": refer("GatewayErrorCode"),
    "Proxy-Status": refer("GatewayProxyStatus"),
    ...more
  },
  content: {
    "application/json": { schema: { $ref: "#/components/schemas/GatewayError" }, example: { error } }
  }
})

const responses = {
  GatewayUnauthorized: answer("No key, or one that is unknown, revoked or expired.", "Invalid API key"),
  GatewayForbidden: answer(
    "The key is of a subscription to another API, or of one that was cancelled.",
    "API key is not subscribed to this API"
  ),
  GatewayNotFound: answer("There is no such API or version.", "API not found", limited),
  GatewayTooManyRequests: answer("Over a limit of the plan.", "Rate limit exceeded", {
    "Retry-After": refer("GatewayRetryAfter"),
    ...limited
  }),
  GatewayBadGateway: answer("The API cannot be reached, or broke off.", "Upstream unavailable", limited),
  GatewayUnavailable: answer("The API has as many calls as it may have at once.", "Upstream is busy", {
    "Retry-After": refer("GatewayRetryAfter"),
    ...limited
  }),
  GatewayTimeout: answer("The API did not answer in time.", "Upstream timed out", limited)
}

const byStatus: Readonly<Record<string, keyof typeof responses>> = {
  401: "GatewayUnauthorized",
  403: "GatewayForbidden",
  404: "GatewayNotFound",
  429: "GatewayTooManyRequests",
  502: "GatewayBadGateway",
  503: "GatewayUnavailable",
  504: "GatewayTimeout"
}

/** The gateway's responses of an operation, except for the statuses, or classes of them (`4XX`), that the operation documents itself. */
export const gatewayResponses = (own: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(byStatus).flatMap(([status, name]) =>
      status in own || `${status[0]}XX` in own ? [] : [[status, { $ref: `#/components/responses/${name}` }]]
    )
  )

/** The name of the only security scheme. */
export const securityScheme = "x-api-key"

/** The components that these responses and the security refer to. None of their names contains a `_`, and every publisher's name does. */
export const gatewayComponents = {
  schemas: {
    GatewayError: {
      type: "object",
      required: ["error"],
      properties: { error: { type: "string" } }
    }
  },
  responses,
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
