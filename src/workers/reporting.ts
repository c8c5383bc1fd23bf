import { Cause, Effect, Layer, Schema } from "effect"
import type { Family } from "../observability/figures.ts"
import { figures } from "../observability/meters.ts"
import { AllFigures } from "../operations/all-figures.ts"
import type { PauseName } from "../shared/times.ts"
import { Timing } from "../shared/timing.ts"
import { type FromWorker, OfFigures } from "./messages.ts"

export const tell = (message: FromWorker): Effect.Effect<void> =>
  Effect.async((resume) => {
    process.send?.(message, undefined, undefined, () => resume(Effect.void))
  })

/** Until the scope ends, passes on the supervisor's messages and calls `tick` after each such pause. */
export const connected = (onMessage: (message: unknown) => void, tick: () => void, pause: PauseName) =>
  Effect.flatMap(Timing, ({ every }) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        process.on("message", onMessage)
        return every(pause, tick)
      }),
      (timer) =>
        Effect.sync(() => {
          timer.cancel()
          process.off("message", onMessage)
        })
    )
  )

/** Not decoded: messages are frequent and may be long. */
const isOfFigures = Schema.is(OfFigures)

/** Reports this worker's metrics to the supervisor, and gets everybody's from it. */
export const layer = Layer.scoped(
  AllFigures,
  Effect.gen(function* () {
    const { withinOr } = yield* Timing
    const waiting = new Map<number, (families: ReadonlyArray<Family>) => void>()
    let asked = 0

    const send = (message: FromWorker) => void process.send?.(message)
    const onMessage = (message: unknown) => {
      if (!isOfFigures(message)) return
      if (message._tag === "Report") send({ _tag: "Figures", families: figures(), report: message.id })
      else waiting.get(message.id)?.(message.families)
    }
    yield* Effect.addFinalizer(() => tell({ _tag: "Figures", families: figures() }))
    yield* connected(onMessage, () => send({ _tag: "Figures", families: figures() }), "workers.report")

    return {
      collect: withinOr(
        "workers.collect",
        Effect.async<ReadonlyArray<Family>>((resume) => {
          const id = ++asked
          waiting.set(id, (families) => {
            waiting.delete(id)
            resume(Effect.succeed(families))
          })
          send({ _tag: "Collect", id })
          return Effect.sync(() => void waiting.delete(id))
        }),
        () => new Cause.TimeoutException("The supervisor has not collected the metrics in time")
      ).pipe(Effect.orDie)
    }
  })
)
