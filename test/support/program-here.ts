/**
 * Runs the whole program in this process and records its output, at a fraction of the cost of a separate
 * process.
 */
import { Effect, Layer, Redacted, type Scope } from "effect"
import { flushOutput } from "../../src/observability/output.ts"
import { programOf } from "../../src/process/program.ts"
import { Background } from "../../src/shared/background.ts"
import { standingBackground } from "./background.ts"
import { temporaryFolder } from "./postgres.ts"
import { type Environment, forTests, type RunningServer } from "./server.ts"

/** Captures this process's standard output and standard error until the scope closes. */
const outputHere: Effect.Effect<() => string, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      flushOutput()
      let text = ""
      const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }))
      for (const { stream } of streams) {
        stream.write = (chunk: unknown) => {
          text += String(chunk)
          return true
        }
      }
      return { streams, text: () => text }
    }),
    ({ streams }) =>
      Effect.sync(() => {
        flushOutput()
        for (const { stream, write } of streams) stream.write = write
      })
  ),
  ({ text }) =>
    () => {
      flushOutput()
      return text()
    }
)

export interface ProgramHere extends RunningServer {
  /** The address of each started service. */
  readonly urls: ReadonlyArray<string>
  /** All output so far, including that of the shutdown. */
  readonly output: () => string
}

/**
 * Starts the program on a database, with logs as text, and stops it with the scope. Only one can run at a
 * time, because everything that this process writes counts as its output.
 *
 * @param services how many services to start at once, each with its own connections
 */
export const startHere = (
  databaseUrl: Redacted.Redacted<string>,
  environment: Environment = {},
  services = 1
): Effect.Effect<ProgramHere, { readonly message: string }, Scope.Scope> =>
  Effect.gen(function* () {
    const output = yield* outputHere
    const program = programOf({
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: Redacted.value(databaseUrl),
      DATABASE_POOL: "3",
      SECRET_KEY: "a secret key for tests, 32 bytes at least",
      LOG_FORMAT: "pretty",
      DATA_DIR: yield* temporaryFolder,
      ...environment
    })
    const standing = Effect.sync(() => Layer.succeed(Background, standingBackground().background))
    const started = Effect.flatMap(standing, (background) =>
      Layer.build(Layer.fresh(Layer.provide(program, Layer.merge(forTests, background))))
    )
    yield* Effect.all(
      Array.from({ length: services }, () => started),
      { concurrency: "unbounded" }
    )
    const urls = [...output().matchAll(/doorlock listens on (\S+)/g)].map(
      ([, address]) => `http://${address}`
    )
    return { url: urls[0] ?? "", urls, databaseUrl, output }
  })
