import * as Effect from "effect/Effect"
import { Api } from "../api.ts"
import { group } from "../http/handlers.ts"
import { Lifecycle } from "../http/lifecycle.ts"
import { ok } from "../model.ts"
import { NotReady } from "./errors.ts"
import { Readiness } from "./service.ts"

/** The routes of `OperationsApi`. */
export const layer = group(Api, "operations", (handlers) =>
  Effect.gen(function* () {
    const lifecycle = yield* Lifecycle
    const { databaseAnswers } = yield* Readiness
    const ready = Effect.suspend(() =>
      lifecycle.isDraining() ? Effect.fail(new NotReady()) : databaseAnswers
    )
    return handlers.handle("health", () => Effect.succeed(ok)).handle("ready", () => Effect.as(ready, ok))
  })
)
