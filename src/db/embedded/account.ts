import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { chown, lchown, lstat, readdir, readFile, stat } from "node:fs/promises"
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

/**
 * User ids that nobody assigns: above those of directories (SSSD) and below those of systemd; then, for
 * containers with only 65,536 ids, those that systemd leaves free.
 */
const spareIds = [
  { first: 2_000_200_001, last: 2_147_352_575 },
  { first: 60_706, last: 61_183 }
]

/**
 * The account for a cluster whose programs must reach `folders`: our own, unless we are root. Postgres
 * refuses to run as root, so root uses the owner of the existing cluster, or else a user id that nobody else
 * has. Anyone with that id could read and write the database's files and memory, so it is never `nobody`. A
 * cluster that root owns, as a copy may, is given to such an id.
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
    const { gid, uid } = owner ?? (yield* spareId)
    const foreign = yield* Effect.promise(() => foreignLink(cluster, uid))
    if (foreign !== undefined) {
      return yield* new EmbeddedPostgresError({
        message: `The embedded database, started by root, runs under its own user id, but ${foreign} links to a folder of another user; replace the link with that folder, owned like the cluster, or set DATABASE_URL.`
      })
    }
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

/** A link to a write-ahead log or tablespace in a folder that the user does not own, if any. */
const foreignLink = async (cluster: string, uid: number): Promise<string | undefined> => {
  const spaces = join(cluster, "pg_tblspc")
  const names = await readdir(spaces).catch(() => [])
  for (const path of [join(cluster, "pg_wal"), ...names.map((name) => join(spaces, name))]) {
    const [link, folder] = await Promise.all([lstat, stat].map((of) => of(path).catch(() => undefined)))
    if (link?.isSymbolicLink() === true && folder !== undefined && folder.uid !== uid) return path
  }
  return undefined
}

/** The owner of the cluster; undefined if there is no cluster, or root owns it. */
const ownerOf = async (cluster: string): Promise<Owner | undefined> => {
  const owner = await stat(cluster).catch(() => undefined)
  return owner === undefined || owner.uid === 0 ? undefined : { uid: owner.uid, gid: owner.gid }
}

/** An id that no user and no process has. The group gets the same id. */
const spareId: Effect.Effect<Owner, EmbeddedPostgresError> = Effect.gen(function* () {
  const [ofUsers, ofGroups, taken] = yield* Effect.promise(() =>
    Promise.all([mapped("uid"), mapped("gid"), takenIds()])
  )
  for (const { first, last } of spareIds) {
    if (![first, last].every((id) => ofUsers(id) && ofGroups(id))) continue
    for (let tries = 0; tries < 1_000; tries++) {
      const id = randomInt(first, last + 1)
      if (!taken.has(id)) return { uid: id, gid: id }
    }
  }
  return yield* new EmbeddedPostgresError({
    message:
      "The embedded database, started by root, needs a user id that nobody else has, and this container has none to spare; run as another user or set DATABASE_URL."
  })
})

/** Which ids exist: a container may have only a few. */
const mapped = async (kind: "uid" | "gid"): Promise<(id: number) => boolean> => {
  const map = await readFile(`/proc/self/${kind}_map`, "utf8").catch(() => "0 0 4294967295")
  const stretches = map
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
  return (id) => stretches.some(([first = 0, , count = 0]) => id >= first && id < first + count)
}

const takenIds = async (): Promise<ReadonlySet<number>> => {
  const users = await readFile("/etc/passwd", "utf8").catch(() => "")
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
  const owners = await Promise.all(
    processes.map((id) =>
      stat(`/proc/${id}`).then(
        ({ uid }) => uid,
        // It has just ended.
        () => 0
      )
    )
  )
  return new Set([...users.split("\n").map((line) => Number(line.split(":")[2])), ...owners])
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
