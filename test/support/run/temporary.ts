/** Where a run keeps its temporary files: databases, folders of servers, profiles of browsers. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"

/** Linux keeps this folder in memory. */
const memoryFolder = "/dev/shm"

/** A run needs less than half of it. */
const plenty = 8 * 2 ** 30

/** Whether there is plenty of memory, and programs may run from there: a test copies one. */
const isInMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    const free = /^MemAvailable: *(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .find((line) => line.split(" ")[1] === memoryFolder)
    return bavail * bsize >= plenty && Number(free) * 1024 >= plenty && mount?.includes("noexec") === false
  } catch {
    return false
  }
}

/**
 * From now on, temporary files are in memory, where a cluster is created in a third of the time, until the process ends. Does nothing if
 * `TMPDIR` is set, as in `.ci/run`, or if there is too little memory.
 */
export const useMemory = (): void => {
  if (process.env.TMPDIR !== undefined || !isInMemory()) return
  const folder = mkdtempSync(join(memoryFolder, "doorlock-tests-"))
  // Some tests start programs as other users.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
}
