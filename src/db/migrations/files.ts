import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect } from "effect"
import { hasCode } from "../../shared/error.ts"

/** The schema cannot be migrated. The message is one sentence. */
export class MigrationError extends Data.TaggedError("MigrationError")<{
  readonly message: string
  readonly cause?: unknown
}> {}

export interface Migration {
  readonly version: number
  /** The file's name, such as `0001_accounts.sql`. */
  readonly name: string
  /** SHA-256 in hex of the text with LF line ends, so a CRLF checkout has the same checksum. */
  readonly checksum: string
  readonly text: string
}

const fail = (message: string, cause?: unknown) => new MigrationError({ message, cause })

/** In order. A missing folder has none. Ignores files whose names begin with a dot. */
export const readMigrations = (folder: string): Effect.Effect<ReadonlyArray<Migration>, MigrationError> =>
  Effect.gen(function* () {
    const names = yield* Effect.tryPromise({
      try: () =>
        readdir(folder).catch((error: unknown) => {
          if (hasCode(error, "ENOENT")) return []
          throw error
        }),
      catch: (cause) => fail(`The migrations in ${folder} cannot be read.`, cause)
    })
    const migrations = names.filter((name) => !name.startsWith(".")).sort()
    return yield* Effect.forEach(migrations, (name, index) => readMigration(folder, name, index + 1))
  })

const readMigration = (
  folder: string,
  name: string,
  expected: number
): Effect.Effect<Migration, MigrationError> =>
  Effect.gen(function* () {
    const digits = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]
    if (digits === undefined) {
      return yield* fail(`The migration ${name} must be named like 0001_name.sql, in lower case.`)
    }
    const version = Number(digits)
    if (version < expected) return yield* fail(`The migration ${name} has a number that is already taken.`)
    if (version > expected) {
      const missing = String(expected).padStart(4, "0")
      return yield* fail(`The migration before ${name} is missing: expected number ${missing}.`)
    }
    const raw = yield* Effect.tryPromise({
      try: () => readFile(join(folder, name), "utf8"),
      catch: (cause) => fail(`The migration ${name} cannot be read.`, cause)
    })
    const text = raw.replaceAll("\r\n", "\n")
    return { version, name, checksum: createHash("sha256").update(text).digest("hex"), text }
  })
