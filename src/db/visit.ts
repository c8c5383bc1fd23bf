import { access, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Data, Effect, ExecutionStrategy, Scope } from "effect"
import { hasCode } from "../shared/error.ts"
import { Timing } from "../shared/timing.ts"
import { connect } from "./connection.ts"
import { claim, filesOf } from "./embedded/cluster.ts"
import { EmbeddedPostgresError } from "./embedded/error.ts"
import { accessOf, type EmbeddedAccess } from "./embedded/roles.ts"
import { makeFolder, startEmbeddedPostgres } from "./embedded.ts"

interface VisitOptions {
  readonly dataDir: string
  /** Whether to create a database in a folder without one, instead of failing. */
  readonly create: boolean
}

/** Another process is starting, stopping or visiting the database. */
class Busy extends Data.TaggedError("Busy") {}

/**
 * The embedded database for a command: that of a running doorlock on `dataDir`, or else one started here
 * until the scope ends. Commands that start one take turns, so none stops another's. Fails with one sentence.
 */
export const visitEmbeddedPostgres = (
  options: VisitOptions
): Effect.Effect<EmbeddedAccess, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const { spaced, upTo } = yield* Timing
    if (!options.create && !(yield* holdsDatabase(options.dataDir))) {
      return yield* new EmbeddedPostgresError({
        message: `There is no database in DATA_DIR ${resolve(options.dataDir)}; create one with the command migrate, or set DATA_DIR or DATABASE_URL to yours.`
      })
    }
    const dataDir = yield* makeFolder(options.dataDir)
    return yield* startHere(dataDir).pipe(
      Effect.catchIf(isInUse, () => joinOther(dataDir)),
      Effect.retry({
        while: ({ _tag }) => _tag === "Busy",
        schedule: upTo("db.embedded_turn", spaced("db.embedded_turn"))
      }),
      Effect.catchTag(
        "Busy",
        () =>
          new EmbeddedPostgresError({
            message: `Another doorlock process is using DATA_DIR ${dataDir}, and its database cannot be reached.`
          })
      )
    )
  })

export const holdsDatabase = (dataDir: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    access(filesOf(dataDir).cluster).then(
      () => true,
      // An unreadable folder counts: starting the database gives the better error.
      (error: unknown) => !hasCode(error, "ENOENT")
    )
  )

const isInUse = (error: EmbeddedPostgresError | Busy): error is EmbeddedPostgresError =>
  error._tag === "EmbeddedPostgresError" && error.inUse === true

/** Releases everything if it fails. */
const startHere = (dataDir: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const turn = Effect.mapError(claim(dataDir, filesOf(dataDir).visit), (error) =>
      isInUse(error) ? new Busy() : error
    )
    return yield* Effect.zipRight(turn, startEmbeddedPostgres({ dataDir })).pipe(
      Scope.extend(scope),
      Effect.onExit((exit) => (exit._tag === "Failure" ? Scope.close(scope, exit) : Effect.void))
    )
  })

/** The database of the process that is using the folder; `Busy` while it accepts no connections. */
const joinOther = (dataDir: string) =>
  Effect.gen(function* () {
    const { cluster, password } = filesOf(dataDir)
    const [secret, state] = yield* Effect.all([read(password), read(join(cluster, "postmaster.pid"))])
    // Process, folder, start time, port and the socket's folder, as Postgres documents.
    const socket = state.split("\n")[4] ?? ""
    if (socket === "") return yield* new Busy()
    const access = accessOf(secret.trim(), socket)
    yield* Effect.mapError(Effect.scoped(connect(access.url, "db.connect_to_running")), () => new Busy())
    return access
  })

const read = (path: string): Effect.Effect<string, Busy | EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) =>
      hasCode(cause, "ENOENT")
        ? new Busy()
        : new EmbeddedPostgresError({
            message: `The file ${path} cannot be read: run the command as the user that runs doorlock.`,
            cause
          })
  })
