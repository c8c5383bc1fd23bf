/** The program itself, as a process of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { send } from "./client.ts"
import { eventually } from "./eventually.ts"
import type { Environment } from "./server.ts"

const main = join(import.meta.dirname, "../../src/main.ts")

export interface Program {
  readonly pid: number
  /** What it has written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Waits for its end: the exit code, or the signal that ended it. */
  readonly exited: Effect.Effect<number | NodeJS.Signals>
}

interface RunningProgram extends Program {
  readonly url: string
}

/**
 * Runs `bun src/main.ts` in this environment and no other; stops it with the scope.
 *
 * @param file of another copy of the program
 */
export const run = (
  environment: Readonly<Record<string, string>>,
  file = main
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync((): Program => {
      const child = spawn(process.execPath, [file], {
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          TMPDIR: tmpdir(),
          HOST: "127.0.0.1",
          PORT: "0",
          ...environment
        },
        stdio: ["ignore", "pipe", "pipe"]
      })
      const output = { stdout: "", stderr: "" }
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        output.stdout += chunk
      })
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
        output.stderr += chunk
      })
      // "close", not "exit": by then all it wrote has been read.
      const closed = once(child, "close")
      return {
        pid: child.pid ?? 0,
        stdout: () => output.stdout,
        stderr: () => output.stderr,
        signal: (signal) => void child.kill(signal),
        exited: Effect.promise(async () => {
          await closed
          return child.exitCode ?? child.signalCode ?? "SIGKILL"
        })
      }
    }),
    (program) =>
      Effect.suspend(() => {
        program.signal("SIGTERM")
        // A test may have paused it.
        program.signal("SIGCONT")
        return program.exited.pipe(
          Effect.interruptible,
          Effect.timeoutTo({
            duration: "1 minute",
            onSuccess: () => Effect.void,
            onTimeout: () => Effect.sync(() => program.signal("SIGKILL"))
          }),
          Effect.flatten
        )
      })
  )

/** Runs the program and waits until `/readyz` says 200. Fails with what it wrote when it ends before. */
export const runUntilReady = (environment: Readonly<Record<string, string>>, file?: string) =>
  Effect.gen(function* () {
    const program = yield* run(environment, file)
    const address = () => /doorlock listens on (\S+)/.exec(program.stdout())?.[1]
    const ready = Effect.gen(function* () {
      yield* eventually(
        "the program listens",
        120_000,
        Effect.sync(() => address() !== undefined)
      )
      const url = `http://${address()}`
      yield* eventually("the program is ready", 60_000, isReady(url))
      return url
    })
    const ended = Effect.flatMap(program.exited, (code) =>
      Effect.fail(new Error(`The program ended with ${code} before it was ready: ${program.stderr()}`))
    )
    const url = yield* Effect.raceFirst(ready, Effect.interruptible(ended))
    return { ...program, url } satisfies RunningProgram
  })

/** Resident memory of a process, in bytes. */
export const memoryOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

export interface ProgramOn extends RunningProgram {
  readonly databaseUrl: Redacted.Redacted<string>
  /** All it has written so far. */
  readonly output: () => string
}

/** Runs the program on a database of its own choosing, with logs to be read as text. */
export const runOn = (
  databaseUrl: Redacted.Redacted<string>,
  environment: Environment = {}
): Effect.Effect<ProgramOn, Error, Scope.Scope> =>
  Effect.map(
    runUntilReady({
      DATABASE_URL: Redacted.value(databaseUrl),
      DATABASE_POOL: "3",
      SECRET_KEY: "a secret key for tests, 32 bytes at least",
      LOG_FORMAT: "pretty",
      // Of the database alone: what is anchored there is of one database.
      DATA_DIR: join(tmpdir(), `doorlock-run-${basename(new URL(Redacted.value(databaseUrl)).pathname)}`),
      ...environment
    }),
    (program) => ({ ...program, databaseUrl, output: () => program.stdout() + program.stderr() })
  )

const isReady = (url: string) => Effect.map(send({ url }, "GET", "/readyz"), ({ status }) => status === 200)

/** The process id of the embedded database's server in `dataDir`. */
export const databasePid = (dataDir: string) =>
  Effect.promise(async () =>
    Number.parseInt(await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8"), 10)
  )

/** The address of the embedded database in `dataDir`, while its server runs, as its superuser. */
export const embeddedUrl = (dataDir: string): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.promise(async () => {
    const password = await readFile(join(dataDir, "postgres.password"), "utf8")
    // Process, folder, start time, port: the first lines of the file, as Postgres documents them.
    const port = (await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8")).split("\n")[3]
    return Redacted.make(`postgres://doorlock:${password.trim()}@127.0.0.1:${port}/doorlock`)
  })

/** The processes of a program that serve. */
export const workersOf = ({ pid }: Pick<Program, "pid">): Effect.Effect<ReadonlyArray<number>> =>
  Effect.promise(async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
    const pids = children.trim().split(" ").map(Number)
    const lines = await Promise.all(
      pids.map((child) => readFile(`/proc/${child}/cmdline`, "utf8").catch(() => ""))
    )
    return pids.filter((_, index) => lines[index]?.includes("workers/worker.ts"))
  })

/**
 * A process that has ended but not been waited for still takes signals, so the signal 0 does not tell. One of whose threads only the
 * first has ended still has its sockets.
 */
export const isAlive = (pid: number) =>
  Effect.promise(async () => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
    if (stat === undefined) return false
    // By proc(5), after the name in brackets: the state first, the number of threads eighteenth.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] !== "Z" || Number(fields[17]) > 1
  })
