import { mkdir, realpath } from "node:fs/promises"
import { createServer } from "node:net"
import { Effect, Schedule, type Scope } from "effect"
import { accountFor } from "./embedded/account.ts"
import { locateBinaries } from "./embedded/binaries.ts"
import { claim, ensureCluster, filesOf } from "./embedded/cluster.ts"
import { EmbeddedPostgresError, unusable } from "./embedded/error.ts"
import { stopOrphan } from "./embedded/orphan.ts"
import { accessOf, type EmbeddedAccess, ensureRoles } from "./embedded/roles.ts"
import { launch, makeRules, type Server, type ServerOptions } from "./embedded/server.ts"

export { EmbeddedPostgresError } from "./embedded/error.ts"

interface EmbeddedPostgresOptions {
  /** The folder for the cluster and its password; made when missing. One process at a time can use it. */
  readonly dataDir: string
  /**
   * Whether commits wait for the disk, as they do by default. Without it a power failure corrupts the
   * database: for tests.
   */
  readonly fsync?: boolean
}

/**
 * Starts a Postgres server of our own on the data in `dataDir`, which it makes at first, and stops it with
 * the scope. It is reachable from this machine only, with a random password kept in `dataDir`, by roles of which that of the service
 * owns nothing.
 *
 * While the scope is open, a server that dies is started again on the same port. A server left behind by a
 * process that was killed is stopped first. Fails with one sentence when another process uses the folder, or
 * the server does not start.
 */
export const startEmbeddedPostgres = (
  options: EmbeddedPostgresOptions
): Effect.Effect<EmbeddedAccess, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const dataDir = yield* makeFolder(options.dataDir)
    const files = filesOf(dataDir)
    yield* claim(dataDir)
    const binaries = yield* locateBinaries(files.links)
    const rules = yield* makeRules(files.links)
    yield* stopOrphan(files.cluster)
    const account = yield* accountFor(files.cluster, [dataDir, binaries.folder])
    const password = yield* ensureCluster(dataDir, binaries, account)
    const start = Effect.flatMap(freePort, (port) =>
      supervise({ binaries, account, cluster: files.cluster, rules, port, fsync: options.fsync ?? true })
    )
    const port = yield* start.pipe(
      // Somebody took the port in the meantime, or processes of a crashed server are still ending.
      Effect.retry({
        while: (complaint) =>
          complaint.includes("TCP/IP sockets") || complaint.includes("shared memory block"),
        schedule: Schedule.intersect(Schedule.spaced("200 millis"), Schedule.recurs(20))
      }),
      Effect.mapError((complaint) => {
        const message = `The database in DATA_DIR ${dataDir} does not start: ${complaint}.`
        return new EmbeddedPostgresError({ message })
      })
    )
    yield* ensureRoles(dataDir, password, port)
    return accessOf(password, port)
  }).pipe(Effect.withSpan("startEmbeddedPostgres"))

/** Makes the folder when it is missing, and gives its real path. */
export const makeFolder = (path: string): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => {
      // As root, the database's own user must be able to pass through; what is in the folder has modes of its
      // own.
      await mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
      return await realpath(path)
    },
    catch: unusable(`DATA_DIR ${path} cannot be created.`)
  })

/** Recovering from a crash can take this long after heavy writing. */
const startTimeout = "60 seconds"

/**
 * Runs the server until the scope closes and gives its port; fails with the server's own words when it does
 * not come up at first.
 */
const supervise = (options: ServerOptions): Effect.Effect<number, string, Scope.Scope> =>
  Effect.gen(function* () {
    // The server to be stopped, whichever start it is of.
    let current: Server | undefined
    yield* Effect.addFinalizer(() => current?.stop ?? Effect.void)
    const up = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(launch(options), (server) => {
        current = server
        return Effect.as(restore(server.ready), server)
      })
    ).pipe(
      Effect.timeoutFail({ duration: startTimeout, onTimeout: () => "it is not ready after 60 seconds" })
    )
    const restart = Effect.logWarning("The embedded database ended unexpectedly and is started again").pipe(
      Effect.andThen(stopOrphan(options.cluster)),
      Effect.andThen(up),
      Effect.tapError((complaint) => Effect.logWarning(`The embedded database did not start: ${complaint}`)),
      Effect.retry(Schedule.exponential("50 millis").pipe(Schedule.union(Schedule.spaced("1 second"))))
    )
    const first = yield* up
    yield* Effect.iterate(first, {
      while: () => true,
      body: (server) => Effect.andThen(server.ended, restart)
    }).pipe(Effect.forkScoped)
    return options.port
  })

/**
 * A free port below those the kernel hands out to outgoing connections: none of these can take it while a
 * dead server is being started again.
 */
const freePort: Effect.Effect<number> = Effect.suspend(() => {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  return Effect.as(
    Effect.async<void, Error>((resume) => {
      const probe = createServer()
      probe.on("error", (error) => resume(Effect.fail(error)))
      probe.listen(port, "127.0.0.1", () => probe.close(() => resume(Effect.void)))
    }),
    port
  )
}).pipe(Effect.retry(Schedule.recurs(100)), Effect.orDie)
