import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer } from "effect"
import { group } from "../http/runtime/handlers.ts"
import { Lifecycle } from "../http/runtime/lifecycle.ts"
import { exposition } from "../observability/figures.ts"
import { ok } from "../shared/schemas.ts"
import { AllFigures } from "./all-figures.ts"
import { OperationsApi } from "./api.ts"
import { MetricsReader } from "./credential.ts"
import { NotReady } from "./errors.ts"
import { Readiness } from "./readiness.ts"

export const layer = group(OperationsApi, (handlers) =>
  Effect.gen(function* () {
    const lifecycle = yield* Lifecycle
    const { databaseAnswers, warning } = yield* Readiness
    const { authenticate } = yield* MetricsReader
    const { collect } = yield* AllFigures
    const ready = Effect.suspend(() =>
      lifecycle.isDraining() ? Effect.fail(new NotReady()) : databaseAnswers
    )
    const metrics = Effect.map(Effect.zipRight(authenticate, collect), (families) =>
      HttpServerResponse.text(exposition(families), {
        contentType: "text/plain; version=0.0.4; charset=utf-8"
      })
    )
    return handlers
      .handle("health", () => Effect.succeed(ok))
      .handle("ready", () =>
        Effect.map(ready, () => {
          const why = warning()
          return why === undefined ? ok : { ...ok, warning: why }
        })
      )
      .handle("metrics", () => metrics)
  })
).pipe(Layer.provide(MetricsReader.Default))
