/** A disk that a test can fill up. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmdirSync } from "node:fs"
import { open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

const mount = (megabytes: number): string => {
  const folder = mkdtempSync(join(tmpdir(), "doorlock-disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder], {
      stdio: "pipe"
    })
    return folder
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
}

const unmount = (folder: string) => {
  // A process that still has a file open on the disk is about to end.
  execFileSync("umount", ["--lazy", folder])
  rmdirSync(folder)
}

/**
 * Whether the machine supports this: it takes root and the right to mount. Otherwise, tests that need it are
 * skipped by name.
 */
export const withoutDisks = (() => {
  try {
    unmount(mount(1))
    return false
  } catch {
    return true
  }
})()

export interface SmallDisk {
  readonly folder: string
  /** Fills the disk to the last byte. */
  readonly fill: Effect.Effect<void>
  /** Frees that space again. */
  readonly clear: Effect.Effect<void>
}

/** A separate disk, deleted with the scope. */
export const smallDisk = (megabytes: number): Effect.Effect<SmallDisk, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mount(megabytes)),
      (folder) => Effect.sync(() => unmount(folder))
    ),
    (folder) => {
      const ballast = join(folder, "ballast")
      return {
        folder,
        fill: Effect.promise(async () => {
          const file = await open(ballast, "a")
          try {
            for (const size of [1_048_576, 4_096, 1]) {
              const bytes = Buffer.alloc(size)
              // Until the system accepts no more.
              while ((await file.write(bytes).catch(() => ({ bytesWritten: 0 }))).bytesWritten > 0) {}
            }
          } finally {
            await file.close()
          }
        }),
        clear: Effect.promise(() => rm(ballast, { force: true }))
      }
    }
  )
