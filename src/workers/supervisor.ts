import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { Context, Data, Deferred, Effect, FiberId, Layer, Redacted, Schema } from "effect"
import { Config, type Configuration } from "../config.ts"
import { DatabaseAccess } from "../db/postgres.ts"
import { addressesOf, type ListenFailed, Listening, listenFailed } from "../http/runtime/listening.ts"
import { workerRestarts } from "../observability/metrics.ts"
import * as storedKey from "../secrets/stored-key.ts"
import { probePort } from "../shared/port.ts"
import { Timing } from "../shared/timing.ts"
import { FromWorker, type ToWorker } from "./messages.ts"
import { sending } from "./sending.ts"
import { WorkerFigures } from "./worker-figures.ts"

/** A worker cannot serve; the message is a sentence that says why. */
class WorkerFailed extends Data.TaggedError("WorkerFailed")<{ readonly message: string }> {}

/** What a worker runs. */
export class WorkerFile extends Context.Reference<WorkerFile>()("doorlock/workers/WorkerFile", {
  defaultValue: () => join(import.meta.dirname, "../process/worker.ts")
}) {}

/** The workers' port. Processes of the same user could share it unnoticed, so check that none does. */
const claimPort = (
  { host, port }: Configuration,
  { spaced, upTo }: Timing["Type"]
): Effect.Effect<number, ListenFailed> =>
  Effect.reduce(addressesOf(host), port, (claimed, address) => probePort(address, claimed)).pipe(
    Effect.retry({
      while: (error) => "code" in error && error.code === "EADDRINUSE",
      schedule: upTo("workers.port", spaced("workers.port"))
    }),
    Effect.mapError((cause) => listenFailed({ host, port }, cause))
  )

/** This process's environment, plus what only this process can determine. */
const environmentOf = (
  config: Configuration,
  port: number,
  databaseUrl: Redacted.Redacted<string>,
  secretKey: Redacted.Redacted<string> | undefined
): NodeJS.ProcessEnv => ({
  ...process.env,
  PORT: String(port),
  DATABASE_URL: Redacted.value(databaseUrl),
  ...(secretKey === undefined ? {} : { SECRET_KEY: Redacted.value(secretKey) }),
  // Their defaults depend on whether the database is embedded, which a worker cannot tell.
  HOST: config.host,
  SIGNUP: config.signupOpen ? "open" : "closed",
  KYC_DEV_MODE: config.devModeAllowed ? "allow" : "refuse",
  GATEWAY_ALLOW_PRIVATE_UPSTREAMS: String(config.allowPrivateUpstreams),
  // A worker's output is a pipe.
  LOG_FORMAT: config.logFormat
})

/** Forwards output in whole lines, so that those of concurrent processes do not mix. */
const relay = (child: ChildProcess): void => {
  let rest = ""
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const end = chunk.lastIndexOf("\n") + 1
    if (end === 0) {
      rest += chunk
      return
    }
    process.stdout.write(rest + chunk.slice(0, end))
    rest = chunk.slice(end)
  })
}

interface Worker {
  readonly child: ChildProcess
  readonly send: (message: ToWorker) => void
  readonly ready: Deferred.Deferred<typeof Listening.Service, WorkerFailed>
  /** With its exit code or signal. */
  readonly ended: Deferred.Deferred<number | string>
}

const decode = Schema.decodeUnknownSync(FromWorker)

/** @param hear called with its other messages */
const start = (
  file: string,
  environment: NodeJS.ProcessEnv,
  hear: (said: Exclude<FromWorker, { readonly _tag: "Ready" | "CannotStart" }>) => void
): Effect.Effect<Worker> =>
  Effect.sync(() => {
    const ready = Deferred.unsafeMake<typeof Listening.Service, WorkerFailed>(FiberId.none)
    const ended = Deferred.unsafeMake<number | string>(FiberId.none)
    const child = spawn(process.execPath, [file], {
      env: environment,
      stdio: ["ignore", "pipe", "inherit", "ipc"]
    })
    const end = (how: number | string) => {
      const message = `A worker ended (${how}) before it could serve.`
      Deferred.unsafeDone(ready, Effect.fail(new WorkerFailed({ message })))
      Deferred.unsafeDone(ended, Effect.succeed(how))
    }
    relay(child)
    child.on("message", (message) => {
      const said = decode(message)
      if (said._tag === "Ready") {
        Deferred.unsafeDone(ready, Effect.succeed({ hostname: said.hostname, port: said.port }))
      } else if (said._tag === "CannotStart") {
        Deferred.unsafeDone(ready, Effect.fail(new WorkerFailed({ message: said.sentence })))
      } else hear(said)
    })
    child.on("error", (error) => end(error.message))
    // Unlike "exit", "close" comes after the last output.
    child.on("close", (code, signal) => end(code ?? signal ?? "for no reason"))
    return { child, send: sending(child), ready, ended }
  })

