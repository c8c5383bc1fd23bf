/** The whole program as one layer, for `main` and for tests. */
import { Context, Effect, Layer } from "effect"
import type { Environment } from "../config.ts"
import { base } from "./base.ts"

class Serving extends Context.Tag("Serving")<Serving, typeof import("./serving.ts")>() {
  static readonly loaded = Layer.effect(
    Serving,
    Effect.promise(() => import("./serving.ts"))
  )
}

/** Starts the service, and stops it with the scope. The code loads while the database starts. */
export const programOf = (environment: Environment): Layer.Layer<never, { readonly message: string }> =>
  Layer.provide(
    Layer.unwrapEffect(Effect.map(Serving, ({ layer }) => layer)),
    Layer.merge(base(environment), Serving.loaded)
  )
