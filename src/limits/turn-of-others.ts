import { Effect } from "effect"

/**
 * Lets everything else that waits take its turn, for work that blocks the process for milliseconds at a time.
 * A fiber's yield would let only other fibers run, not requests.
 */
export const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const pause: Effect.Effect<void> = Effect.promise(turnOfOthers)
