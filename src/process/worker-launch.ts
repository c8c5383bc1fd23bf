/** The program of a serving process of `workers/supervisor`, which passes its settings in the environment. */
import { Effect, Layer } from "effect"
import { Listening, SharedPort } from "../http/runtime/listening.ts"
import * as budgetChanges from "../workers/budget-changes.ts"
import * as reporting from "../workers/reporting.ts"
import { launch } from "./launch.ts"
import { workerOf } from "./program.ts"

const report = Layer.effectDiscard(
  Effect.flatMap(Listening, ({ hostname, port }) => reporting.tell({ _tag: "Ready", hostname, port }))
)

/** @param provided what the worker is to use instead of a default */
export const launchWorker = (provided: Layer.Layer<never> = Layer.empty): void => {
  const program = report.pipe(
    Layer.provide(workerOf(process.env)),
    Layer.provide(Layer.mergeAll(Layer.succeed(SharedPort, true), reporting.layer, budgetChanges.layer)),
    Layer.provide(provided)
  )

  // Without the supervisor, nobody else would stop this process, and its database may be gone.
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))

  launch(program, (sentence) => reporting.tell({ _tag: "CannotStart", sentence }))
}
