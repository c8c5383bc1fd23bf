import { Database, SQLiteError } from "bun:sqlite"
import { randomBytes } from "node:crypto"
import { closeSync, openSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { hasCode, messageOf } from "../../shared/error.ts"
import type { Account, Maker } from "./account.ts"
import type { Binaries } from "./binaries.ts"
import { EmbeddedPostgresError, unusable } from "./error.ts"
import { roles } from "./roles.ts"

export const filesOf = (dataDir: string) => ({
  lock: join(dataDir, "postgres.lock"),
  visit: join(dataDir, "postgres.visit"),
  links: join(dataDir, "postgres.lib"),
  socket: join(dataDir, "postgres.socket"),
  cluster: join(dataDir, "postgres"),
  password: join(dataDir, "postgres.password")
})

/** New clusters are created in folders with this prefix. */
const stagingPrefix = "postgres.new-"

/**
 * Claims the folder, or what `file` stands for, until the scope ends, by SQLite's file lock (the runtime has
 * no other). The kernel releases it when the process ends for any reason, so it is never stale.
 */
export const claim = (
  dataDir: string,
  file = filesOf(dataDir).lock
): Effect.Effect<void, EmbeddedPostgresError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        // Readable only by us: anyone who can read the file can also lock it.
        closeSync(openSync(file, "a", 0o600))
        const lock = new Database(file, { create: true })
        try {
          lock.run("begin exclusive")
          return lock
        } catch (error) {
          lock.close()
          throw error
        }
      },
      catch: (cause) => {
        const busy = cause instanceof SQLiteError && cause.code === "SQLITE_BUSY"
        const message = busy
          ? `Another doorlock process is using DATA_DIR ${dataDir}; stop it or choose another DATA_DIR.`
          : `DATA_DIR ${dataDir} cannot be written; give it to the user that runs doorlock or choose another DATA_DIR.`
        return new EmbeddedPostgresError({ message, inUse: busy, cause })
      }
    }),
    (lock) => Effect.sync(() => lock.close())
  ).pipe(Effect.asVoid)

/** Returns the administrator's password. Moves a new cluster into place only when it is complete. */
export const ensureCluster = (
  dataDir: string,
  binaries: Binaries,
  account: Account
): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const files = filesOf(dataDir)
    yield* inFolder(dataDir, () => removeStaging(dataDir))
    const content = yield* Effect.tryPromise({
      try: () =>
        readdir(files.cluster).catch((error: unknown): Array<string> => {
          if (hasCode(error, "ENOENT")) return []
          throw error
        }),
      catch: unusable(
        `The database in DATA_DIR ${dataDir} belongs to another user; run doorlock as that user or choose another DATA_DIR.`
      )
    })
    if (content.length === 0) return yield* makeCluster(dataDir, binaries, account)
    if (!content.includes("PG_VERSION")) {
      return yield* new EmbeddedPostgresError({
        message: `The folder ${files.cluster} in DATA_DIR holds something other than a database; move it away or choose another DATA_DIR.`
      })
    }
    const password = yield* Effect.tryPromise({
      try: () => readFile(files.password, "utf8"),
      catch: unusable(
        `The password file ${files.password} of the database in DATA_DIR is missing or not readable; restore it from a backup.`
      )
    })
    return password.trim()
  })

const makeCluster = (
  dataDir: string,
  binaries: Binaries,
  account: Account
): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const files = filesOf(dataDir)
    const password = randomBytes(24).toString("base64url")
    // Unique, because an `initdb` left by a killed process must not write into it.
    const staging = join(dataDir, `${stagingPrefix}${randomBytes(4).toString("hex")}`)
    const passwordFile = join(staging, "password")
    const cluster = join(staging, "cluster")
    const maker = yield* account.maker
    yield* inFolder(dataDir, async () => {
      // Ours, so that other processes with the id that runs `initdb` cannot enter it.
      await mkdir(staging, { mode: 0o700 })
      await mkdir(cluster, { mode: 0o700 })
      await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
      await maker.own(cluster)
      await maker.own(passwordFile)
    })
    yield* run(maker, binaries.initdb, binaries.environment, [
      `--pgdata=${cluster}`,
      `--username=${roles.administrator}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // The built-in C.UTF-8 knows Unicode's letters and needs no locale on the machine.
      "--no-locale",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      // An unfinished cluster is created again, so it need not be durable.
      "--no-sync"
    ]).pipe(
      Effect.mapError((complaint) => {
        const message = `The database in DATA_DIR ${dataDir} cannot be created: ${complaint}.`
        return new EmbeddedPostgresError({ message })
      })
    )
    yield* inFolder(dataDir, async () => {
      await account.adopt(cluster)
      await writeFile(files.password, `${password}\n`, { mode: 0o600 })
      // This replaces an empty folder.
      await rename(cluster, files.cluster)
      await removeStaging(dataDir)
    })
    return password
  })

const inFolder = (dataDir: string, work: () => Promise<void>): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => unusable(`DATA_DIR ${dataDir} cannot be written: ${messageOf(cause)}.`)(cause)
  })

const removeStaging = async (dataDir: string): Promise<void> => {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(stagingPrefix)) continue
    // If a process is still writing to it, a later start deletes it.
    await rm(join(dataDir, name), { recursive: true, force: true }).catch(() => {})
  }
}

/** Fails with the last line of the program's error output. Interruption stops the program. */
const run = (
  maker: Maker,
  file: string,
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>
): Effect.Effect<void, string> =>
  Effect.async((resume) => {
    const child = maker.spawn(file, args, { env, cwd: "/", stdio: ["ignore", "ignore", "pipe"] })
    let output = ""
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
    })
    child.on("error", (error) => resume(Effect.fail(error.message)))
    child.on("close", (code) =>
      resume(code === 0 ? Effect.void : Effect.fail(output.trim().split("\n").at(-1) ?? ""))
    )
    return Effect.sync(() => child.kill())
  })
