import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Whether the process is still meant to be given new work. */
export class Lifecycle extends Context.Tag("Lifecycle")<
  Lifecycle,
  {
    readonly isDraining: () => boolean
    /** From here on `/readyz` answers 503 and connections end with their answer. */
    readonly startDraining: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.sync(Lifecycle, () => {
    let draining = false
    return {
      isDraining: () => draining,
      startDraining: Effect.sync(() => {
        draining = true
      })
    }
  })
}
