import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { eventually } from "./eventually.ts"
import type { Environment } from "./server.ts"

/** The program as a user starts it, in a process of its own. */
export interface Program {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string
  readonly databaseUrl: Redacted.Redacted<string>
  readonly pid: number
  /** What it has written to standard output and standard error so far. */
  readonly output: () => string
}

/** Starts `src/main.ts` on the database, and waits until it listens; it is stopped with the scope. */
export const startMain = (
  databaseUrl: Redacted.Redacted<string>,
  environment: Environment = {}
): Effect.Effect<Program, Error, Scope.Scope> =>
  Effect.gen(function* () {
    let output = ""
    const collect = async (stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder()
      for await (const chunk of stream) output += decoder.decode(chunk, { stream: true })
    }
    const { child } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = Bun.spawn([process.execPath, "src/main.ts"], {
          cwd: `${import.meta.dirname}/../..`,
          env: {
            PATH: process.env.PATH,
            PORT: "0",
            HOST: "127.0.0.1",
            DATABASE_URL: Redacted.value(databaseUrl),
            DATABASE_POOL: "3",
            SECRET_KEY: "a secret key for tests, 32 bytes at least",
            ...environment
          },
          stdout: "pipe",
          stderr: "pipe"
        })
        return { child, read: Promise.all([collect(child.stdout), collect(child.stderr)]) }
      }),
      ({ child, read }) =>
        Effect.promise(async () => {
          child.kill("SIGTERM")
          // A test may have paused it.
          child.kill("SIGCONT")
          await child.exited
          await read
        })
    )
    const port = () => /doorlock listens on 127\.0\.0\.1:(\d+) /.exec(output)?.[1]
    yield* eventually(
      "the program listens",
      15_000,
      Effect.sync(() => port() !== undefined)
    ).pipe(Effect.mapError((error) => new Error(`${error.message}; it wrote: ${output}`)))
    return { url: `http://127.0.0.1:${port()}`, databaseUrl, pid: child.pid, output: () => output }
  })
