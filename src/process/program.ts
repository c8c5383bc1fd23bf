/** The whole program as one layer, for `main` and for tests. */
import { Effect, Layer } from "effect"
import type { Environment } from "../config.ts"
import { base } from "./base.ts"

/** Starts the service, and stops it with the scope. The code loads while the database starts. */
export const programOf = (environment: Environment): Layer.Layer<never, { readonly message: string }> =>
  Layer.suspend(() => {
    const loading = import("./serving.ts")
    const serving = Effect.map(
      Effect.promise(() => loading),
      ({ layer }) => layer
    )
    return Layer.provide(Layer.unwrapEffect(serving), base(environment))
  })
