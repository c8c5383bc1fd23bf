/** The gateway as a route of the server. Decides the order of the checks. */
import { Cause, Effect, Exit, Layer, Runtime } from "effect"
import type { AnySpan } from "effect/Tracer"
import type { Config } from "../config.ts"
import { type DirectAnswer, type DirectRequest, DirectRoutes, unexpected } from "../http/runtime/direct.ts"
import { ambiguityOf } from "../http/runtime/source.ts"
import { gatewayCalls } from "../observability/metrics.ts"
import { isPreflight, preflight } from "./cors.ts"
import type { CallRefused } from "./errors.ts"
import { faultAnswer, keyRefusal, refusal, refusals } from "./faults.ts"
import { Forwarding } from "./forward.ts"
import { parseTarget, prefix, type Target } from "./path.ts"
import { announcesBody, isLoop } from "./request-headers.ts"
import type { UpstreamAddresses } from "./resolve.ts"
import { type GatewayCall, GatewayRoutes } from "./routes.ts"

/** Counts a request that is rejected before authentication. */
const bad = (answer: DirectAnswer): DirectAnswer => {
  gatewayCalls.bad_request.add()
  return answer
}

const denied = ({ headers, keyReason, reason, retryAfterSeconds }: CallRefused): DirectAnswer => {
  gatewayCalls[reason].add()
  if (reason === "invalid_key") return keyRefusal(keyReason)
  return refusal(
    refusals[reason],
    retryAfterSeconds === undefined ? headers : { ...headers, "retry-after": String(retryAfterSeconds) }
  )
}

const make = Effect.gen(function* () {
  const routes = yield* GatewayRoutes
  const forwarding = yield* Forwarding
  const runtime = yield* Effect.runtime()
  const run = Runtime.runPromiseExit(runtime)

  const runIn = <A, E>(span: AnySpan | undefined, effect: Effect.Effect<A, E>) =>
    run(span === undefined ? effect : Effect.withParentSpan(effect, span))

  /** Handles a call that cannot be decided from memory. */
  const handleAsking = async (
    direct: DirectRequest,
    target: Target,
    call: GatewayCall
  ): Promise<DirectAnswer> => {
    const exit = await runIn(direct.span, routes.admit(call))
    if (Exit.isSuccess(exit)) {
      // The client may have disconnected meanwhile.
      return direct.request.signal.aborted
        ? forwarding.abandon(exit.value, false)
        : forwarding.forward(direct, target, exit.value)
    }
    const failure = Cause.failureOption(exit.cause)
    if (failure._tag === "Some") return denied(failure.value)
    const told = Effect.annotateLogs(Effect.logError("Gateway call failed", exit.cause), {
      requestId: direct.id
    })
    void runIn(direct.span, told)
    gatewayCalls.broken.add()
    return refusal(unexpected(refusals.broken, exit.cause))
  }

  const handle = (direct: DirectRequest): DirectAnswer | Promise<DirectAnswer> => {
    const { request, url } = direct
    const { headers, method } = request
    const ambiguity = ambiguityOf(request)
    if (ambiguity !== undefined) return bad(refusal(refusals[ambiguity]))
    if (isPreflight(request)) return preflight(request)
    if (method === "CONNECT" || method === "TRACE") return bad(refusal(refusals.method))
    if (headers.get("upgrade")?.toLowerCase() === "websocket") return bad(refusal(refusals.upgrade))
    const target = parseTarget(url)
    if (target === undefined) return bad(refusal(refusals.path))
    // Bun's server exposes no body of a GET or HEAD, and a request must not be forwarded without its body.
    if ((method === "GET" || method === "HEAD") && announcesBody(headers))
      return bad(refusal(refusals.bodyOfGet))
    if (isLoop(headers, forwarding.pseudonym)) return bad(faultAnswer("proxy_loop_detected"))
    const call = {
      ...target,
      key: headers.get("x-api-key") ?? undefined,
      clientAddress: direct.clientAddress
    }
    const decided = routes.admitNow(call)
    if (decided === undefined) return handleAsking(direct, target, call)
    return "_tag" in decided ? denied(decided) : forwarding.forward(direct, target, decided)
  }

  return [{ prefix, pattern: `${prefix}:publisher/:api/v/:version/*`, handle }]
})

/** Forwards the calls that `GatewayRoutes` admits. */
export const layer: Layer.Layer<DirectRoutes, never, GatewayRoutes | UpstreamAddresses | Config> =
  Layer.effect(DirectRoutes, make).pipe(Layer.provide(Forwarding.Default))
