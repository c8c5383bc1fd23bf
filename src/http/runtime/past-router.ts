import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Runtime } from "effect"
import { type DirectAnswer, type DirectRequest, type DirectRoute, sent } from "./direct.ts"
import { type EdgeOptions, strictTransportValue } from "./edge.ts"
import { inSpan, type Trace } from "./span.ts"

interface PastRouterOptions extends EdgeOptions {
  readonly traced: boolean
  /** Builds the response if the handler throws. */
  readonly broken: (direct: DirectRequest, error: unknown) => DirectAnswer
}

/** The edge of requests that bypass the router; the handler provides most headers itself. */
export const pastRouter = (options: PastRouterOptions) => {
  const { accessLog, broken, draining, runtime, strictTransport, traced } = options
  const runPromise = Runtime.runPromise(runtime)

  /** If the handler throws, no other layer responds. */
  const answer = ({ handle }: DirectRoute, direct: DirectRequest): DirectAnswer | Promise<DirectAnswer> => {
    const broke = (error: unknown) => broken(direct, error)
    try {
      const answered = handle(direct)
      return answered instanceof Promise ? answered.catch(broke) : answered
    } catch (error) {
      return broke(error)
    }
  }

  const answerInSpan = (route: DirectRoute, direct: DirectRequest, trace: Trace): Promise<DirectAnswer> =>
    Effect.promise(async () => answer(route, { ...direct, span: trace.span })).pipe(
      (app) => inSpan(app, HttpServerRequest.fromWeb(direct.request), route.pattern, trace),
      runPromise
    )

  const complete = (
    { pattern }: DirectRoute,
    { clientAddress, id, request, started, url }: DirectRequest,
    { span }: Trace,
    given: DirectAnswer
  ): Response => {
    const { headers, status } = given
    accessLog({ clientAddress, id, method: request.method, route: pattern, span, started, status, url })
    headers["x-request-id"] = id
    if (strictTransport) headers["strict-transport-security"] = strictTransportValue
    if (draining()) headers.connection = "close"
    return sent(given)
  }

  return (route: DirectRoute, direct: DirectRequest): Response | Promise<Response> => {
    const trace: Trace = {}
    const answered = traced ? answerInSpan(route, direct, trace) : answer(route, direct)
    return answered instanceof Promise
      ? answered.then((given) => complete(route, direct, trace, given))
      : complete(route, direct, trace, answered)
  }
}
