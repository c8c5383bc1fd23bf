import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { chown, readFile, stat } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { EmbeddedPostgresError } from "./error.ts"

/**
 * The operating-system account the database's programs run under. Postgres refuses to run as root, so root
 * starts them as an unprivileged user.
 */
export interface Account {
  /**
   * Starts a program in a session of its own, so that Ctrl-C in a terminal reaches us and not the database.
   */
  readonly spawn: (file: string, args: ReadonlyArray<string>, options: SpawnOptions) => ChildProcess
  /** Gives a file or folder that we made to the account. */
  readonly own: (path: string) => Promise<void>
}

/** `nobody` on every common Linux; `initdb` insists on a user that has a name. */
const unprivileged = { uid: 65_534, gid: 65_534 }

/**
 * The account for a cluster whose programs must reach `folders`: our own user, or, for root, the owner of an
 * existing cluster, else `nobody`.
 *
 * Root's folders are often closed to others (`/root` has mode 0700). Then the programs keep one capability,
 * reading through such folders, and lose all others. The secure bit makes access(2), which Postgres asks
 * about its own files, honour it too.
 */
export const accountFor = (
  cluster: string,
  folders: ReadonlyArray<string>
): Effect.Effect<Account, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    if (process.getuid?.() !== 0) {
      return {
        spawn: (file, args, options) => spawn(file, args, { ...options, detached: true }),
        own: async () => {}
      }
    }
    const { uid, gid } = yield* Effect.promise(() => ownerOf(cluster))
    const own = (path: string) => chown(path, uid, gid)
    const open = yield* Effect.promise(() => Promise.all(folders.map(isOpenToAll)))
    if (open.every(Boolean)) {
      return {
        spawn: (file, args, options) => spawn(file, args, { ...options, uid, gid, detached: true }),
        own
      }
    }
    const closed = folders.filter((_, index) => open[index] !== true).join(" and ")
    const capability = yield* Effect.promise(readingCapability)
    const setpriv = Bun.which("setpriv")
    if (capability === undefined || setpriv === null) {
      return yield* new EmbeddedPostgresError({
        message: `The embedded database cannot run as root, and other users cannot enter ${closed}; run as another user, open the folder or set DATABASE_URL.`
      })
    }
    const keep = [
      ...["--securebits", "+no_setuid_fixup", "--reuid", `${uid}`, "--regid", `${gid}`, "--clear-groups"],
      ...["--inh-caps", `-all,+${capability}`, "--ambient-caps", `+${capability}`],
      ...["--bounding-set", `-all,+${capability}`, "--"]
    ]
    return {
      spawn: (file, args, options) =>
        spawn(setpriv, [...keep, file, ...args], { ...options, detached: true }),
      own
    }
  })

const ownerOf = async (cluster: string): Promise<{ readonly uid: number; readonly gid: number }> => {
  const owner = await stat(cluster).catch(() => undefined)
  return owner === undefined || owner.uid === 0 ? unprivileged : { uid: owner.uid, gid: owner.gid }
}

const isOpenToAll = async (folder: string): Promise<boolean> => {
  const { mode } = await stat(folder)
  if ((mode & 0o001) === 0) return false
  const parent = dirname(folder)
  return parent === folder || isOpenToAll(parent)
}

/** Bit numbers of linux/capability.h. */
const capabilities = { dac_override: 1n, dac_read_search: 2n, setpcap: 8n }

/** The weaker of the two capabilities that lead through closed folders, if this process can pass one on. */
const readingCapability = async (): Promise<"dac_read_search" | "dac_override" | undefined> => {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "")
  const bounding = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`)
  const has = (name: keyof typeof capabilities) => (bounding & (1n << capabilities[name])) !== 0n
  // Secure bits and bounding set take it.
  if (!has("setpcap")) return undefined
  if (has("dac_read_search")) return "dac_read_search"
  return has("dac_override") ? "dac_override" : undefined
}
