import * as Context from "effect/Context"
import type { AnySpan } from "effect/Tracer"
import type { RequestInfo } from "./request-info.ts"

/** A request past the router. */
export interface DirectRequest extends RequestInfo {
  readonly request: Request
  /** Path and query. */
  readonly url: string
  /** Lets the client be silent for longer than the server otherwise does: seconds, 0 for ever. */
  readonly allowSilence: (seconds: number) => void
  /** The request's own, when there are traces. */
  readonly span?: AnySpan
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
  readonly handle: (request: DirectRequest) => Promise<Response>
}

/** What is answered past the router. */
export class DirectRoutes extends Context.Tag("DirectRoutes")<DirectRoutes, ReadonlyArray<DirectRoute>>() {}
