/** The whole program as one layer, for `main` and for tests. A process loads only the code of its role. */
import { Effect, Layer } from "effect"
import { type Environment, type Role, readConfiguration } from "../config.ts"
import type { Listening } from "../http/runtime/listening.ts"
import { base, gatewayBase } from "./base.ts"

type Failing = { readonly message: string }

/** What `take` finds in a module that is being loaded. */
const loaded = <M, A, E, R>(loading: Promise<M>, take: (module: M) => Layer.Layer<A, E, R>) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => loading),
      take
    )
  )

/** The code loads while the database starts. */
const programOfRole = (environment: Environment, role: Role): Layer.Layer<never, Failing> =>
  role === "gateway"
    ? Layer.provide(
        loaded(import("./gateway.ts"), ({ layer }) => layer),
        gatewayBase(environment)
      )
    : Layer.provide(
        loaded(import("./serving.ts"), ({ layer }) => layer(role)),
        base(environment)
      )

const workerOfRole = (environment: Environment, role: Role): Layer.Layer<Listening, Failing> =>
  role === "gateway"
    ? Layer.provide(
        loaded(import("./gateway.ts"), ({ worker }) => worker),
        gatewayBase(environment)
      )
    : Layer.provide(
        loaded(import("./serving.ts"), ({ worker }) => worker(role)),
        base(environment)
      )

const ofRole = <A>(
  environment: Environment,
  make: (environment: Environment, role: Role) => Layer.Layer<A, Failing>
): Layer.Layer<A, Failing> =>
  Layer.unwrapEffect(Effect.map(readConfiguration(environment), ({ role }) => make(environment, role)))

/** Starts the service, and stops it with the scope. */
export const programOf = (environment: Environment) => ofRole(environment, programOfRole)

/** A serving process of `workers/supervisor`. */
export const workerOf = (environment: Environment) => ofRole(environment, workerOfRole)
