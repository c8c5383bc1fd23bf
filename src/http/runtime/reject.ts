/**
 * Turns everything a route can fail with into its exact status and body. The rows come from the contract
 * (`http/contract/answers`); what no row foresees is logged and answered with the route's own 500.
 */
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { CurrentRequest } from "../../shared/current-request.ts"
import { type ErrorForm, errorBody, type FailureRow } from "../contract/answers.ts"
import { errorHeader, undeclaredCode } from "../contract/error-code.ts"
import type { Contract, Route } from "../contract/reflection.ts"
import {
  type Ambiguity,
  ambiguities,
  internalError,
  methodNotAllowed,
  misdirected,
  notFound
} from "../contract/refusals.ts"
import { BodyRejected } from "./body.ts"
import type { DirectError } from "./direct.ts"
import { constant } from "./edge.ts"

const answer = (
  form: ErrorForm,
  { code, message, status }: DirectError,
  headers?: Readonly<Record<string, string>>
) =>
  HttpServerResponse.unsafeJson(errorBody(form, message), {
    status,
    headers: { ...headers, [errorHeader]: code }
  })

/** What a row answers an error with: made once, where it is the same for all. */
const answering = (row: FailureRow): ((error: unknown) => HttpServerResponse.HttpServerResponse) => {
  const make = (error: unknown) =>
    HttpServerResponse.unsafeJson(row.body(error), {
      status: row.status,
      headers: { ...row.headers(error), [errorHeader]: row.codeOf(error) }
    })
  if (!row.isConstant) return make
  const made = constant(make(undefined))
  return () => made
}

/** The answer to a request that no route is for: 405 where the path has other methods. */
export const unrouted = (others: ReadonlyArray<Route>): HttpServerResponse.HttpServerResponse => {
  if (others.length === 0) return answer("plain", notFound)
  const allow = others.flatMap((other) => (other.method === "GET" ? ["GET", "HEAD"] : [other.method]))
  return answer(others[0]?.answers?.form ?? "plain", methodNotAllowed, {
    allow: allow.sort().join(", ")
  })
}

/** The answer to a request that has no one meaning, after which its connection has none either. */
export const refuseAmbiguous = (
  ambiguity: Ambiguity,
  route: Route | undefined
): HttpServerResponse.HttpServerResponse =>
  answer(route?.answers?.form ?? "plain", ambiguities[ambiguity], { connection: "close" })

/** The answer to a request that is for another host. */
export const refuseHost = (route: Route | undefined): HttpServerResponse.HttpServerResponse =>
  answer(route?.answers?.form ?? "plain", misdirected, { connection: "close" })

/** What answers for a route's handler, whatever it fails with. */
export const rejecting = ({ failureRows }: Contract) => {
  const ofRows = new Map([...failureRows].map(([Class, row]) => [Class, answering(row)]))
  /** For a failure that was declared: the same class thrown as a defect is a fault of ours. */
  const declared = (cause: Cause.Cause<unknown>) => {
    if (!Cause.isFailType(cause)) return undefined
    const { error } = cause
    return typeof error === "object" && error !== null ? ofRows.get(error.constructor)?.(error) : undefined
  }
  return <R>(
    { answers, pattern }: Route,
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> => {
    const form = answers?.form ?? "plain"
    const unexpected =
      answers === undefined
        ? internalError
        : { status: 500, message: answers.unexpected, code: answers.codeOf(answers.unexpected) }
    const respond = (cause: Cause.Cause<unknown>) => {
      const known = declared(cause)
      if (known !== undefined) return Effect.succeed(known)
      const error = Cause.squash(cause)
      if (error instanceof BodyRejected) return Effect.succeed(answer(form, error, error.headers))
      if (error instanceof HttpApiDecodeError) {
        // Schemas refuse with the contract's own sentence, and the first issue is the first field refused.
        const message = error.issues[0]?.message ?? "Bad request"
        const code = answers?.codeOf(message) ?? undeclaredCode
        return Effect.succeed(answer(form, { status: 400, message, code }))
      }
      return Effect.as(
        Effect.flatMap(CurrentRequest, ({ id }) =>
          Effect.logError("Request failed", cause).pipe(
            Effect.annotateLogs({ requestId: id, route: pattern })
          )
        ),
        answer(form, unexpected)
      )
    }
    // An interruption, too: nobody interrupts requests, so that one is a fault of ours.
    return Effect.catchAllCause(app, respond)
  }
}
