import { Effect, Layer, Schema } from "effect"
import type { Family } from "../observability/figures.ts"
import { figures } from "../observability/meters.ts"
import { AllFigures } from "../operations/all-figures.ts"
import { type FromWorker, OfFigures } from "./messages.ts"

/** Milliseconds between reports. A killed worker loses its counts since the last one. */
const interval = 1_000

/** How long the supervisor may take to ask all workers. */
const timeout = "2 seconds"

export const tell = (message: FromWorker): Effect.Effect<void> =>
  Effect.async((resume) => {
    process.send?.(message, undefined, undefined, () => resume(Effect.void))
  })

/** Until the scope ends, passes on the supervisor's messages and calls `tick` every `interval` ms. */
export const connected = (onMessage: (message: unknown) => void, tick: () => void, interval: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      process.on("message", onMessage)
      return setInterval(tick, interval)
    }),
    (timer) =>
      Effect.sync(() => {
        clearInterval(timer)
        process.off("message", onMessage)
      })
  )

/** Not decoded: messages are frequent and may be long. */
const isOfFigures = Schema.is(OfFigures)

/** Reports this worker's metrics to the supervisor, and gets everybody's from it. */
export const layer = Layer.scoped(
  AllFigures,
  Effect.gen(function* () {
    const waiting = new Map<number, (families: ReadonlyArray<Family>) => void>()
    let asked = 0

    const send = (message: FromWorker) => void process.send?.(message)
    const onMessage = (message: unknown) => {
      if (!isOfFigures(message)) return
      if (message._tag === "Report") send({ _tag: "Figures", families: figures(), report: message.id })
      else waiting.get(message.id)?.(message.families)
    }
    yield* Effect.addFinalizer(() => tell({ _tag: "Figures", families: figures() }))
    yield* connected(onMessage, () => send({ _tag: "Figures", families: figures() }), interval)

    return {
      collect: Effect.async<ReadonlyArray<Family>>((resume) => {
        const id = ++asked
        waiting.set(id, (families) => {
          waiting.delete(id)
          resume(Effect.succeed(families))
        })
        send({ _tag: "Collect", id })
        return Effect.sync(() => void waiting.delete(id))
      }).pipe(Effect.timeout(timeout), Effect.orDie)
    }
  })
)
