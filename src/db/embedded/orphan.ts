import { execFile } from "node:child_process"
import { readFile, readlink, realpath, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { Timing } from "../../shared/timing.ts"

/** Stops the server that a killed process left running. The caller must hold the claim to the folder. */
export const stopOrphan = (cluster: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const pidFile = join(cluster, "postmaster.pid")
    const content = yield* Effect.promise(() => readFile(pidFile, "utf8").catch(() => ""))
    const pid = Number.parseInt(content, 10)
    if (!(pid > 1)) return
    if (!(yield* serves(pid, cluster))) {
      // A process that now has this pid would keep the new server from starting, which disregards only its
      // own parent's pid. The rest of the file shows whether processes of the old server are still attached
      // to its shared memory.
      yield* Effect.promise(() => writeFile(pidFile, content.replace(/^\d+/, `${process.pid}`)))
      return
    }
    const { spaced, within } = yield* Timing
    yield* Effect.logInfo("Stopping the database server that a killed process left behind")
    // Fast shutdown, immediate shutdown, kill. A paused process must continue to handle signals.
    for (const [signal, timeout] of [
      ["SIGINT", "db.orphan_stop"],
      ["SIGQUIT", "db.orphan_abort"],
      ["SIGKILL", "db.orphan_abort"]
    ] as const) {
      yield* Effect.sync(() => {
        signalIfAlive(pid, "SIGCONT")
        signalIfAlive(pid, signal)
      })
      const gone = yield* within(
        timeout,
        Effect.repeat(serves(pid, cluster), { while: (alive) => alive, schedule: spaced("db.orphan") })
      )
      if (gone._tag === "Some") return
    }
  })

const signalIfAlive = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has just ended.
  }
}

const runFile = promisify(execFile)

/** Whether it is a Postgres server of this cluster, and not another process with a recycled pid. */
const serves = (pid: number, cluster: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    try {
      if (process.platform === "linux") {
        const [program, folder] = await Promise.all([
          readlink(`/proc/${pid}/exe`),
          readlink(`/proc/${pid}/cwd`)
        ])
        return basename(program).startsWith("postgres") && folder === (await realpath(cluster))
      }
      const { stdout } = await runFile("ps", ["-ww", "-o", "command=", "-p", `${pid}`])
      return stdout.includes("postgres") && stdout.includes(`-D ${cluster}`)
    } catch {
      // No such process, or another user's.
      return false
    }
  })
