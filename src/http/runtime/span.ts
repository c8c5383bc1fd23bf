import type * as HttpHeaders from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import { Effect, Option } from "effect"
import type { AnySpan } from "effect/Tracer"

/** The span of a request, once it has started. */
export interface Trace {
  span?: AnySpan
}

/**
 * Runs `app` in a span with only the method and the route's pattern: paths carry ids and headers carry
 * credentials. Without a route, its name is the method (OpenTelemetry conventions).
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
