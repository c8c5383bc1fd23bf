/** In which order files are examined. */
import { failureBudget, network } from "../../limits/failure-budget.ts"
import type { Lane } from "../../limits/fair-queue.ts"

/** For whom a file is examined. */
export interface Whose {
  readonly company: string
  readonly session: string
}

/** Processes at once, of this one, and files that wait for one. */
export const queueBounds = { atOnce: 2, waiting: 256, patience: "30 seconds" } as const

/** Milliseconds of a processor's time that are remembered as used. */
const mostUsed = 600_000

/** Of these are forgotten in a minute: a tenth of a processor. */
const forgottenPerMinute = 6_000

/**
 * Where files wait, and what was used for whom. Where sign-up is open, companies are free, so that those of one network of clients
 * have their turns together. Whoever has used the least lately comes first, since one file takes a hundred times as long as another.
 *
 * @param now milliseconds on a clock that is never set
 */
export const examinationTurns = (now: () => number) => {
  const left = failureBudget(mostUsed, forgottenPerMinute, now)
  /** Grows with what is missing of the budget: it is the time until nothing is. */
  const used = (name: string) => () => left.waitSeconds(name, mostUsed - 1)

  /** The lanes of a file. A page uploads one after the other, so that a session needs few places of its company's. */
  const lanesOf = ({ company, session }: Whose, address: string): ReadonlyArray<Lane> => {
    const from = network(address)
    return [
      { name: from, used: used(from) },
      { name: company, waiting: 64, used: used(company) },
      { name: session, atOnce: 1, waiting: 8, used: used(session) }
    ]
  }

  /** Remembers that a file took that many milliseconds of a processor's time. */
  const spend = (lanes: ReadonlyArray<Lane>, millis: number): void => {
    for (const { name } of lanes) left.change(name, -millis)
  }

  return { lanesOf, spend }
}
