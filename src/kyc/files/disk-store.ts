import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Layer } from "effect"
import { attempt, FileStore } from "./store.ts"

/** The length of a UUID. The ids of a file and of its copy both begin with the file's UUID. */
const idLength = 36

/** Makes a new entry in the folder survive a power failure. */
const syncFolder = async (path: string): Promise<void> => {
  await using folder = await open(path)
  await folder.sync()
}

/**
 * Stores files readable only by their owner, in 256 folders by the last two digits of their UUIDs: the first
 * digits are a timestamp and would put a year of files into one folder.
 *
 * @param folder on the file system of the local files passed to `put`, which moves them
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
