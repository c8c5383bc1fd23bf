/**
 * Turns everything a route can fail with into its exact status and body. The rows come from the contract
 * (`http/contract`); what no row foresees is logged and answered with the route's own 500.
 */
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { BodyRejected, withCheckedBody } from "./body.ts"
import { type ErrorForm, errorBody, type FailureRow } from "./contract.ts"
import type { Contract } from "./reflection.ts"
import { CurrentRequest } from "./request-info.ts"
import type { RouteTable } from "./routes.ts"

const answer = (form: ErrorForm, status: number, message: string, headers?: Record<string, string>) =>
  HttpServerResponse.unsafeJson(
    errorBody(form, message),
    headers === undefined ? { status } : { status, headers }
  )

const fromRow = (row: FailureRow, error: unknown) =>
  HttpServerResponse.unsafeJson(row.body(error), { status: row.status, headers: row.headers(error) })

const takesBody = (method: string) => method !== "GET" && method !== "HEAD" && method !== "OPTIONS"

/**
 * The middleware around the whole router.
 *
 * @param contract whose failures become answers
 * @param routes all routes served, for what is known of a route only by its path
 */
export const rejecting = ({ failureRows }: Contract, routes: RouteTable) => {
  const respond = (request: HttpServerRequest.HttpServerRequest, cause: Cause.Cause<unknown>) => {
    const error = Cause.squash(cause)
    const route = routes.match(request.method, request.url)
    const form = route?.answers?.form ?? "plain"
    const row = typeof error === "object" && error !== null ? failureRows.get(error.constructor) : undefined
    // Only a failure that was declared is a row; the same class thrown as a defect is a fault of ours.
    if (row !== undefined && Cause.isFailType(cause)) return Effect.succeed(fromRow(row, error))
    if (error instanceof BodyRejected) return Effect.succeed(answer(form, error.status, error.message))
    if (error instanceof HttpApiDecodeError) {
      // Schemas refuse with the contract's own sentence, and the first issue is the first field refused.
      return Effect.succeed(answer(form, 400, error.issues[0]?.message ?? "Bad request"))
    }
    if (error instanceof HttpServerError.RouteNotFound) {
      const others = routes.ofPath(request.url)
      if (others.length === 0) return Effect.succeed(answer("plain", 404, "Not found"))
      const allow = others.flatMap((other) => (other.method === "GET" ? ["GET", "HEAD"] : [other.method]))
      return Effect.succeed(
        answer(others[0]?.answers?.form ?? "plain", 405, "Method not allowed", {
          allow: allow.sort().join(", ")
        })
      )
    }
    return Effect.as(
      Effect.flatMap(CurrentRequest, ({ id }) =>
        Effect.logError("Request failed", cause).pipe(
          Effect.annotateLogs({ requestId: id, route: route === undefined ? "unknown" : route.pattern })
        )
      ),
      answer(form, 500, route?.answers?.unexpected ?? "Internal server error")
    )
  }

  return <R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.catchAllCause(
        takesBody(request.method)
          ? Effect.provideService(app, HttpServerRequest.HttpServerRequest, withCheckedBody(request))
          : app,
        // An interruption, too: nobody interrupts requests, so that one is a fault of ours.
        (cause) => respond(request, cause)
      )
    )
}
