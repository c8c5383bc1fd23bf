/** A process that only forwards gateway calls (`ROLE=gateway`). It loads no other feature, and has no secret key. */
import { Effect, Layer } from "effect"
import { Config } from "../config.ts"
import * as admission from "../gateway/admission.ts"
import * as http from "../gateway/http.ts"
import { PublishedRoutes } from "../gateway/published-routes.ts"
import { PublishedRouteRepo } from "../gateway/published-routes-repo.ts"
import { UpstreamAddresses } from "../gateway/resolve.ts"
import { Listening } from "../http/runtime/listening.ts"
import { PlanLimits } from "../marketplace/limits/service.ts"
import { MarketplaceKeyCredential } from "../marketplace/subscriptions/credential.ts"
import { MarketplaceKeyRepo } from "../marketplace/subscriptions/keys-repo.ts"
import { MarketplaceKeyVerification } from "../marketplace/subscriptions/verification.ts"
import { UsageRecordingRepo } from "../marketplace/usage/recording-repo.ts"
import { UsageRecorder } from "../marketplace/usage/recording-service.ts"
import { notice } from "../observability/notice.ts"
import { Readiness } from "../operations/readiness.ts"
import type { gatewayBase } from "./base.ts"
import { listening } from "./listening.ts"
import * as operationsServer from "./operations-server.ts"

const services = Layer.mergeAll(
  PublishedRoutes.Default,
  UpstreamAddresses.Default,
  MarketplaceKeyCredential.Default,
  PlanLimits.Default,
  Readiness.Default
).pipe(
  Layer.provideMerge(Layer.merge(MarketplaceKeyVerification.Default, UsageRecorder.Default)),
  Layer.provideMerge(
    Layer.mergeAll(MarketplaceKeyRepo.Default, PublishedRouteRepo.Default, UsageRecordingRepo.Default)
  )
)

const server = operationsServer
  .layerWith(http.layer.pipe(Layer.provide(admission.layer)), Layer.empty)
  .pipe(Layer.provide(services))

const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const { gatewayUrl, workers } = yield* Config
    const { hostname, port } = yield* Listening
    const by = workers === 1 ? "" : `, with ${workers} workers`
    yield* notice(`doorlock listens on ${hostname}:${port} as ${gatewayUrl}${by}; it is a gateway only`)
  })
)

type Base = Layer.Layer.Success<ReturnType<typeof gatewayBase>>

/** The process that is started. */
export const layer: Layer.Layer<never, { readonly message: string }, Base> = announce.pipe(
  Layer.provide(listening(server))
)

/** A worker of it. */
export const worker: Layer.Layer<Listening, { readonly message: string }, Base> = server
