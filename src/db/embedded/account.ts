import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { chown, lchown, readdir, readFile, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { EmbeddedPostgresError, unusable } from "./error.ts"

interface Owner {
  readonly uid: number
  readonly gid: number
}

type Spawn = (file: string, args: ReadonlyArray<string>, options: SpawnOptions) => ChildProcess

export interface Maker {
  readonly spawn: Spawn
  /** Gives a path to the account that runs `initdb`. */
  readonly own: (path: string) => Promise<void>
}

/** The operating-system account of the database's programs. */
export interface Account {
  /** In its own session, so that Ctrl-C in a terminal does not reach the database. */
  readonly spawn: Spawn
  /** Runs `initdb` in a folder that only we can enter; the account then adopts the new cluster. */
  readonly maker: Effect.Effect<Maker, EmbeddedPostgresError>
  /** Gives a folder and everything in it to the account. */
  readonly adopt: (folder: string) => Promise<void>
}

/** `nobody` on every common Linux. Programs of all kinds run under this id. */
const nobody = 65_534

/** A user id that systemd and the directories of users leave free, also in containers with only 65,536 ids. */
const unprivileged: Owner = { uid: 60_706, gid: 60_706 }

/**
 * The account for a cluster whose programs must reach `folders`: our own, unless we are root. Postgres
 * refuses to run as root, so root uses the owner of the existing cluster, or else an id that no user has, and that all clusters of root share.
 * Anyone with that id could read and write the database's files and memory, so it is never `nobody`. A
 * cluster that root owns, as a copy may, is given to it.
 *
 * The id needs no entry in `/etc/passwd`. Only `initdb` requires a name, so it runs as `nobody`, in a folder
 * that only root can enter, with a capability that lets it in and keeps other processes of `nobody` out of
 * its memory.
 *
 * If `folders` are closed to others (`/root` has mode 0700), the programs keep one capability, to read
 * through them. Postgres checks its own files with access(2); the secure bit makes access(2) honour the
 * capability too.
 */
export const accountFor = (
  cluster: string,
  folders: ReadonlyArray<string>
): Effect.Effect<Account, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    if (process.getuid?.() !== 0) {
      const ours: Spawn = (file, args, options) => spawn(file, args, { ...options, detached: true })
      return {
        spawn: ours,
        maker: Effect.succeed({ spawn: ours, own: async () => {} }),
        adopt: async () => {}
      }
    }
    const reading = yield* Effect.promise(spawnReading)
    const owner = yield* Effect.promise(() => ownerOf(cluster))
    const { gid, uid } = owner ?? unprivileged
    const open = yield* Effect.promise(() => Promise.all(folders.map(isOpenToAll)))
    const closed = folders.filter((_, index) => open[index] !== true).join(" and ")
    if (closed !== "" && reading === undefined) {
      return yield* new EmbeddedPostgresError({
        message: `The embedded database cannot run as root, and other users cannot enter ${closed}; run as another user, open the folder or set DATABASE_URL.`
      })
    }
    const account: Account = {
      spawn:
        closed === "" || reading === undefined
          ? (file, args, options) => spawn(file, args, { ...options, uid, gid, detached: true })
          : reading(uid, gid),
      maker:
        reading === undefined
          ? new EmbeddedPostgresError({
              message:
                "The embedded database cannot be created by root without setpriv and the capabilities SETPCAP and DAC_OVERRIDE; run as another user or set DATABASE_URL."
            })
          : Effect.succeed({
              spawn: reading(nobody, nobody),
              own: (path) => chown(path, nobody, nobody)
            }),
      adopt: (folder) => give(folder, { uid, gid })
    }
    if (
      owner === undefined &&
      (yield* Effect.promise(() => Bun.file(join(cluster, "PG_VERSION")).exists()))
    ) {
      yield* Effect.tryPromise({
        try: () => give(cluster, { uid, gid }),
        catch: unusable(
          `The database in ${cluster} cannot be given its own user id; run as the user that owns it, or set DATABASE_URL.`
        )
      })
    }
    return account
  })

/** Gives a folder and everything in it to another user. */
const give = async (folder: string, { gid, uid }: Owner): Promise<void> => {
  for (const name of await readdir(folder, { recursive: true })) await lchown(join(folder, name), uid, gid)
  await lchown(folder, uid, gid)
}

/** Starts programs with the capability to read through closed folders; undefined if we cannot. */
const spawnReading = async (): Promise<((uid: number, gid: number) => Spawn) | undefined> => {
  const capability = await readingCapability()
  const setpriv = Bun.which("setpriv")
  if (capability === undefined || setpriv === null) return undefined
  return (uid, gid) => {
    const keep = [
      ...["--securebits", "+no_setuid_fixup", "--reuid", `${uid}`, "--regid", `${gid}`, "--clear-groups"],
      ...["--inh-caps", `-all,+${capability}`, "--ambient-caps", `+${capability}`],
      ...["--bounding-set", `-all,+${capability}`, "--"]
    ]
    return (file, args, options) => spawn(setpriv, [...keep, file, ...args], { ...options, detached: true })
  }
}

/** The owner of the cluster; undefined if there is no cluster, or root owns it. */
const ownerOf = async (cluster: string): Promise<Owner | undefined> => {
  const owner = await stat(cluster).catch(() => undefined)
  return owner === undefined || owner.uid === 0 ? undefined : { uid: owner.uid, gid: owner.gid }
}

const isOpenToAll = async (folder: string): Promise<boolean> => {
  const { mode } = await stat(folder)
  if ((mode & 0o001) === 0) return false
  const parent = dirname(folder)
  return parent === folder || isOpenToAll(parent)
}

/** The bit numbers in linux/capability.h. */
const capabilities = { dac_override: 1n, dac_read_search: 2n, setpcap: 8n }

/** The weaker capability for entering closed folders that this process can pass on. */
const readingCapability = async (): Promise<"dac_read_search" | "dac_override" | undefined> => {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "")
  const bounding = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`)
  const has = (name: keyof typeof capabilities) => (bounding & (1n << capabilities[name])) !== 0n
  // Needed to set the secure bits and the bounding set.
  if (!has("setpcap")) return undefined
  if (has("dac_read_search")) return "dac_read_search"
  return has("dac_override") ? "dac_override" : undefined
}
