/** The service on its database, which listens and says so on standard output. */
import { Effect, Layer } from "effect"
import { Config } from "../config.ts"
import { Listening } from "../http/runtime/listening.ts"
import { SessionKeys } from "../kyc/sessions/keys-service.ts"
import { notice } from "../observability/notice.ts"
import * as supervisor from "../workers/supervisor.ts"
import type { base } from "./base.ts"
import * as firstStart from "./first-start.ts"
import * as housekeeping from "./housekeeping.ts"
import * as server from "./server.ts"

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

/** With another SECRET_KEY, everything that is stored about end users could not be read. */
const readable = Layer.effectDiscard(Effect.flatMap(SessionKeys, ({ mustBeReadable }) => mustBeReadable))

type AnyServer = typeof server.layer | typeof supervisor.layer

/** The server in this process, or the workers that this process runs. */
const listening = Layer.unwrapEffect(
  Effect.map(
    Config,
    ({ workers }): Layer.Layer<Listening, Layer.Layer.Error<AnyServer>, Layer.Layer.Context<AnyServer>> =>
      workers === 1 ? server.layer : supervisor.layer
  )
)

type Base = Layer.Layer.Success<ReturnType<typeof base>>

export const layer: Layer.Layer<never, { readonly message: string }, Base> = announce.pipe(
  Layer.provide(listening),
  Layer.provide(housekeeping.layer),
  Layer.provide(firstStart.layer),
  Layer.provide(readable),
  Layer.provide(server.services)
)
