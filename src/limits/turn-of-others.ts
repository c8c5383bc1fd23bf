import { Effect } from "effect"

/**
 * Lets everything else that waits take its turn, including requests. For work that blocks the process for milliseconds at a time: a fiber's
 * yield lets only other fibers run.
 */
export const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** {@link turnOfOthers} as an effect. */
export const pause: Effect.Effect<void> = Effect.promise(turnOfOthers)
