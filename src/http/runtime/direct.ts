import * as Context from "effect/Context"
import type { AnySpan } from "effect/Tracer"
import type { RequestInfo } from "../../shared/current-request.ts"
import { errorBody } from "../contract/answers.ts"
import { errorHeader } from "../contract/error-code.ts"

/** A request past the router. */
export interface DirectRequest extends RequestInfo {
  readonly request: Request
  /** Path and query. */
  readonly url: string
  /** When it came, on the monotonic clock. */
  readonly started: number
  /** The request's own, when there are traces. */
  readonly span?: AnySpan | undefined
}

/** An answer as a handler gives it; the edge adds the server's own fields to it, and sends it. */
export interface DirectAnswer {
  readonly status: number
  /** What it has besides, unless `headers` says otherwise: made once for many answers, and copied by the server's own code. */
  readonly base?: Headers
  /** By names in lower case; made for this answer alone. */
  readonly headers: Record<string, string>
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | string | null
}

/** An error: its status, its sentence, and its code (`http/contract/error-code`). */
export interface DirectError {
  readonly status: number
  readonly message: string
  readonly code: string
}

/** The answer to an error, in the form that all have. */
export const directError = (
  { code, message, status }: DirectError,
  headers: Readonly<Record<string, string>>
): DirectAnswer => ({
  status,
  headers: { "content-type": "application/json;charset=utf-8", ...headers, [errorHeader]: code },
  body: JSON.stringify(errorBody("plain", message))
})

/** The answer as the server sends it. */
export const sent = ({ base, body, headers, status }: DirectAnswer): Response => {
  if (base === undefined) return new Response(body, { status, headers })
  const response = new Response(body, { status, headers: base })
  for (const name in headers) response.headers.set(name, headers[name] ?? "")
  return response
}

/**
 * All requests below one path, answered without router, contract and body rules: any method, any path, bodies that stream.
 * Only the server's own headers are added to its answers.
 */
export interface DirectRoute {
  /** Ends with a slash. */
  readonly prefix: string
  /** How it is called in logs, metrics and traces. */
  readonly pattern: string
  readonly handle: (request: DirectRequest) => DirectAnswer | Promise<DirectAnswer>
}

/** What is answered past the router. */
export class DirectRoutes extends Context.Tag("DirectRoutes")<DirectRoutes, ReadonlyArray<DirectRoute>>() {}
