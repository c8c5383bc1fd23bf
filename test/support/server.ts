import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { inject } from "vitest"
import { PasswordCost } from "../../src/accounts/passwords.ts"
import { Config } from "../../src/config.ts"
import * as postgres from "../../src/db/postgres.ts"
import type { DirectRoutes } from "../../src/http/runtime/direct.ts"
import { Lifecycle } from "../../src/http/runtime/lifecycle.ts"
import { LameDuck, Listening } from "../../src/http/runtime/listening.ts"
import { RefusalDelay } from "../../src/limits/guesses.ts"
import * as logging from "../../src/observability/logging.ts"
import * as tracing from "../../src/observability/tracing.ts"
import * as storedKey from "../../src/secrets/stored-key.ts"
import * as server from "../../src/server.ts"
import { freshDatabase, servedUrl } from "./database.ts"
import { keepConnections } from "./postgres.ts"
import { patient, unlessGiven } from "./run/patience.ts"

export interface RunningServer {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string
  readonly databaseUrl: Redacted.Redacted<string>
}

/** What is answered past the router: the gateway, unless a test has something of its own there. */
export type PastRouter = Layer.Layer<
  DirectRoutes,
  Layer.Layer.Error<typeof server.gateway>,
  Layer.Layer.Context<typeof server.gateway>
>

export type Environment = Readonly<Record<string, string>>

const defaults = (databaseUrl: Redacted.Redacted<string>): Environment => ({
  PORT: "0",
  HOST: "127.0.0.1",
  BASE_URL: "http://doorlock.test",
  DATABASE_URL: Redacted.value(databaseUrl),
  DATABASE_POOL: "5",
  DATA_DIR: inject("postgres").dataDir,
  SECRET_KEY: "a secret key for tests, 32 bytes at least",
  SIGNUP: "open",
  KYC_DEV_MODE: "allow",
  SEED_DEMO: "false",
  LOG_LEVEL: "none"
})

/** A test that is about the cost of a hash provides its own. */
export const quickHashes = unlessGiven(PasswordCost, { memoryCost: 64, timeCost: 1 })

/**
 * What takes time on purpose takes none, for the tests start hundreds of servers and sign up thousands of users; and the database and
 * Redis have time. A test that provides one of these itself gets its own.
 */
export const forTests = Layer.mergeAll(
  unlessGiven(LameDuck, Duration.zero),
  unlessGiven(RefusalDelay, { least: 0, most: 0 }),
  quickHashes,
  patient
)

/** What the service is made of, for a test that asks a part of it directly. */
export type Services = Context.Context<
  Layer.Layer.Success<typeof server.services> | Layer.Layer.Success<typeof postgres.layer> | Lifecycle
>

/** The whole service, listening on a free port of this process, on the given database; and what it is made of. */
export const startServerOn = (
  databaseUrl: Redacted.Redacted<string>,
  environment: Environment = {},
  pastRouter: PastRouter = server.gateway
): Effect.Effect<RunningServer & { readonly services: Services }, unknown, Scope.Scope> =>
  Effect.map(
    Layer.build(
      server.layerWith(pastRouter).pipe(
        // The one that the server has: a layer is built once.
        Layer.merge(Lifecycle.layer),
        Layer.provideMerge(server.services),
        Layer.provide(storedKey.layer),
        Layer.provideMerge(postgres.layer),
        Layer.provide(postgres.DatabaseAccess.layer),
        Layer.provide(Layer.merge(logging.layer, tracing.layer)),
        Layer.provide(Config.layer({ ...defaults(databaseUrl), ...environment })),
        Layer.provide(forTests)
      )
    ),
    (services) => ({
      url: `http://127.0.0.1:${Context.get(services, Listening).port}`,
      databaseUrl,
      services
    })
  )

/** The whole service on a database of its own, with no more rights than it needs; the tests have all of them. */
export const startServer = (
  environment: Environment = {},
  pastRouter?: PastRouter
): Effect.Effect<RunningServer & { readonly services: Services }, unknown, Scope.Scope> =>
  Effect.flatMap(freshDatabase, (databaseUrl) =>
    startServerOn(
      databaseUrl,
      { DATABASE_URL: Redacted.value(servedUrl(databaseUrl)), ...environment },
      pastRouter
    )
  )

/** Started for the first test that asks for it. It ends with the process, and its database with the run. */
let shared: Promise<RunningServer> | undefined

/**
 * The one server of this process, on one database. Every test that uses it makes a company of its own, so that none sees another's data. A
 * test that needs other settings, or that breaks something for others, starts a server of its own.
 */
export const sharedServer: Effect.Effect<RunningServer> = Effect.promise(() => {
  shared ??= Effect.runPromise(
    Effect.flatMap(Scope.make(), (scope) => Scope.extend(startServer(), scope)).pipe(
      Effect.tap(({ databaseUrl }) => keepConnections(databaseUrl))
    )
  )
  return shared
})

/** The shared server, for a group of tests. */
export class TestServer extends Context.Tag("TestServer")<TestServer, RunningServer>() {
  static readonly layer = Layer.effect(TestServer, sharedServer)
}
