/** The whole program: `bun start`. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "./config.ts"
import * as postgres from "./db/postgres.ts"
import * as firstStart from "./first-start.ts"
import * as housekeeping from "./housekeeping.ts"
import { Listening } from "./http/serve.ts"
import * as logging from "./observability/logging.ts"
import { notice } from "./observability/notice.ts"
import * as tracing from "./observability/tracing.ts"
import * as storedKey from "./secrets/stored-key.ts"
import * as server from "./server.ts"

const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const { appUrl, baseUrl } = yield* Config
    const { hostname, port } = yield* Listening
    yield* notice(
      `doorlock listens on ${hostname}:${port} as ${baseUrl}; dashboard: ${appUrl}/dashboard, API: ${baseUrl}/docs`
    )
  })
)

const program = announce.pipe(
  Layer.provide(server.layer),
  Layer.provide(Layer.merge(firstStart.layer, housekeeping.layer)),
  Layer.provide(server.services),
  Layer.provide(storedKey.layer),
  Layer.provide(postgres.layer),
  Layer.provide(postgres.DatabaseUrl.layer),
  Layer.provide(Layer.merge(logging.layer, tracing.layer)),
  Layer.provide(Config.layer(process.env))
)

// The first signal ends the program in order. Another must not cut that short: Ctrl-C under `bun start` comes
// twice, from the terminal and from the command that runs this. The deadline of the drain bounds the wait.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {})

BunRuntime.runMain(
  Layer.launch(program).pipe(
    // What can be foreseen to go wrong at start is said in one sentence, without a stack.
    Effect.catchAll(({ message }) =>
      Effect.sync(() => {
        process.stderr.write(`doorlock: ${message}\n`)
        process.exitCode = 1
      })
    )
  ),
  // The layers bring the logger that the configuration asks for.
  { disablePrettyLogger: true }
)
