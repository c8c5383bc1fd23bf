/** Large bodies, of which each step keeps the process busy for some milliseconds. */
import { FairQueue } from "../../limits/fair-queue.ts"
import { turnOfOthers } from "../../limits/turn-of-others.ts"

/** What waits is bounded by what may be held of bodies. */
const bodies = new FairQueue({ atOnce: 1 })

/**
 * Has a large body taken in when its turn comes. It is one body at a time, so that what is made of a body is held of one alone; and the
 * turns go round those who the bodies are held for, so that nobody waits for all that another has sent.
 *
 * @param take must not fail
 * @returns has it give up its place; after its turn has begun, that does nothing
 */
export const enterLarge = (holder: string, take: () => Promise<void>): (() => void) =>
  bodies.enter([{ name: holder }], { begin: (end) => void take().finally(end), refuse: () => {} })

/** Takes a body in by two steps, and lets everything else have its turn after each of them. */
export const inSteps = async <A, B>(first: () => A, second: (made: A) => B): Promise<B> => {
  try {
    const made = first()
    await turnOfOthers()
    return second(made)
  } finally {
    await turnOfOthers()
  }
}
