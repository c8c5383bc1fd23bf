import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Config } from "../../src/config.ts"
import * as postgres from "../../src/db/postgres.ts"
import { DirectRoutes } from "../../src/http/direct.ts"
import { Listening } from "../../src/http/serve.ts"
import * as logging from "../../src/observability/logging.ts"
import * as tracing from "../../src/observability/tracing.ts"
import * as storedKey from "../../src/secrets/stored-key.ts"
import * as server from "../../src/server.ts"
import { freshDatabase } from "./database.ts"

export interface RunningServer {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string
  readonly databaseUrl: Redacted.Redacted<string>
}

export type Environment = Readonly<Record<string, string>>

const defaults = (databaseUrl: Redacted.Redacted<string>): Environment => ({
  PORT: "0",
  HOST: "127.0.0.1",
  BASE_URL: "http://doorlock.test",
  DATABASE_URL: Redacted.value(databaseUrl),
  DATABASE_POOL: "5",
  SECRET_KEY: "a secret key for tests, 32 bytes at least",
  SIGNUP: "open",
  KYC_DEV_MODE: "allow",
  SEED_DEMO: "false",
  LOG_LEVEL: "none"
})

const noDirectRoutes = Layer.succeed(DirectRoutes, [])

/** The whole service, listening on a free port of this process, on the given database. */
export const startServerOn = (
  databaseUrl: Redacted.Redacted<string>,
  environment: Environment = {},
  directRoutes: Layer.Layer<DirectRoutes, never, Config> = noDirectRoutes
): Effect.Effect<RunningServer, unknown, Scope.Scope> =>
  Effect.map(
    Layer.build(
      server.layer.pipe(
        Layer.provide(directRoutes),
        Layer.provide(server.services),
        Layer.provide(storedKey.layer),
        Layer.provide(postgres.layer),
        Layer.provide(postgres.DatabaseUrl.layer),
        Layer.provide(Layer.merge(logging.layer, tracing.layer)),
        Layer.provide(Config.layer({ ...defaults(databaseUrl), ...environment }))
      )
    ),
    (context) => ({ url: `http://127.0.0.1:${Context.get(context, Listening).port}`, databaseUrl })
  )

/** The whole service on a database of its own. */
export const startServer = (
  environment: Environment = {},
  directRoutes?: Layer.Layer<DirectRoutes, never, Config>
): Effect.Effect<RunningServer, unknown, Scope.Scope> =>
  Effect.flatMap(freshDatabase, (databaseUrl) => startServerOn(databaseUrl, environment, directRoutes))

/** One server for a group of tests: each makes a company of its own, so that none sees another's data. */
export class TestServer extends Context.Tag("TestServer")<TestServer, RunningServer>() {
  static readonly layer = Layer.scoped(TestServer, Effect.orDie(startServer()))
}
