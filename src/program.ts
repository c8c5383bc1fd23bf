/** The whole program as one layer: `main` runs it, and tests build it in their own process. */
import { Context, Effect, Layer } from "effect"
import type { Environment } from "./config.ts"
import { ground } from "./ground.ts"

class Serving extends Context.Tag("Serving")<Serving, typeof import("./serving.ts")>() {
  static readonly loaded = Layer.effect(
    Serving,
    Effect.promise(() => import("./serving.ts"))
  )
}

/**
 * Starts the service with this configuration, announces it on standard output, and stops it with the scope. The database starts while the
 * code of the service is loaded, which takes about as long.
 */
export const programOf = (environment: Environment): Layer.Layer<never, { readonly message: string }> =>
  Layer.provide(
    Layer.unwrapEffect(Effect.map(Serving, ({ layer }) => layer)),
    Layer.merge(ground(environment), Serving.loaded)
  )
