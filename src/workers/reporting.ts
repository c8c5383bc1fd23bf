import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Family } from "../observability/figures.ts"
import { figures } from "../observability/meters.ts"
import { AllFigures } from "../operations/all-figures.ts"
import { type FromWorker, OfFigures } from "./messages.ts"

/** Milliseconds between two reports: what a worker that is killed had counted since is lost. */
const interval = 1_000

/** How long the process that runs the workers may take to ask them all. */
const patience = "2 seconds"

/** Tells the process that runs this one something. */
export const tell = (message: FromWorker): Effect.Effect<void> =>
  Effect.async((resume) => {
    process.send?.(message, undefined, undefined, () => resume(Effect.void))
  })

/** Of others it looks at no more than what they are: they come often, and may be long. */
const isOfFigures = Schema.is(OfFigures)

/** Reports this worker's figures to the process that runs it, and asks that one for those of all. */
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
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        process.on("message", onMessage)
        return setInterval(() => send({ _tag: "Figures", families: figures() }), interval)
      }),
      (timer) =>
        Effect.suspend(() => {
          clearInterval(timer)
          process.off("message", onMessage)
          return tell({ _tag: "Figures", families: figures() })
        })
    )

    return {
      collect: Effect.async<ReadonlyArray<Family>>((resume) => {
        const id = ++asked
        waiting.set(id, (families) => {
          waiting.delete(id)
          resume(Effect.succeed(families))
        })
        send({ _tag: "Collect", id })
        return Effect.sync(() => void waiting.delete(id))
      }).pipe(Effect.timeout(patience), Effect.orDie)
    }
  })
)
