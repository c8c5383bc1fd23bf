import { Context, Effect, Layer } from "effect"

/** Whether the process still accepts work. */
export class Lifecycle extends Context.Tag("Lifecycle")<
  Lifecycle,
  {
    readonly isDraining: () => boolean
    /** From now on, `/readyz` returns 503 and responses close their connections. */
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
