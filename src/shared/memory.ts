import { readFileSync } from "node:fs"
import { totalmem } from "node:os"
import { join } from "node:path"

const root = "/sys/fs/cgroup"

/** The bytes in a file of Linux's; undefined if there is no such file, or it says "max". */
const bytesIn = (file: string): number | undefined => {
  try {
    const bytes = Number(readFileSync(file, "utf8"))
    return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined
  } catch {
    return undefined
  }
}

/** This process's control group and those above it (cgroups, version 2). */
const groups = (): ReadonlyArray<string> => {
  try {
    const own = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "/"
    return own.split("/").map((_, depth, names) => names.slice(0, depth + 1).join("/"))
  } catch {
    return []
  }
}

/** Bytes that this process may use: the limit of its container or service, or else the machine's memory. */
export const availableMemory = (): number =>
  Math.min(
    totalmem(),
    ...groups().flatMap((group) => bytesIn(join(root, group, "memory.max")) ?? []),
    bytesIn(join(root, "memory/memory.limit_in_bytes")) ?? totalmem()
  )
