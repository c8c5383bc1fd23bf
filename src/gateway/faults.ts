/**
 * What the gateway answers by itself: house-style bodies, and on each a `Proxy-Status` that says who failed and why
 * (RFC 9209, section 2.3). An upstream's own answer never carries one.
 */
import { type DirectAnswer, directError } from "../http/direct.ts"

interface Fault {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const unavailable = { status: 502, message: "Upstream unavailable" }
const timedOut = { status: 504, message: "Upstream timed out" }

/** Every way a call can end without an upstream's answer, by the error types of RFC 9209. */
const upstreamFaults = {
  dns_error: unavailable,
  dns_timeout: timedOut,
  destination_ip_prohibited: unavailable,
  destination_ip_unroutable: unavailable,
  destination_unavailable: unavailable,
  connection_refused: unavailable,
  connection_terminated: unavailable,
  connection_timeout: timedOut,
  connection_write_timeout: timedOut,
  connection_limit_reached: { status: 503, message: "Upstream is busy", headers: { "retry-after": "1" } },
  tls_certificate_error: unavailable,
  tls_protocol_error: unavailable,
  http_protocol_error: unavailable,
  http_response_header_section_size: unavailable,
  http_response_incomplete: unavailable,
  http_response_transfer_coding: unavailable,
  http_upgrade_failed: unavailable,
  http_response_timeout: timedOut,
  proxy_loop_detected: { status: 502, message: "Request loops through this gateway" }
} as const satisfies Readonly<Record<string, Fault>>

export type UpstreamFaultType = keyof typeof upstreamFaults

/** A call that got no answer, or none to its end. Never shown: what is shown is the row of its type. */
export class UpstreamFault {
  readonly _tag = "UpstreamFault"
  readonly type: UpstreamFaultType
  constructor(type: UpstreamFaultType) {
    this.type = type
  }
}

/** What is refused before an upstream is asked. */
export type RefusalType =
  | "destination_not_found"
  | "http_request_denied"
  | "http_request_error"
  | "proxy_internal_error"

/** On every answer of the gateway's own: nothing in it may be kept, read as something else, or run. */
const ownHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "cache-control": "no-store",
  "content-security-policy": "sandbox",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/** An answer of the gateway's own, with `Proxy-Status` and the house-style body. */
export const refusal = (
  type: RefusalType | UpstreamFaultType,
  { headers, message, status }: Fault
): DirectAnswer =>
  directError(status, message, { ...ownHeaders, ...headers, "proxy-status": `doorlock; error=${type}` })

/** The answer to a call that an upstream failed. */
export const faultAnswer = (
  type: UpstreamFaultType,
  headers?: Readonly<Record<string, string>>
): DirectAnswer => {
  const fault: Fault = upstreamFaults[type]
  return refusal(type, { ...fault, headers: { ...headers, ...fault.headers } })
}
