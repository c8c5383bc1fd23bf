/** Schedules large bodies: each step of handling one blocks the process for milliseconds. */
import { FairQueue } from "../../limits/fair-queue.ts"
import { turnOfOthers } from "../../limits/turn-of-others.ts"

/** From this size on, parsing or checking a body blocks the process for milliseconds. */
export const largeBytes = 65_536

/** The memory budget for bodies bounds this queue too. */
const bodies = new FairQueue({ atOnce: 1 })

/**
 * Handles large bodies one at a time, so that only one is in memory as parsed objects. Turns rotate between
 * holders. Returns how to leave the queue before the turn. `take` must not fail.
 */
export const enterLarge = (holder: string, take: () => Promise<void>): (() => void) =>
  bodies.enter([{ name: holder }], { begin: (end) => void take().finally(end), refuse: () => {} })

/** Runs two steps and yields to other requests after each. */
export const inSteps = async <A, B>(first: () => A, second: (made: A) => B): Promise<B> => {
  try {
    const made = first()
    await turnOfOthers()
    return second(made)
  } finally {
    await turnOfOthers()
  }
}
