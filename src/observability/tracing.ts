import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Effect, Layer } from "effect"
import { version } from "../../package.json"
import { Config } from "../config.ts"

/** Exports spans over OTLP if configured. Otherwise creates no spans and does not load the exporter. */
export const layer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { otlpEndpoint } = yield* Config
    if (otlpEndpoint === undefined) return Layer.setTracerEnabled(false)
    const Otlp = yield* Effect.promise(() => import("@effect/opentelemetry/OtlpTracer"))
    const serializer = yield* Effect.promise(() => import("@effect/opentelemetry/OtlpSerialization"))
    return Otlp.layer({
      url: `${otlpEndpoint.href.replace(/\/+$/, "")}/v1/traces`,
      resource: { serviceName: "doorlock", serviceVersion: version }
    }).pipe(Layer.provide([FetchHttpClient.layer, serializer.layerJson]))
  })
)
