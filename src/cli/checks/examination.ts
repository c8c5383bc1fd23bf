import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { anchors } from "../../audit/checks.ts"
import { Config, type Configuration, type Environment, readConfiguration } from "../../config.ts"
import * as Database from "../../db/database.ts"
import { diagnose } from "../../db/diagnosis.ts"
import type { Access } from "../../db/postgres.ts"
import { holdsDatabase, visitEmbeddedPostgres } from "../../db/visit.ts"
import { upstreams } from "../../gateway/checks.ts"
import { Reachability } from "../../gateway/reachability.ts"
import { UpstreamAddresses } from "../../gateway/resolve.ts"
import * as services from "../../kyc/files/checks.ts"
import { documents } from "../../marketplace/catalog/checks.ts"
import { type Finding, failed, skipped, well } from "../check.ts"
import type { Check } from "../doctor.ts"
import { anchored, published as publishedApis } from "../features.ts"
import { configuration, proxies } from "./configuration.ts"
import * as database from "./database.ts"
import * as storage from "./storage.ts"

/** A fault of ours in one check must not hide what the others find. */
const named = <R>(name: string, check: Effect.Effect<Finding, never, R>): Effect.Effect<Check, never, R> =>
  check.pipe(
    Effect.catchAllDefect((defect) =>
      Effect.succeed(
        failed(
          `The check itself failed: ${defect instanceof Error ? defect.message : defect}.`,
          "Report this as a fault of doorlock."
        )
      )
    ),
    Effect.map((finding) => ({ name, ...finding }))
  )

const reached = ({ migrator, url }: Access, config: Configuration) =>
  Effect.gen(function* () {
    const diagnosis = yield* diagnose(url)
    const migrations = yield* named("migrations", database.migrations(migrator))
    const configured = Layer.succeed(Config, config)
    const connected = Database.layer({ url, maxConnections: 1 })
    const published = Layer.mergeAll(
      publishedApis.pipe(Layer.provide(connected)),
      Reachability.Default.pipe(Layer.provide(UpstreamAddresses.Default))
    ).pipe(Layer.provide(configured))
    const migrated = <R, E>(name: string, check: Effect.Effect<Finding, E, R>) =>
      migrations.status === "ok"
        ? named(name, Effect.orDie(check))
        : Effect.succeed({ name, ...skipped("The database has to have its migrations first.") })
    return [
      { name: "database", ...database.server(diagnosis) },
      migrations,
      { name: "clock", ...database.clock(diagnosis) },
      yield* migrated("upstreams", Effect.provide(upstreams, published)),
      yield* migrated("documents", Effect.provide(documents, published)),
      yield* migrated(
        "audit anchors",
        Effect.provide(anchors, anchored.pipe(Layer.provide(Layer.merge(connected, configured))))
      )
    ]
  })

const unreached = (finding: Finding): ReadonlyArray<Check> => [
  { name: "database", ...finding },
  ...["migrations", "clock", "upstreams", "documents", "audit anchors"].map((name) => ({
    name,
    ...skipped("The database has to be there first.")
  }))
]

/** All that is known from the database. One that does not exist yet is none to complain of. */
const databaseChecks = (config: Configuration): Effect.Effect<ReadonlyArray<Check>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { databaseUrl, dataDir } = config
    if (databaseUrl === undefined && !(yield* holdsDatabase(dataDir))) {
      return unreached(well("The embedded database is made at the first start."))
    }
    return yield* reached(
      databaseUrl === undefined
        ? yield* visitEmbeddedPostgres({ dataDir, create: false })
        : { url: databaseUrl, migrator: { url: databaseUrl } },
      config
    )
  }).pipe(
    Effect.catchAll(({ message }) =>
      Effect.succeed(
        unreached(
          failed(
            message,
            config.databaseUrl === undefined
              ? "Look at DATA_DIR: who owns it, and what else uses it."
              : "Look at DATABASE_URL, and whether the server runs and lets this machine in."
          )
        )
      )
    )
  )

/** Checks all that is configured. Without a configuration nothing else can be judged. */
export const examine = (environment: Environment): Effect.Effect<ReadonlyArray<Check>> =>
  readConfiguration(environment).pipe(
    Effect.flatMap((config) =>
      Effect.map(
        Effect.all(
          [
            Effect.all([
              ...configuration(config).map((finding) => named("configuration", Effect.succeed(finding))),
              named("data folder", storage.dataFolder(config.dataDir)),
              named("free space", storage.freeSpace(config.dataDir))
            ]),
            Effect.map(proxies(config), (found) =>
              found === undefined ? [] : [{ name: "proxy", ...found }]
            ),
            databaseChecks(config),
            Effect.all(
              [
                named("captcha", services.captcha(config.captcha)),
                ...(config.redisUrl === undefined ? [] : [named("redis", services.redis(config.redisUrl))]),
                ...(config.s3 === undefined ? [] : [named("bucket", services.bucket(config.s3))])
              ],
              { concurrency: "unbounded" }
            )
          ],
          { concurrency: "unbounded" }
        ),
        (groups) => groups.flat()
      )
    ),
    Effect.catchAll(({ message }) =>
      Effect.succeed([
        {
          name: "configuration",
          ...failed(
            `${message}.`,
            "Set it in the environment of the service and of this command alike; all else can be checked then."
          )
        }
      ])
    ),
    Effect.scoped
  )
