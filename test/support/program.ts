/** Runs the program as a separate process. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect, Redacted, type Scope } from "effect"
import { send } from "./client.ts"
import { eventually } from "./eventually.ts"
import type { Environment } from "./server.ts"

/** `bun start` with the timeouts of tests. */
const patientProgram = join(import.meta.dirname, "patient-program.ts")

/** The same with production's, for a test of them, and to measure. */
export const productionProgram = join(import.meta.dirname, "../../src/main.ts")

export interface Program {
  readonly pid: number
  /** The output so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Waits for the process to end and returns its exit code, or the signal that ended it. */
  readonly exited: Effect.Effect<number | NodeJS.Signals>
}

interface RunningProgram extends Program {
  readonly url: string
}

/**
 * Runs doorlock with exactly this environment and long timeouts; stops it with the scope.
 *
 * @param file the main file of another program, or of another copy
 * @param runtime another program than Bun to run it with
 */
export const run = (
  environment: Readonly<Record<string, string>>,
  file = patientProgram,
  words: ReadonlyArray<string> = [],
  runtime = process.execPath
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync((): Program => {
      const child = spawn(runtime, [file, ...words], {
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
      // "close" comes after all output has been read; "exit" does not.
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
        // A test may have paused the process.
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

/**
 * Runs the program and waits until `/readyz` returns 200. If the program ends first, fails with its output.
 *
 * @param runtime another program than Bun to run it with
 */
export const runUntilReady = (
  environment: Readonly<Record<string, string>>,
  file?: string,
  runtime?: string
) =>
  Effect.gen(function* () {
    const program = yield* run(environment, file, [], runtime)
    const address = () => /doorlock listens on (\S+)/.exec(program.stdout())?.[1]
    const ready = Effect.gen(function* () {
      yield* eventually("the program listens", () => address() !== undefined)
      const url = `http://${address()}`
      yield* eventually("the program is ready", isReady(url))
      return url
    })
    const ended = Effect.flatMap(program.exited, (code) =>
      Effect.fail(new Error(`The program ended with ${code} before it was ready: ${program.stderr()}`))
    )
    const url = yield* Effect.raceFirst(ready, Effect.interruptible(ended))
    return { ...program, url } satisfies RunningProgram
  })

/** The resident memory of a process, in bytes. */
export const memoryOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

export interface ProgramOn extends RunningProgram {
  readonly databaseUrl: Redacted.Redacted<string>
  /** All output so far. */
  readonly output: () => string
}

/**
 * Runs the program on a database of its own choosing, with logs as text.
 *
 * @param file the main file of another program
 */
export const runOn = (
  databaseUrl: Redacted.Redacted<string>,
  environment: Environment = {},
  file?: string
): Effect.Effect<ProgramOn, Error, Scope.Scope> =>
  Effect.map(
    runUntilReady(
      {
        DATABASE_URL: Redacted.value(databaseUrl),
        DATABASE_POOL: "3",
        SECRET_KEY: "a secret key for tests, 32 bytes at least",
        LOG_FORMAT: "pretty",
        // A separate folder for each database, because its anchors belong to that database.
        DATA_DIR: join(tmpdir(), `doorlock-run-${basename(new URL(Redacted.value(databaseUrl)).pathname)}`),
        ...environment
      },
      file
    ),
    (program) => ({ ...program, databaseUrl, output: () => program.stdout() + program.stderr() })
  )

const isReady = (url: string) => Effect.map(send({ url }, "GET", "/readyz"), ({ status }) => status === 200)

/** The process id of the embedded database server in `dataDir`. */
export const databasePid = (dataDir: string) =>
  Effect.promise(async () =>
    Number.parseInt(await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8"), 10)
  )

/** The superuser's address of the embedded database in `dataDir`, while its server runs. */
export const embeddedUrl = (dataDir: string): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.promise(async () => {
    const password = await readFile(join(dataDir, "postgres.password"), "utf8")
    // The first lines of the file, as Postgres documents them: process, folder, start time, port and the socket's folder.
    const [, , , port, socket = ""] = (
      await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8")
    ).split("\n")
    return Redacted.make(
      `postgres://doorlock:${password.trim()}@${encodeURIComponent(socket)}:${port}/doorlock`
    )
  })

/** The processes of a program that are serving. */
export const workersOf = ({ pid }: Pick<Program, "pid">): Effect.Effect<ReadonlyArray<number>> =>
  Effect.promise(async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
    const pids = children.trim().split(" ").map(Number)
    const lines = await Promise.all(
      pids.map((child) => readFile(`/proc/${child}/cmdline`, "utf8").catch(() => ""))
    )
    return pids.filter((_, index) => /(process\/|patient-)worker\.ts/.test(lines[index] ?? ""))
  })

/** The processes below this one. */
export const processesBelow = (pid: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
    .filter((child) => child !== "")
    .flatMap((child) => [Number(child), ...processesBelow(Number(child))])

/**
 * Signal 0 cannot tell: a process that has ended but was not waited for still accepts signals. A process of
 * which only the first thread has ended still holds its sockets.
 */
export const isAlive = (pid: number) =>
  Effect.promise(async () => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
    if (stat === undefined) return false
    // From proc(5): after the name in parentheses, the state is first and the number of threads eighteenth.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] !== "Z" || Number(fields[17]) > 1
  })
