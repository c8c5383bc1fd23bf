import { chmod, lchown, lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Why a cluster is not taken over. The message is a clause of a sentence. */
export class Refused extends Error {}

const linked = (path: string) => new Refused(`${path} has another name elsewhere (a hard link)`)

const settingFiles = ["postgresql.conf", "postgresql.auto.conf"]

/** The settings that `initdb` writes. None can run or open anything that the writer chooses. */
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

/** The first setting that is not allowed, or the keyword of an include. */
const foreignSetting = (text: string): string | undefined =>
  text
    .split(/[\r\n]/)
    .map((line) => /^\s*([^\s#=']+)/.exec(line)?.[1]?.toLowerCase())
    .find((word) => word !== undefined && !settings.has(word))

/**
 * As root, gives a folder and everything in it to another user. Root takes each folder before reading its
 * entries, so its old owner can add nothing more and no link is ever followed. Fails with {@link Refused} for
 * a link, a pipe or the like, which could lead the database to others' files, and for a file with a hard link
 * elsewhere, which may be another user's.
 *
 * The folder itself changes owner last, so at the next start its owner shows whether everything was done.
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

/** Only root can then add, remove or rename its entries; subfolders are not protected yet. */
const close = async (folder: string): Promise<void> => {
  await lchown(folder, 0, 0)
  await chmod(folder, 0o700)
}

/** Replaces the checked setting files with copies, out of reach of processes that have them open. */
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
    if (foreign !== undefined) throw new Refused(`${path} sets ${foreign}, which doorlock did not write`)
    const renewed = `${path}.new`
    await rm(renewed, { recursive: true, force: true })
    await writeFile(renewed, text, { mode: 0o600, flag: "wx" })
    await rename(renewed, path)
  }
}

/** Takes a cluster from a shared user id; fails with {@link Refused} if it has anything unexpected. */
export const takeOver = async (cluster: string, owner: Owner): Promise<void> => {
  const { gid, uid } = await lstat(cluster)
  await close(cluster)
  try {
    await renewSettings(cluster)
    await give(cluster, owner)
  } catch (error) {
    // The folder goes back to its old owner.
    await lchown(cluster, uid, gid)
    throw error
  }
}
