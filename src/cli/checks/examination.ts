import { Effect, Layer, type Scope } from "effect"
import { Config, type Configuration, type Environment, readConfiguration } from "../../config.ts"
import * as Database from "../../db/database.ts"
import { type Access, configuredAccess } from "../../db/postgres.ts"
import { holdsDatabase, visitEmbeddedPostgres } from "../../db/visit.ts"
import { messageOf } from "../../shared/error.ts"
import { type Check, type Finding, failed, type NamedFinding, skipped, well } from "../check.ts"
import type { Contribution } from "../contribution.ts"
import { configuration } from "./configuration.ts"
import * as connections from "./connections.ts"
import * as database from "./database.ts"
import { replication, servers, standby } from "./replication.ts"
import * as storage from "./storage.ts"

type OfConfiguration = Extract<Check, { readonly ofConfiguration: unknown }>
type OfDatabase = Extract<Check, { readonly ofDatabase: unknown }>
type Findings = ReadonlyArray<NamedFinding>

/** A defect in one check must not hide what the others find. */
const guarded = <A, R>(check: Effect.Effect<A, never, R>): Effect.Effect<A | Finding, never, R> =>
  Effect.catchAllDefect(check, (defect) =>
    Effect.succeed(
      failed(`The check itself failed: ${messageOf(defect)}.`, "Report this as a bug in doorlock.")
    )
  )

const named = <R>(
  name: string,
  check: Effect.Effect<Finding | undefined, never, R>
): Effect.Effect<Findings, never, R> =>
  Effect.map(guarded(check), (finding) => (finding === undefined ? [] : [{ name, ...finding }]))

/** The configuration checks that belong to no feature. */
const own: ReadonlyArray<OfConfiguration> = [
  { name: "data folder", ofConfiguration: ({ dataDir }) => storage.dataFolder(dataDir) },
  { name: "free space", ofConfiguration: ({ dataDir }) => storage.freeSpace(dataDir) }
]

const configurationChecks = (config: Configuration, checks: ReadonlyArray<OfConfiguration>) =>
  Effect.map(
    Effect.forEach(checks, ({ name, ofConfiguration }) => named(name, ofConfiguration(config)), {
      concurrency: "unbounded"
    }),
    (found): Findings => found.flat()
  )

/** The checks of the way to the database. */
const ofAccess = {
  pooler: connections.pooler,
  changes: connections.changes,
  "time limits": connections.timeLimits,
  replication
} as const

const reached = (access: Access, config: Configuration, checks: ReadonlyArray<OfDatabase>) =>
  Effect.gen(function* () {
    const { migrator, url } = access
    const diagnosis = yield* database.diagnose(url)
    const migrations = yield* guarded(database.migrations(migrator))
    // They find out by asking how the database is reached: a wrong DATABASE_POOLER is one finding, of `pooler`.
    const connected = Layer.merge(Database.layer({ url, maxConnections: 1 }), Layer.succeed(Config, config))
    const ways = yield* Effect.forEach(Object.entries(ofAccess), ([name, check]) =>
      named(name, Effect.orDie(check(access)))
    )
    const found = yield* Effect.forEach(checks, ({ name, ofDatabase }) =>
      named(
        name,
        migrations.status === "ok"
          ? Effect.orDie(Effect.provide(ofDatabase, connected))
          : Effect.succeed(skipped("Needs all migrations first."))
      )
    )
    return [
      { name: "database", ...database.server(diagnosis) },
      ...(yield* named("servers", servers(access))),
      ...(yield* named("standby", standby(access))),
      { name: "migrations", ...migrations },
      { name: "clock", ...database.clock(diagnosis) },
      ...ways.flat(),
      ...found.flat()
    ]
  })

/** A database that does not exist yet is not a fault. */
const databaseChecks = (
  config: Configuration,
  checks: ReadonlyArray<OfDatabase>
): Effect.Effect<Findings, never, Scope.Scope> => {
  const { databaseUrl, dataDir } = config
  const unreached = (finding: Finding): Findings => [
    { name: "database", ...finding },
    ...["migrations", "clock", ...Object.keys(ofAccess), ...checks.map(({ name }) => name)].map((name) => ({
      name,
      ...skipped("Needs the database first.")
    }))
  ]
  return Effect.gen(function* () {
    if (databaseUrl === undefined && !(yield* holdsDatabase(dataDir))) {
      return unreached(well("The first start creates the embedded database."))
    }
    return yield* reached(
      configuredAccess(config) ?? (yield* visitEmbeddedPostgres({ dataDir, create: false })),
      config,
      checks
    )
  }).pipe(
    Effect.catchAll(({ message }) =>
      Effect.succeed(
        unreached(
          failed(
            message,
            databaseUrl === undefined
              ? "Check who owns DATA_DIR, and what else uses it."
              : "Check DATABASE_URL, and that the server runs and accepts this machine."
          )
        )
      )
    )
  )
}

/** An invalid configuration prevents all other checks. */
export const examine = (
  environment: Environment,
  features: ReadonlyArray<Contribution>
): Effect.Effect<Findings> =>
  Effect.gen(function* () {
    const config = yield* readConfiguration(environment)
    const loaded = yield* Effect.promise(() => Promise.all(features.map(({ checks }) => checks?.())))
    const checks = loaded.flatMap((module) => module?.checks ?? [])
    const found = yield* Effect.all(
      [
        configurationChecks(config, own),
        databaseChecks(
          config,
          checks.filter((check) => "ofDatabase" in check)
        ),
        configurationChecks(
          config,
          checks.filter((check) => "ofConfiguration" in check)
        )
      ],
      { concurrency: "unbounded" }
    )
    return [
      ...configuration(config).map((finding) => ({ name: "configuration", ...finding })),
      ...found.flat()
    ]
  }).pipe(
    Effect.catchAll(({ message }) =>
      Effect.succeed([
        {
          name: "configuration",
          ...failed(
            `${message}.`,
            "Set it in the environment of both the service and this command, then run doctor again."
          )
        }
      ])
    ),
    Effect.scoped
  )
