import { chmod, lchown, lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** Who a file belongs to. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A sentence that says why a cluster is not taken as it is. */
export class Refused extends Error {}

const linked = (path: string) => new Refused(`${path} has another name elsewhere (a hard link)`)

/** In a cluster, what the server reads its settings from. */
const settingFiles = ["postgresql.conf", "postgresql.auto.conf"]

/** What `initdb` sets. None of these runs or opens anything that its writer chooses. */
const settings = new Set([
  ...[
    "max_connections",
    "autovacuum_worker_slots",
    "shared_buffers",
    "dynamic_shared_memory_type",
    "max_wal_size",
    "min_wal_size"
  ],
  ...["log_timezone", "datestyle", "timezone", "lc_messages", "lc_monetary", "lc_numeric", "lc_time"],
  "default_text_search_config"
])

/** The first word of a line that sets something else, or includes another file. */
const foreignSetting = (text: string): string | undefined =>
  text
    .split(/[\r\n]/)
    .map((line) => /^\s*([^\s#=']+)/.exec(line)?.[1]?.toLowerCase())
    .find((word) => word !== undefined && !settings.has(word))

/**
 * Gives a folder and all that is in it to somebody else, as root. Whoever owned it can put nothing more into a folder once it is root's,
 * and what is in it is looked at only then. So no link is followed. Fails with {@link Refused} where there is a symbolic link, a pipe or
 * the like, which would lead the database to what others can read or write, or a file that has another name elsewhere, which may be
 * somebody else's.
 *
 * The folder itself comes last: its owner tells the next start whether all was done.
 */
export const give = async (folder: string, { gid, uid }: Owner): Promise<void> => {
  await close(folder)
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await lstat(path)
    if (found.isDirectory()) await give(path, { gid, uid })
    else if (!found.isFile()) throw new Refused(`${path} is neither a file nor a folder`)
    else if (found.nlink > 1) throw linked(path)
    else await lchown(path, uid, gid)
  }
  await lchown(folder, uid, gid)
}

/** From now on only root can change what is in the folder, but not in the folders in it. */
const close = async (folder: string): Promise<void> => {
  await lchown(folder, 0, 0)
  await chmod(folder, 0o700)
}

/** Looks at the settings and writes them anew: whoever has the old files open cannot write to these. */
const renewSettings = async (cluster: string): Promise<void> => {
  for (const name of settingFiles) {
    const path = join(cluster, name)
    const found = await lstat(path).catch(() => undefined)
    if (found === undefined) continue
    if (!found.isFile()) throw new Refused(`${path} is no file`)
    if (found.nlink > 1) throw linked(path)
    await lchown(path, 0, 0)
    const text = await readFile(path, "utf8")
    const foreign = foreignSetting(text)
    if (foreign !== undefined) throw new Refused(`${path} says ${foreign}, which doorlock did not write`)
    const renewed = `${path}.new`
    await rm(renewed, { recursive: true, force: true })
    await writeFile(renewed, text, { mode: 0o600, flag: "wx" })
    await rename(renewed, path)
  }
}

/**
 * Takes a cluster from somebody under whose id programs of all kinds run, and who may have put into it what they liked. Fails with
 * {@link Refused} where they did.
 */
export const takeOver = async (cluster: string, owner: Owner): Promise<void> => {
  const { gid, uid } = await lstat(cluster)
  await close(cluster)
  try {
    await renewSettings(cluster)
    await give(cluster, owner)
  } catch (error) {
    // As long as it is not taken it stays theirs.
    await lchown(cluster, uid, gid)
    throw error
  }
}
