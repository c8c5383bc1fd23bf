/** The whole program as one layer: `main` runs it, and tests build it in their own process. */
import { Effect, Layer } from "effect"
import { Config, type Environment } from "./config.ts"
import * as firstStart from "./first-start.ts"
import { ground } from "./ground.ts"
import * as housekeeping from "./housekeeping.ts"
import { Listening } from "./http/runtime/listening.ts"
import { notice } from "./observability/notice.ts"
import * as server from "./server.ts"
import * as supervisor from "./workers/supervisor.ts"

const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const { appUrl, baseUrl, workers } = yield* Config
    const { hostname, port } = yield* Listening
    const firstUser = yield* firstStart.FirstUser
    const by = workers === 1 ? "" : `, with ${workers} workers`
    yield* notice(
      `doorlock listens on ${hostname}:${port} as ${baseUrl}${by}; dashboard: ${appUrl}/dashboard, API: ${baseUrl}/docs`
    )
    yield* firstUser.announce
  })
)

/** The server in this process, or the workers that this process runs. */
const listening = Layer.unwrapEffect(
  Effect.map(
    Config,
    ({
      workers
    }): Layer.Layer<
      Listening,
      Layer.Layer.Error<typeof server.layer | typeof supervisor.layer>,
      Layer.Layer.Context<typeof server.layer | typeof supervisor.layer>
    > => (workers === 1 ? server.layer : supervisor.layer)
  )
)

/** Starts the service with this configuration, announces it on standard output, and stops it with the scope. */
export const programOf = (environment: Environment): Layer.Layer<never, { readonly message: string }> =>
  announce.pipe(
    Layer.provide(listening),
    Layer.provide(housekeeping.layer),
    Layer.provide(firstStart.layer),
    Layer.provide(server.services),
    Layer.provide(ground(environment))
  )
