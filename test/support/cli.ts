/** Runs the command line in this process or as a separate process. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { run } from "../../src/cli/run.ts"
import { type Output, Surroundings } from "../../src/cli/surroundings.ts"
import { commandLine } from "../../src/command-line.ts"
import { field } from "./client.ts"
import { patient } from "./run/timeouts.ts"
import { type Environment, quickHashes } from "./server.ts"

/** The command line with the timeouts of tests, as a program. */
export const cliFile = join(import.meta.dirname, "cli-program.ts")

export interface Ran {
  readonly exitCode: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

interface Options {
  /** Replaces every variable except `PATH` and `HOME`. */
  readonly env?: Environment
  /** The content of standard input; empty by default. */
  readonly stdin?: string
  /** What the command must end with, 0 by default; one of several if any will do. */
  readonly exitCode?: number | ReadonlyArray<number>
}

interface ProcessOptions extends Options {
  readonly cwd?: string
}

/** The environment that commands see. */
export const cliEnvironment = (env: Environment = {}) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...env
})

/** Ends the test if the command has ended with another exit code than it must. */
const expected = (
  words: ReadonlyArray<string>,
  exitCode: Options["exitCode"],
  ran: Ran
): Effect.Effect<Ran> => {
  const codes = [exitCode ?? 0].flat()
  return codes.some((code) => code === ran.exitCode)
    ? Effect.succeed(ran)
    : Effect.die(
        new Error(
          `The command ${words.join(" ")} ended with ${ran.exitCode}, not ${codes.join(" or ")}.\nstdout: ${ran.stdout}\nstderr: ${ran.stderr}`
        )
      )
}

/** A stream that records what is written to it. */
const kept = (): Output & { readonly text: () => string } => {
  let text = ""
  return {
    isTTY: false,
    write: (more, done) => {
      text += more
      done?.()
    },
    text: () => text
  }
}

/**
 * Runs a command to its end in this process, as `src/cli.ts` would, with its own environment, standard input
 * and outputs, with fast password hashing and long timeouts. Any other exit code than `exitCode` ends the test. Use `cliProcess` for anything that needs a process, such as a terminal, a signal or the working directory.
 */
export const cli = (
  words: ReadonlyArray<string>,
  { env, exitCode, stdin = "" }: Options = {}
): Effect.Effect<Ran> =>
  Effect.suspend(() => {
    const [stdout, stderr] = [kept(), kept()]
    let ended = -1
    return run(commandLine, words, (code) => {
      ended = code
    }).pipe(
      Effect.provideService(Surroundings, {
        environment: cliEnvironment(env),
        stdin: { isTTY: false, stream: () => new Blob([stdin]).stream() },
        stdout,
        stderr
      }),
      Effect.provide(Layer.merge(quickHashes, patient)),
      Effect.flatMap(() =>
        expected(words, exitCode, { exitCode: ended, stdout: stdout.text(), stderr: stderr.text() })
      )
    )
  })

/** Like {@link cli}, as a separate process, and with slow password hashing. */
export const cliProcess = (
  words: ReadonlyArray<string>,
  { cwd, env, exitCode, stdin }: ProcessOptions = {}
): Effect.Effect<Ran> =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [cliFile, ...words], {
      env: cliEnvironment(env),
      ...(cwd === undefined ? {} : { cwd }),
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"]
    })
    const closed = once(child, "close")
    let [stdout, stderr] = ["", ""]
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk
    })
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk
    })
    child.stdin?.end(stdin)
    await closed
    return { exitCode: child.exitCode ?? child.signalCode ?? "SIGKILL", stdout, stderr }
  }).pipe(Effect.flatMap((ran) => expected(words, exitCode, ran)))

/** The part of a command's environment that describes a database. */
export const onDatabase = (url: Redacted.Redacted<string>, more: Environment = {}): Options => ({
  env: {
    DATABASE_URL: Redacted.value(url),
    SECRET_KEY: "a secret key for tests, 32 bytes at least",
    BASE_URL: "https://doorlock.test",
    // A separate folder for each database, because its anchors belong to that database.
    DATA_DIR: join(tmpdir(), `doorlock-cli-${basename(new URL(Redacted.value(url)).pathname)}`),
    ...more
  }
})

/** What one check of `doctor` finds, whatever the others find. */
export const finding = (name: string, options: Omit<Options, "exitCode">): Effect.Effect<unknown> =>
  Effect.flatMap(cli(["doctor", "--json"], { ...options, exitCode: [0, 1] }), (ran) => {
    const found = [field(jsonOf(ran), "checks")].flat().find((check) => field(check, "name") === name)
    return found === undefined
      ? Effect.die(new Error(`doctor has not checked ${name}.\nstdout: ${ran.stdout}`))
      : Effect.succeed(found)
  })

/** The single JSON value on standard output; dies if there is anything else. */
export const jsonOf = ({ stdout }: Ran): unknown => JSON.parse(stdout)
