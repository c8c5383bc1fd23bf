/** Large bodies, of which each step keeps the process busy for some milliseconds. */
import { turnOfOthers } from "../../limits/turn-of-others.ts"

/** Runs what it is given one at a time, in the order in which it came; one that fails does so alone. */
export const oneAtATime = (): (<A>(run: () => Promise<A>) => Promise<A>) => {
  /** For whoever comes last. */
  let before: Promise<void> = Promise.resolve()
  return (run) => {
    const ran = before.then(run)
    const ended = () => {}
    before = ran.then(ended, ended)
    return ran
  }
}

const inTurn = oneAtATime()

/**
 * Takes a body in by two steps, and lets everything else have its turn after each of them. It is one body at a time: however many come
 * at once, nobody waits for more than one step of one of them, and what the first step makes of a body is held of one alone.
 */
export const inSteps = <A, B>(first: () => A, second: (made: A) => B): Promise<B> =>
  inTurn(async () => {
    try {
      const made = first()
      await turnOfOthers()
      return second(made)
    } finally {
      await turnOfOthers()
    }
  })
