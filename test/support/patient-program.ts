/** `bun start` with the timeouts of tests, also in its workers. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { launch } from "../../src/process/launch.ts"
import { programOf } from "../../src/process/program.ts"
import { WorkerFile } from "../../src/workers/supervisor.ts"
import { patient } from "./run/timeouts.ts"

const worker = join(import.meta.dirname, "patient-worker.ts")

launch(
  Layer.provide(programOf(process.env), Layer.merge(patient, Layer.succeed(WorkerFile, worker))),
  (sentence) => Effect.sync(() => void process.stderr.write(`doorlock: ${sentence}\n`))
)
