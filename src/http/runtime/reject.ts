/** Responds to failures from the contract's rows (`http/contract/error-responses`); others get the route's 500. */
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Effect } from "effect"
import { CurrentRequest } from "../../shared/current-request.ts"
import { errorHeader, reasonHeader, undeclaredCode } from "../contract/error-code.ts"
import { type ErrorForm, errorBody, type FailureRow } from "../contract/error-responses.ts"
import type { Contract, Route } from "../contract/reflection.ts"
import { serverRefusals } from "../contract/refusals.ts"
import { BodyRejected } from "./body.ts"
import { type DirectError, unexpected } from "./direct.ts"
import { constant } from "./edge.ts"

const answer = (
  form: ErrorForm,
  { code, headers, message, status }: DirectError,
  further?: Readonly<Record<string, string>>
) =>
  HttpServerResponse.unsafeJson(errorBody(form, message), {
    status,
    headers: { ...headers, ...further, [errorHeader]: code }
  })

/** Builds a row's response; only once for each reason if all errors get the same. */
const answering = (
  row: FailureRow,
  form: ErrorForm
): ((error: unknown) => HttpServerResponse.HttpServerResponse) => {
  const make = (error: unknown, reason = row.reasonOf(error)) =>
    answer(
      form,
      { status: row.status, message: row.sentence(error), code: row.codeOf(error) },
      { ...row.headers(error), ...(reason === undefined ? {} : { [reasonHeader]: reason }) }
    )
  if (!row.isConstant) return make
  const byReason = new Map<string | undefined, HttpServerResponse.HttpServerResponse>()
  return (error) => {
    const reason = row.reasonOf(error)
    const made = byReason.get(reason) ?? constant(make(undefined, reason))
    byReason.set(reason, made)
    return made
  }
}

/** Without a matching route: 405 if the path has other methods, otherwise 404. */
export const unrouted = (others: ReadonlyArray<Route>): HttpServerResponse.HttpServerResponse => {
  if (others.length === 0) return answer("plain", serverRefusals.notFound)
  const allow = others.flatMap((other) => (other.method === "GET" ? ["GET", "HEAD"] : [other.method]))
  return answer(others[0]?.metadata?.form ?? "plain", serverRefusals.methodNotAllowed, {
    allow: allow.sort().join(", ")
  })
}

/** Refuses a whole connection: what follows an ambiguous or misdirected request is suspect too. */
export const refusing = (
  refusal: DirectError,
  route: Route | undefined
): HttpServerResponse.HttpServerResponse =>
  answer(route?.metadata?.form ?? "plain", refusal, { connection: "close" })

/** Wraps a route's handler so that every failure of it gets a response. */
export const rejecting = ({ failureRows }: Contract) => {
  const ofRows = (form: ErrorForm) =>
    new Map([...failureRows].map(([Class, row]) => [Class, answering(row, form)]))
  const ofForms = { plain: ofRows("plain"), captcha: ofRows("captcha") }
  /** Only for failures: the same class thrown as a defect is a bug and gets the route's 500. */
  const declared = (form: ErrorForm, cause: Cause.Cause<unknown>) => {
    if (!Cause.isFailType(cause)) return undefined
    const { error } = cause
    return typeof error === "object" && error !== null
      ? ofForms[form].get(error.constructor)?.(error)
      : undefined
  }
  return <R>(
    { metadata, pattern }: Route,
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> => {
    const form = metadata?.form ?? "plain"
    const otherwise =
      metadata === undefined
        ? serverRefusals.internalError
        : { status: 500, message: metadata.unexpected, code: metadata.codeOf(metadata.unexpected) }
    const respond = (cause: Cause.Cause<unknown>) => {
      const known = declared(form, cause)
      if (known !== undefined) return Effect.succeed(known)
      const error = Cause.squash(cause)
      if (error instanceof BodyRejected) return Effect.succeed(answer(form, error))
      if (error instanceof HttpApiDecodeError) {
        // Schemas refuse with the contract's messages. The first issue is that of the first refused field.
        const message = error.issues[0]?.message ?? "Bad request"
        const code = metadata?.codeOf(message) ?? undeclaredCode
        return Effect.succeed(answer(form, { status: 400, message, code }))
      }
      return Effect.as(
        Effect.flatMap(CurrentRequest, ({ id }) =>
          Effect.logError("Request failed", cause).pipe(
            Effect.annotateLogs({ requestId: id, route: pattern })
          )
        ),
        answer(form, unexpected(otherwise, cause))
      )
    }
    // Interruptions too: nothing interrupts requests on purpose, so one is a bug.
    return Effect.catchAllCause(app, respond)
  }
}
