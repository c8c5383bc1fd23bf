import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Layer from "effect/Layer"
import { attempt, FileStore } from "./store.ts"

/** A UUID's; what belongs to a file has a name that begins with the file's. */
const idLength = 36

/** Makes what was just put into the folder survive a loss of power. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Files under `folder`, readable by their owner only, in 256 folders by the last digits of their ids: the
 * first are a time, and would put a year of files into one folder.
 *
 * @param folder on the same file system as the local files that `put` is given, since it moves them
 */
export const layer = (folder: string): Layer.Layer<FileStore> => {
  const pathOf = (id: string) => join(folder, id.slice(idLength - 2, idLength), id)
  return Layer.succeed(FileStore, {
    put: (id, path) =>
      attempt("Moving a file into the store", async () => {
        const target = pathOf(id)
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        await rename(path, target)
        await syncFolder(dirname(target))
        await syncFolder(folder)
      }),
    get: (id) =>
      attempt("Reading a file from the store", async () => {
        const file = Bun.file(pathOf(id))
        if (!(await file.exists())) throw new Error(`${id} is not there`)
        return file.stream()
      }),
    remove: (id) => attempt("Removing a file from the store", () => rm(pathOf(id), { force: true }))
  })
}
