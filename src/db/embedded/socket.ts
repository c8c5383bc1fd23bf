import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Account } from "./account.ts"
import { type EmbeddedPostgresError, unusable } from "./error.ts"

/** Only a part of the socket's name: nothing listens on TCP. */
export const socketPort = 5432

/** The longest path of a socket, in bytes: 107 on Linux, 103 on macOS. */
const longestPath = 103

const fits = (folder: string): boolean =>
  Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) <= longestPath

/**
 * An empty folder for the server's socket, which only the account (and root) can enter; deleted with the scope. If the
 * path is too long for a socket, it is one in `/tmp` instead. No server may be using it.
 */
export const makeSocketFolder = (
  path: string,
  account: Account
): Effect.Effect<string, EmbeddedPostgresError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const folder = fits(path) ? await emptied(path) : await mkdtemp("/tmp/doorlock-")
        await account.adopt(folder)
        return folder
      },
      catch: unusable(
        `The folder of the database's socket cannot be created: ${fits(path) ? path : "/tmp/doorlock-…"}.`
      )
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => {}))
  )

/** A killed server leaves its socket, and the id of a process that may be another's now. */
const emptied = async (folder: string): Promise<string> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  return folder
}
