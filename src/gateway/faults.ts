/**
 * The gateway's own responses, in doorlock's error format. `Proxy-Status` says who failed and why (RFC 9209,
 * section 2.3); a response from an upstream never carries it.
 */

import { reasonHeader } from "../http/contract/error-code.ts"
import { ambiguities, bodyRejects, serverRefusals } from "../http/contract/refusals.ts"
import { type DirectAnswer, type DirectError, directError } from "../http/runtime/direct.ts"
import type { KeyReason } from "./errors.ts"

const unavailable = { status: 502, message: "Upstream unavailable", code: "upstream-unavailable" }
const timedOut = { status: 504, message: "Upstream timed out", code: "upstream-timed-out" }

/** How a call can end without a complete response from the upstream, by RFC 9209 error type. */
export const upstreamFaults = {
  dns_error: unavailable,
  dns_timeout: timedOut,
  destination_ip_prohibited: unavailable,
  destination_ip_unroutable: unavailable,
  destination_unavailable: unavailable,
  connection_refused: unavailable,
  connection_terminated: unavailable,
  connection_timeout: timedOut,
  connection_write_timeout: timedOut,
  connection_limit_reached: {
    status: 503,
    message: "Upstream is busy",
    code: "upstream-busy",
    headers: { "retry-after": "1" }
  },
  tls_certificate_error: unavailable,
  tls_protocol_error: unavailable,
  http_protocol_error: unavailable,
  http_response_header_section_size: unavailable,
  http_response_incomplete: unavailable,
  http_response_transfer_coding: unavailable,
  http_upgrade_failed: unavailable,
  http_response_timeout: timedOut,
  proxy_loop_detected: {
    status: 502,
    message: "Request loops through this gateway",
    code: "request-loops"
  }
} as const satisfies Readonly<Record<string, DirectError>>

export type UpstreamFaultType = keyof typeof upstreamFaults

/** A call without a complete response. The client gets the row of its type. */
export class UpstreamFault {
  readonly _tag = "UpstreamFault"
  readonly type: UpstreamFaultType
  constructor(type: UpstreamFaultType) {
    this.type = type
  }
}

interface Refusal extends DirectError {
  readonly type:
    | UpstreamFaultType
    | "destination_not_found"
    | "http_request_denied"
    | "http_request_error"
    | "proxy_internal_error"
}

const denial = (status: number, message: string, code: string) =>
  ({ type: "http_request_denied", status, message, code }) as const

/** Refusals before a call reaches its upstream, or in place of the response. */
export const refusals = {
  path: { type: "http_request_error", status: 400, message: "Path is not allowed", code: "path-not-allowed" },
  twice: { type: "http_request_error", ...ambiguities.twice, headers: { connection: "close" } },
  fragment: { type: "http_request_error", ...ambiguities.fragment, headers: { connection: "close" } },
  bodyOfGet: {
    type: "http_request_error",
    status: 400,
    message: "Requests with GET or HEAD have no body",
    code: "body-not-allowed"
  },
  bodyTooSlow: { type: "http_request_error", ...bodyRejects.tooSlow, headers: { connection: "close" } },
  method: {
    type: "http_request_denied",
    ...serverRefusals.methodNotAllowed,
    headers: { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" }
  },
  upgrade: denial(501, "WebSocket is not supported", "websocket-not-supported"),
  broken: { type: "proxy_internal_error", ...serverRefusals.internalError },
  // RFC 9110, section 15.5.2: a 401 says how to authenticate.
  invalid_key: {
    ...denial(401, "Invalid API key", "invalid-api-key"),
    headers: { "www-authenticate": 'ApiKey realm="doorlock"' }
  },
  not_subscribed: denial(403, "API key is not subscribed to this API", "not-subscribed"),
  api_not_found: {
    type: "destination_not_found",
    status: 404,
    message: "API not found",
    code: "api-not-found"
  },
  rate_limited: denial(429, "Rate limit exceeded", "rate-limit-exceeded"),
  quota_exceeded: denial(429, "Monthly quota exceeded", "monthly-quota-exceeded"),
  too_many_guesses: denial(429, "Too many requests", "too-many-requests")
} as const satisfies Readonly<Record<string, Refusal>>

/** Browsers must not cache, sniff or run the gateway's own responses. */
const ownHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "cache-control": "no-store",
  "content-security-policy": "sandbox",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

export const refusal = (refused: Refusal, headers?: Readonly<Record<string, string>>): DirectAnswer =>
  directError(refused, { ...ownHeaders, ...headers, "proxy-status": `doorlock; error=${refused.type}` })

const keyRefusals = new Map<KeyReason | undefined, Pick<DirectAnswer, "base" | "body" | "status">>()

/** The refusal of a key, made once for each reason. */
export const keyRefusal = (reason: KeyReason | undefined): DirectAnswer => {
  const known = keyRefusals.get(reason)
  if (known !== undefined) return { ...known, headers: {} }
  const { body, headers, status } = refusal(
    refusals.invalid_key,
    reason === undefined ? {} : { [reasonHeader]: reason }
  )
  keyRefusals.set(reason, { status, base: new Headers(headers), body })
  return keyRefusal(reason)
}

export const faultAnswer = (
  type: UpstreamFaultType,
  headers?: Readonly<Record<string, string>>
): DirectAnswer => refusal({ type, ...upstreamFaults[type] }, headers)
