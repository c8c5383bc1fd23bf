import * as Effect from "effect/Effect"

/**
 * Lets everything else that waits have its turn, requests among it. For work that keeps the process busy for milliseconds at a time: a
 * yield of a fiber lets other fibers alone have theirs.
 */
export const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** As {@link turnOfOthers}. */
export const pause: Effect.Effect<void> = Effect.promise(turnOfOthers)
