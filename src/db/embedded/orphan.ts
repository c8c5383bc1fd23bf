import { execFile } from "node:child_process"
import { readFile, readlink, realpath, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/**
 * Stops the server that an earlier process, killed before it could, left running on this cluster. Only for
 * whoever holds the claim to the folder: then nobody uses that server any more.
 */
export const stopOrphan = (cluster: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const pidFile = join(cluster, "postmaster.pid")
    const content = yield* Effect.promise(() => readFile(pidFile, "utf8").catch(() => ""))
    const pid = Number.parseInt(content, 10)
    if (!(pid > 1)) return
    if (!(yield* serves(pid, cluster))) {
      // The number may by now be that of some other process, which would keep the new server from starting.
      // It takes its parent's for its own; the rest of the file stays, since it tells whether processes of
      // the old server are still attached to its memory.
      yield* Effect.promise(() => writeFile(pidFile, content.replace(/^\d+/, `${process.pid}`)))
      return
    }
    yield* Effect.logInfo("Stopping the database server that a killed process left behind")
    // Fast shutdown, then an immediate one, then force; a paused process takes no other signal until it
    // continues.
    for (const [signal, patience] of [
      ["SIGINT", "5 seconds"],
      ["SIGQUIT", "3 seconds"],
      ["SIGKILL", "3 seconds"]
    ] as const) {
      yield* Effect.sync(() => {
        signalIfAlive(pid, "SIGCONT")
        signalIfAlive(pid, signal)
      })
      const gone = yield* serves(pid, cluster).pipe(
        Effect.repeat({ while: (alive) => alive, schedule: Schedule.spaced("20 millis") }),
        Effect.timeoutOption(patience)
      )
      if (gone._tag === "Some") return
    }
  })

const signalIfAlive = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has just ended, which is what was asked for.
  }
}

const runFile = promisify(execFile)

/** Whether the process is a Postgres server of this cluster, which a recycled number is not. */
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
      // No such process, or one of another user.
      return false
    }
  })
