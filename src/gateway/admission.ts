import { Effect, Layer, Option } from "effect"
import { LRUCache } from "lru-cache"
import { echoUpstream } from "../marketplace/catalog/echo-service.ts"
import type { PlannedCall } from "../marketplace/limits/model.ts"
import { type Admitted, PlanLimits, type Verdict } from "../marketplace/limits/service.ts"
import { MarketplaceKeyCredential } from "../marketplace/subscriptions/credential.ts"
import type { VerifiedMarketplaceKey } from "../marketplace/subscriptions/model.ts"
import { type AdmittedOutcome, type UpstreamKind, upstreamOutcome } from "../marketplace/usage/model.ts"
import { gatewayCalls } from "../observability/metrics.ts"
import { EchoUpstream } from "./echo-upstream.ts"
import { CallRefused, type KeyReason } from "./errors.ts"
import { PublishedRoutes } from "./published-routes.ts"
import type { PublishedRoute } from "./published-routes-repo.ts"
import { type Admission, type GatewayCall, GatewayRoutes, type Outcome } from "./routes.ts"
import { type Upstream, upstreamOf } from "./upstream.ts"

/** Cached parsed upstream URLs. */
const capacity = 10_000

const limitHeaders = ({ rateLimit, rateLimitPolicy }: Verdict): Readonly<Record<string, string>> =>
  rateLimit === undefined || rateLimitPolicy === undefined
    ? {}
    : { ratelimit: rateLimit, "ratelimit-policy": rateLimitPolicy }

/** One for each reason, because made-up keys come in floods. */
const invalidKeys = new Map<KeyReason, CallRefused>()

const invalidKey = (keyReason: KeyReason): CallRefused => {
  const refused = invalidKeys.get(keyReason) ?? new CallRefused({ reason: "invalid_key", keyReason })
  invalidKeys.set(keyReason, refused)
  return refused
}

const outcomeOf = (outcome: Outcome): AdmittedOutcome => {
  if (outcome.by === "upstream") return upstreamOutcome(outcome.status)
  return outcome.by === "client" && outcome.asked ? "client_closed" : "gateway_error"
}

/** The account that the call counts against: one for sandbox upstreams and one for live ones. */
const plannedCall = ({ calls, mode }: VerifiedMarketplaceKey, { sandboxUpstreamUrl }: PublishedRoute) =>
  mode === "test" && sandboxUpstreamUrl !== null ? calls.sandbox : calls.live

const make = Effect.gen(function* () {
  const credential = yield* MarketplaceKeyCredential
  const published = yield* PublishedRoutes
  const limits = yield* PlanLimits
  const echo = yield* EchoUpstream
  const upstreams = new LRUCache<string, Upstream>({
    max: capacity,
    memoMethod: (url) => upstreamOf(new URL(url))
  })

  const upstreamFor = ({ sandboxUpstreamUrl, upstreamUrl }: PublishedRoute, kind: UpstreamKind): Upstream => {
    const url = kind === "sandbox" ? (sandboxUpstreamUrl ?? upstreamUrl) : upstreamUrl
    return url === echoUpstream ? echo.upstream() : upstreams.memo(url)
  }

  const isSubscribed = (key: VerifiedMarketplaceKey, { apiId }: PublishedRoute): boolean =>
    key.apiId === apiId && key.subscriptionActive

  const exceeded = (verdict: Exclude<Verdict, Admitted>) =>
    new CallRefused({
      reason: verdict.over,
      retryAfterSeconds: verdict.retryAfterSeconds,
      headers: limitHeaders(verdict)
    })

  const admission = (call: PlannedCall, route: PublishedRoute, verdict: Admitted): Admission => ({
    upstream: upstreamFor(route, call.account.upstream),
    caller: { subscriberId: call.account.companyId, publisherId: route.publisherId },
    timeout: route.timeoutSeconds * 1000,
    headers: limitHeaders(verdict),
    answered: (answered) => {
      const outcome = outcomeOf(answered)
      gatewayCalls[outcome].add()
      limits.settle(call, verdict, outcome)
    }
  })

  const admitNow = (call: GatewayCall): Admission | CallRefused | undefined => {
    if (call.key === undefined) return invalidKey("key-missing")
    const key = credential.remembered(call.key)
    if (key === undefined) return undefined
    const route = published.remembered(call)
    if (route === undefined) return undefined
    if (!isSubscribed(key, route)) return new CallRefused({ reason: "not_subscribed" })
    const planned = plannedCall(key, route)
    const verdict = limits.takeNow(planned)
    if (verdict === undefined) return undefined
    return verdict.over === undefined ? admission(planned, route, verdict) : exceeded(verdict)
  }

  const authenticate = ({ clientAddress, key }: GatewayCall) =>
    Effect.mapError(credential.authenticate(key, clientAddress), (error) =>
      error._tag === "TooManyRequests"
        ? new CallRefused({ reason: "too_many_guesses", retryAfterSeconds: error.retryAfterSeconds })
        : invalidKey(error.reason)
    )

  const admit = Effect.fnUntraced(function* (call: GatewayCall) {
    const key = yield* authenticate(call)
    const route = published.remembered(call) ?? Option.getOrUndefined(yield* published.lookUp(call))
    if (route === undefined) return yield* new CallRefused({ reason: "api_not_found" })
    if (!isSubscribed(key, route)) return yield* new CallRefused({ reason: "not_subscribed" })
    const planned = plannedCall(key, route)
    const verdict = limits.takeNow(planned) ?? (yield* limits.take(planned))
    return verdict.over === undefined ? admission(planned, route, verdict) : yield* exceeded(verdict)
  })

  return { admitNow, admit }
})

/** Admits calls to published APIs with marketplace keys, within the limits of the subscription's plan. */
export const layer: Layer.Layer<
  GatewayRoutes,
  never,
  MarketplaceKeyCredential | PublishedRoutes | PlanLimits
> = Layer.effect(GatewayRoutes, make).pipe(Layer.provide(EchoUpstream.Default))