/** Stops a worker gracefully. A non-zero exit code becomes this process's own. */
const stop = ({ child, ended }: Worker, { within }: Timing["Type"]): Effect.Effect<void> =>
  Effect.gen(function* () {
    child.kill("SIGTERM")
    const how = yield* within("workers.stop", Effect.interruptible(Deferred.await(ended)))
    if (how._tag === "None") {
      yield* Effect.logWarning(`Worker ${child.pid} does not stop; killing it`)
      child.kill("SIGKILL")
    } else if (typeof how.value === "number" && how.value !== 0) process.exitCode = how.value
  })

/**
 * Runs `WORKERS` processes on one port until the scope closes; they stop before the embedded database does.
 * Fails if one cannot start at first. One that dies later is replaced after a delay.
 */
export const layer = Layer.scoped(
  Listening,
  Effect.gen(function* () {
    const config = yield* Config
    const file = yield* WorkerFile
    const timing = yield* Timing
    const environment = environmentOf(
      config,
      yield* claimPort(config, timing),
      (yield* DatabaseAccess).url,
      config.role === "gateway" ? undefined : yield* storedKey.root
    )
    const workers = new Map<number, Worker>()
    const figures = new WorkerFigures(timing, (message) => {
      for (const worker of workers.values()) worker.send(message)
      return [...workers.keys()]
    })
    yield* Effect.addFinalizer(() =>
      Effect.forEach(workers.values(), (worker) => stop(worker, timing), {
        concurrency: "unbounded",
        discard: true
      })
    )
    const startNumber = (number: number) =>
      start(file, environment, (said) => {
        if (said._tag === "Figures") figures.reported(number, said.families, said.report)
        else if (said._tag === "BudgetChanges") {
          for (const [other, worker] of workers) if (other !== number) worker.send(said)
        } else
          void figures
            .collect()
            .then((families) => workers.get(number)?.send({ _tag: "Collected", id: said.id, families }))
      }).pipe(
        Effect.tap((worker) => Effect.sync(() => workers.set(number, worker))),
        Effect.uninterruptible
      )

    const supervise = (number: number, started: Worker) =>
      Effect.gen(function* () {
        let worker = started
        const first = timing.pause("workers.restart")
        let pause = first
        for (;;) {
          const began = performance.now()
          const how = yield* Deferred.await(worker.ended)
          workers.delete(number)
          figures.ended(number)
          workerRestarts.add()
          if (performance.now() - began >= timing.pause("workers.settled")) pause = first
          yield* Effect.logWarning(
            `Worker ${worker.child.pid} ended unexpectedly (${how}); starting another in ${pause / 1_000} s`
          )
          yield* timing.sleep(pause)
          pause = Math.min(2 * pause, timing.pause("workers.longest_restart"))
          worker = yield* startNumber(number)
          yield* Deferred.await(worker.ready).pipe(
            Effect.catchAll(({ message }) => Effect.logError(`A worker cannot start: ${message}`))
          )
        }
      })

    const numbers = Array.from({ length: config.workers }, (_, index) => index + 1)
    const listening = yield* Effect.forEach(
      numbers,
      (number) => Effect.flatMap(startNumber(number), ({ ready }) => Deferred.await(ready)),
      { concurrency: "unbounded" }
    )
    for (const [number, worker] of workers) yield* Effect.forkScoped(supervise(number, worker))
    return listening[0] ?? (yield* Effect.dieMessage("There is no worker"))
  })
)
