import { type Cause, Context, Layer } from "effect"
import type { AnySpan } from "effect/Tracer"
import { isPassing } from "../../db/sql.ts"
import type { RequestInfo } from "../../shared/current-request.ts"
import { errorHeader } from "../contract/error-code.ts"
import { errorBody } from "../contract/error-responses.ts"

export interface DirectRequest extends RequestInfo {
  readonly request: Request
  /** Path and query. */
  readonly url: string
  readonly started: number
  /** If tracing is on. */
  readonly span?: AnySpan | undefined
}

/** A handler's response, to which the edge adds the server's own headers. */
export interface DirectAnswer {
  readonly status: number
  /** Overridden by `headers`. Shared by many responses and copied by the server's native code. */
  readonly base?: Headers
  /** By lower-case name. The record belongs to this response alone. */
  readonly headers: Record<string, string>
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | string | null
}

/** `code`: see `http/contract/error-code`. */
export interface DirectError {
  readonly status: number
  readonly message: string
  readonly code: string
  readonly headers?: Readonly<Record<string, string>>
}

export const directError = (
  { code, headers, message, status }: DirectError,
  further: Readonly<Record<string, string>>
): DirectAnswer => ({
  status,
  headers: { "content-type": "application/json;charset=utf-8", ...further, ...headers, [errorHeader]: code },
  body: JSON.stringify(errorBody("plain", message))
})

export const sent = ({ base, body, headers, status }: DirectAnswer): Response => {
  if (base === undefined) return new Response(body, { status, headers })
  const response = new Response(body, { status, headers: base })
  for (const name in headers) response.headers.set(name, headers[name] ?? "")
  return response
}

/** Handles all requests below one path without router, contract and body rules. */
export interface DirectRoute {
  /** Ends with a slash. */
  readonly prefix: string
  /** Its name in logs, metrics and traces. */
  readonly pattern: string
  readonly handle: (request: DirectRequest) => DirectAnswer | Promise<DirectAnswer>
}

export class DirectRoutes extends Context.Tag("DirectRoutes")<DirectRoutes, ReadonlyArray<DirectRoute>>() {
  static readonly none = Layer.succeed(DirectRoutes, [])
}

/** The same error as 503, if the same request may succeed in seconds (contract.md#database-failures). */
export const unexpected = <E extends DirectError>(error: E, cause: Cause.Cause<unknown>) =>
  isPassing(cause) ? { ...error, status: 503, headers: { "retry-after": "2" } } : error
