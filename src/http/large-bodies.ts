/** Large bodies, of which each step keeps the process busy for some milliseconds. */
import { turnOfOthers } from "../limits/turn-of-others.ts"

/** For whoever comes last. */
let before: Promise<void> = Promise.resolve()

/**
 * Takes a body in by two steps, and lets everything else have its turn after each of them. It is one body at a time: however many come
 * at once, nobody waits for more than one step of one of them, and what the first step makes of a body is held of one alone.
 */
export const inSteps = <A, B>(first: () => A, second: (made: A) => B): Promise<B> => {
  const take = async (): Promise<B> => {
    try {
      const made = first()
      await turnOfOthers()
      return second(made)
    } finally {
      await turnOfOthers()
    }
  }
  const taken = before.then(take)
  const ended = () => {}
  before = taken.then(ended, ended)
  return taken
}
