import type { ErrorCode } from "./generated/types.ts"

/** Why a call failed. `kind` and `code` tell the failures apart, also across copies of this package. */
export abstract class DoorlockError extends Error {
  abstract readonly kind: "api" | "connection" | "timeout"
  abstract readonly code: string
  /** The request's id, `x-request-id`, by which the operator of doorlock finds it in the logs. */
  readonly requestId: string

  constructor(message: string, requestId: string, cause?: unknown) {
    super(message, { cause })
    this.requestId = requestId
  }
}

/** Something other than doorlock answered, such as a proxy, or the answer could not be read. */
export type UnknownCode = "unknown"

/** doorlock refused the request. `message` is for people, and `code` for programs. */
export class ApiError<Code extends string = ErrorCode | UnknownCode> extends DoorlockError {
  override readonly name = "ApiError"
  readonly kind = "api"
  readonly status: number
  /** Codes never change. New ones may be added, so have a default for them. */
  readonly code: Code
  /** In how many seconds to try again, if the response says so. */
  readonly retryAfter: number | undefined
  readonly headers: Headers

  constructor(message: string, requestId: string, code: Code, response: Response) {
    super(message, response.headers.get("x-request-id") ?? requestId)
    this.status = response.status
    this.code = code
    this.retryAfter = secondsOf(response.headers.get("retry-after"))
    this.headers = response.headers
  }
}

/** There was no answer, or not all of it. */
export class ConnectionError extends DoorlockError {
  override readonly name = "ConnectionError"
  readonly kind = "connection"
  readonly code = "connection-failed"
}

/** There was no answer within `timeout`. */
export class TimeoutError extends DoorlockError {
  override readonly name = "TimeoutError"
  readonly kind = "timeout"
  readonly code = "timed-out"
}

/** `Retry-After` as seconds from now: it is a number of seconds, or a date (RFC 9110, section 10.2.3). */
const secondsOf = (value: string | null): number | undefined => {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
