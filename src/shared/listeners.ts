import { Effect, type Scope } from "effect"

/** Functions of this process that are called whenever something happens. */
export class Listeners<A = void> {
  readonly #all = new Set<(happened: A) => void>()

  /** Calls each of them, before it returns. */
  tell(happened: A): void {
    for (const listener of this.#all) listener(happened)
  }

  /** Until the scope ends. */
  add(listener: (happened: A) => void): Effect.Effect<void, never, Scope.Scope> {
    return Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => void this.#all.add(listener)),
        () => Effect.sync(() => void this.#all.delete(listener))
      )
    )
  }
}
