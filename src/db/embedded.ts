import { mkdir, realpath } from "node:fs/promises"
import { Effect, Schedule, type Scope } from "effect"
import { Timing } from "../shared/timing.ts"
import { accountFor } from "./embedded/account.ts"
import { locateBinaries } from "./embedded/binaries.ts"
import { claim, ensureCluster, filesOf } from "./embedded/cluster.ts"
import { EmbeddedPostgresError, unusable } from "./embedded/error.ts"
import { stopOrphan } from "./embedded/orphan.ts"
import { accessOf, type EmbeddedAccess, ensureRoles } from "./embedded/roles.ts"
import { launch, makeRules, type Server, type ServerOptions } from "./embedded/server.ts"
import { makeSocketFolder } from "./embedded/socket.ts"

export { EmbeddedPostgresError } from "./embedded/error.ts"

interface EmbeddedPostgresOptions {
  /** Holds the cluster and its password; created if missing. One process at a time can use it. */
  readonly dataDir: string
  /** Whether commits wait for the disk (default). False is for tests: a power failure corrupts the data. */
  readonly fsync?: boolean
}

/**
 * Starts our own Postgres server on `dataDir`, creates the cluster if there is none, and stops it with the
 * scope. Only our own user (and root) can reach it, with random passwords; the service's role owns nothing.
 *
 * A server that dies is restarted on the same socket. One left behind by a killed process is stopped first.
 * Fails with one sentence if another process uses the folder, or if the server does not start.
 */
export const startEmbeddedPostgres = (
  options: EmbeddedPostgresOptions
): Effect.Effect<EmbeddedAccess, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const { spaced } = yield* Timing
    const dataDir = yield* makeFolder(options.dataDir)
    const files = filesOf(dataDir)
    yield* claim(dataDir)
    const binaries = yield* locateBinaries(files.links)
    const rules = yield* makeRules(files.links)
    yield* stopOrphan(files.cluster)
    const account = yield* accountFor(files.cluster, [dataDir, binaries.folder])
    const password = yield* ensureCluster(dataDir, binaries, account)
    const socket = yield* makeSocketFolder(files.socket, account)
    yield* supervise({
      binaries,
      account,
      cluster: files.cluster,
      rules,
      socket,
      fsync: options.fsync ?? true
    }).pipe(
      Effect.retry({
        while: (complaint) => complaint.includes("shared memory block"),
        schedule: Schedule.intersect(spaced("db.embedded_retry"), Schedule.recurs(20))
      }),
      Effect.mapError((complaint) => {
        const message = `The database in DATA_DIR ${dataDir} does not start: ${complaint}.`
        return new EmbeddedPostgresError({ message })
      })
    )
    yield* ensureRoles(dataDir, password, socket)
    return accessOf(password, socket)
  }).pipe(Effect.withSpan("startEmbeddedPostgres"))

/** Creates the folder if it is missing. Returns its real path. */
export const makeFolder = (path: string): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => {
      // If root creates it, the database's account must pass through; its contents have their own modes.
      await mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
      return await realpath(path)
    },
    catch: unusable(`DATA_DIR ${path} cannot be created.`)
  })

/** Runs the server until the scope ends. Fails with its complaint if it does not start at first. */
const supervise = (options: ServerOptions): Effect.Effect<void, string, Scope.Scope> =>
  Effect.gen(function* () {
    const timing = yield* Timing
    const seconds = timing.timeout("db.embedded_start") / 1_000
    // The server to stop: the first one, or the latest restart.
    let current: Server | undefined
    yield* Effect.addFinalizer(() => current?.stop ?? Effect.void)
    const up = timing.withinOr(
      "db.embedded_start",
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(launch(options), (server) => {
          current = server
          return Effect.as(restore(server.ready), server)
        })
      ),
      () => `it is not ready after ${seconds} seconds`
    )
    const restart = Effect.logWarning("The embedded database ended unexpectedly; restarting it").pipe(
      Effect.andThen(stopOrphan(options.cluster)),
      Effect.andThen(up),
      Effect.tapError((complaint) => Effect.logWarning(`The embedded database did not start: ${complaint}`)),
      Effect.retry(timing.doubling("db.embedded_restart", "db.longest_embedded_restart"))
    )
    const first = yield* up
    yield* Effect.iterate(first, {
      while: () => true,
      body: (server) => Effect.andThen(server.ended, restart)
    }).pipe(Effect.forkScoped)
  })
