import type * as HttpHeaders from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AnySpan } from "effect/Tracer"

/** Which span a request has, once it has begun. */
export interface Trace {
  span?: AnySpan
}

/**
 * A server span named by the route's pattern: paths carry ids, and headers carry credentials. Without a route it is named by the
 * method alone, as OpenTelemetry's conventions have it.
 *
 * @param trace is told the span, for what is logged of the request outside of it
 */
export const inSpan = <A extends { readonly status: number }, E, R>(
  app: Effect.Effect<A, E, R>,
  { headers, method }: { readonly headers: HttpHeaders.Headers; readonly method: string },
  pattern: string | undefined,
  trace: Trace
) =>
  Effect.tap(Effect.orDie(Effect.currentSpan), (span) => {
    trace.span = span
    return Effect.void
  }).pipe(
    Effect.zipRight(app),
    Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
    Effect.withSpan(pattern === undefined ? method : `${method} ${pattern}`, {
      kind: "server",
      captureStackTrace: false,
      parent: Option.getOrUndefined(HttpTraceContext.w3c(headers)),
      attributes: {
        "http.request.method": method,
        ...(pattern === undefined ? undefined : { "http.route": pattern })
      }
    })
  )
