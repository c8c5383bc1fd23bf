import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { chown, lstat, readdir, readFile, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { give, type Owner, Refused, takeOver } from "./adoption.ts"
import { EmbeddedPostgresError } from "./error.ts"

type Spawn = (file: string, args: ReadonlyArray<string>, options: SpawnOptions) => ChildProcess

/** How `initdb` is run. */
export interface Maker {
  readonly spawn: Spawn
  /** Gives a file or folder that we made to it. */
  readonly own: (path: string) => Promise<void>
}

/** The operating-system account the database's programs run under. */
export interface Account {
  /**
   * Starts a program in a session of its own, so that Ctrl-C in a terminal reaches us and not the database.
   */
  readonly spawn: Spawn
  /** To be run in a folder that only we can enter; what it makes is then to be adopted. */
  readonly maker: Effect.Effect<Maker, EmbeddedPostgresError>
  /** Gives a folder and all that is in it to the account. */
  readonly adopt: (folder: string) => Promise<void>
}

/** `nobody` on every common Linux, under which programs of all kinds run. */
const nobody = 65_534

/**
 * User ids that are given to nobody: those above what directories (SSSD) and below what systemd give out, and for containers,
 * which mostly have 65,536 of them, those that systemd leaves free.
 */
const spareIds = [
  { first: 2_000_200_001, last: 2_147_352_575 },
  { first: 60_706, last: 61_183 }
]

/**
 * The account for a cluster whose programs must reach `folders`: our own user, or, for root, as which Postgres refuses to run,
 * the owner of an existing cluster, else a user id that nobody else has. It is the cluster's owner that keeps it. Whoever has
 * the same id as the database could read and write its files and its memory: therefore it is not `nobody`, and a cluster of
 * `nobody`'s, as earlier versions made, is given to another id.
 *
 * Such an id needs no name, and so no change of `/etc/passwd`. Only `initdb` insists on one: it is run as `nobody`, in a folder
 * that only root can enter, with a capability that leads it there and keeps others of that id from its memory.
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
        message: `The embedded database, started by root, has a user id of its own, and ${foreign} leads to a folder of another user; put that folder in the link's place, with the owner of what is around it, or set DATABASE_URL.`
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
                "The embedded database cannot be made by root without setpriv and the capabilities SETPCAP and DAC_OVERRIDE; run as another user or set DATABASE_URL."
            })
          : Effect.succeed({
              spawn: reading(nobody, nobody),
              own: (path) => chown(path, nobody, nobody)
            }),
      adopt: (folder) => give(folder, { uid, gid })
    }
    if (owner === undefined && (yield* Effect.promise(() => isCluster(cluster)))) {
      yield* Effect.tryPromise({
        try: () => takeOver(cluster, { uid, gid }),
        catch: (cause) =>
          new EmbeddedPostgresError({
            message:
              cause instanceof Refused
                ? `The database in ${cluster} cannot be taken from the user id that other programs have too: ${cause.message}; remove that if you know how it came there, restore a backup, or set DATABASE_URL.`
                : `The database in ${cluster} cannot be given to a user of its own; run as another user, who owns it, or set DATABASE_URL.`,
            cause
          })
      })
    }
    return account
  })

/** Starts programs under an id that keep the capability to read through closed folders; undefined where that cannot be done. */
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

const isCluster = (folder: string): Promise<boolean> =>
  stat(join(folder, "PG_VERSION")).then(
    () => true,
    () => false
  )

/** Of the links by which a cluster has its log or a tablespace elsewhere, one to a folder that is not the user's. */
const foreignLink = async (cluster: string, uid: number): Promise<string | undefined> => {
  const spaces = join(cluster, "pg_tblspc")
  const names = await readdir(spaces).catch(() => [])
  for (const path of [join(cluster, "pg_wal"), ...names.map((name) => join(spaces, name))]) {
    const [link, folder] = await Promise.all([lstat, stat].map((of) => of(path).catch(() => undefined)))
    if (link?.isSymbolicLink() === true && folder !== undefined && folder.uid !== uid) return path
  }
  return undefined
}

/** Who owns the cluster; undefined when there is none, or it is `nobody`'s or root's. */
const ownerOf = async (cluster: string): Promise<Owner | undefined> => {
  const owner = await stat(cluster).catch(() => undefined)
  return owner === undefined || owner.uid === 0 || owner.uid === nobody
    ? undefined
    : { uid: owner.uid, gid: owner.gid }
}

/** An id that no user has, and no process; of which the group has the same. */
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

/** Which ids there are: a container may have few of them. */
const mapped = async (kind: "uid" | "gid"): Promise<(id: number) => boolean> => {
  const map = await readFile(`/proc/self/${kind}_map`, "utf8").catch(() => "0 0 4294967295")
  const stretches = map
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
  return (id) => stretches.some(([first = 0, , count = 0]) => id >= first && id < first + count)
}

/** The ids of users that have a name here, and of processes. */
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
