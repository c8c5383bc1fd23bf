import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { inject } from "vitest"
import { PasswordCost } from "../../src/accounts/passwords.ts"
import type * as postgres from "../../src/db/postgres.ts"
import type { DirectRoutes } from "../../src/http/runtime/direct.ts"
import { Lifecycle } from "../../src/http/runtime/lifecycle.ts"
import { Listening } from "../../src/http/runtime/listening.ts"
import { base } from "../../src/process/base.ts"
import * as server from "../../src/process/server.ts"
import { Background, type BackgroundName } from "../../src/shared/background.ts"
import { standingBackground } from "./background.ts"
import { freshDatabase, servedUrl } from "./database.ts"
import { eventually } from "./eventually.ts"
import { execute } from "./postgres.ts"
import { patient, unlessGiven } from "./run/timeouts.ts"

export interface RunningServer {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  readonly databaseUrl: Redacted.Redacted<string>
}

/** A server in this process, with its parts. */
export interface OwnServer extends RunningServer {
  readonly services: Services
  /** Runs one round of a job of its background, which does not run by itself. */
  readonly run: (name: BackgroundName) => Effect.Effect<void>
  /**
   * Ends when everything that the server has collected in memory is written, all events are in the log, and no job is due: also those that
   * follow from others have run, but not the second attempts of those that have failed meanwhile.
   */
  readonly settled: Effect.Effect<void, Error>
}

/** Answers requests that no route matches: the gateway, or a handler of the test. */
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
 * Deliberately slow operations become fast, because the tests start hundreds of servers and sign up thousands
 * of users. The timeouts of the database and Redis become long. A test can still provide its own value for
 * any of these.
 */
export const forTests = Layer.mergeAll(quickHashes, patient)

const settled = (databaseUrl: Redacted.Redacted<string>, flush: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const [start] = yield* Effect.orDie(execute(databaseUrl, "select now()::text as now"))
    yield* eventually(
      "all events are in the log, and no job is due",
      Effect.zipRight(
        flush,
        Effect.orDie(
          execute(
            databaseUrl,
            `select (select count(*)::int from event_outbox) as events, (
               select count(*)::int from work_jobs where due <= $1::timestamptz or (attempt = 0 and due <= now())
             ) as jobs`,
            [start?.now]
          )
        )
      ),
      ([left]) => left?.events === 0 && left.jobs === 0
    )
  })

/** The parts of the service, for tests that call one directly. */
export type Services = Context.Context<
  | Layer.Layer.Success<typeof server.services>
  | Layer.Layer.Success<ReturnType<typeof postgres.layer>>
  | Lifecycle
>

/**
 * The whole service on the given database, listening on a free port of this process, together with its parts.
 */
export const startServerOn = (
  databaseUrl: Redacted.Redacted<string>,
  environment: Environment = {},
  pastRouter: PastRouter = server.gateway
): Effect.Effect<OwnServer, unknown, Scope.Scope> =>
  Effect.suspend(() => {
    const { background, flush, run } = standingBackground()
    return Effect.map(
      Layer.build(
        server.layerWith(pastRouter).pipe(
          // The same instance that the server uses, because a layer is built only once.
          Layer.merge(Lifecycle.layer),
          Layer.provideMerge(server.services),
          Layer.provideMerge(base({ ...defaults(databaseUrl), ...environment })),
          Layer.provide(Layer.merge(forTests, unlessGiven(Background, background)))
        )
      ),
      (services) => ({
        url: `http://127.0.0.1:${Context.get(services, Listening).port}`,
        databaseUrl,
        services,
        run,
        settled: settled(databaseUrl, flush)
      })
    )
  })

/**
 * The whole service on a new database. The service's role has only the rights that it needs; the tests have
 * all.
 */
export const startServer = (
  environment: Environment = {},
  pastRouter?: PastRouter
): Effect.Effect<OwnServer, unknown, Scope.Scope> =>
  Effect.flatMap(freshDatabase, (databaseUrl) =>
    startServerOn(
      databaseUrl,
      { DATABASE_URL: Redacted.value(servedUrl(databaseUrl)), ...environment },
      pastRouter
    )
  )

/** Starts when the first test of this process asks for it and ends with the process. Its database ends with the run. */
export const oncePerProcess = <A>(start: Effect.Effect<A, unknown, Scope.Scope>): Effect.Effect<A> => {
  let shared: Promise<A> | undefined
  return Effect.promise(() => {
    shared ??= Effect.runPromise(Effect.flatMap(Scope.make(), (scope) => Scope.extend(start, scope)))
    return shared
  })
}

/**
 * The shared server of this process, on one database. Upstreams and endpoints may be on this machine. Each test
 * creates its own company on it, so no test sees another's data. A test that needs other settings, or that breaks
 * something for others, starts its own server.
 */
export const sharedServer: Effect.Effect<OwnServer> = oncePerProcess(
  startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })
)

/** The shared server, for a group of tests. */
export class TestServer extends Context.Tag("TestServer")<TestServer, OwnServer>() {
  static readonly layer = Layer.effect(TestServer, sharedServer)
}
