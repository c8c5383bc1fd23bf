import { Effect, Layer } from "effect"
import { Config } from "../config.ts"
import type { Listening } from "../http/runtime/listening.ts"
import * as supervisor from "../workers/supervisor.ts"

type Supervisor = typeof supervisor.layer

/** The server in this process, or the workers that this process runs. */
export const listening = <E, R>(
  server: Layer.Layer<Listening, E, R>
): Layer.Layer<Listening, E | Layer.Layer.Error<Supervisor>, R | Config | Layer.Layer.Context<Supervisor>> =>
  Layer.unwrapEffect(
    Effect.map(
      Config,
      ({
        workers
      }): Layer.Layer<Listening, E | Layer.Layer.Error<Supervisor>, R | Layer.Layer.Context<Supervisor>> =>
        workers === 1 ? server : supervisor.layer
    )
  )
