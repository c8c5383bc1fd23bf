import { Effect } from "effect"
import { Listeners } from "../shared/listeners.ts"

/** Tells this process's dispatcher that a job may be due, so that it does not wait for its next poll. */
export class WorkSignal extends Effect.Service<WorkSignal>()("WorkSignal", {
  sync: () => {
    const listeners = new Listeners()
    return {
      /** Call it after the commit: `afterCommit(wake)`. */
      wake: (): void => listeners.tell(),

      /** Until the scope ends. */
      onWake: (listener: () => void) => listeners.add(listener)
    }
  }
}) {}
