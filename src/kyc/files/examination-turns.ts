/** The order in which files are examined. */
import { failureBudget, networkPrefix } from "../../limits/failure-budget.ts"
import type { Lane } from "../../limits/fair-queue.ts"

export interface Whose {
  readonly company: string
  readonly session: string
}

export const queueBounds = { atOnce: 2, waiting: 256 } as const

/** The most CPU time, in milliseconds, that is remembered as used. */
const mostUsed = 600_000

/** How many of those milliseconds are forgotten per minute: a tenth of one CPU. */
const forgottenPerMinute = 6_000

/**
 * Assigns files to queue lanes by the CPU time lately used, because one file can take a hundred times as long
 * as another. Companies behind one client network share a lane: where sign-up is open, anyone can create
 * companies for free.
 *
 * @param now milliseconds on a monotonic clock
 */
export const examinationTurns = (now: () => number) => {
  const left = failureBudget(mostUsed, forgottenPerMinute, now)
  /** Grows with the CPU time used: the time until the budget is full again. */
  const used = (name: string) => () => left.waitSeconds(name, mostUsed - 1)

  /** A page uploads its files one after another, so a session needs few of its company's places. */
  const lanesOf = ({ company, session }: Whose, address: string): ReadonlyArray<Lane> => {
    const from = networkPrefix(address)
    return [
      { name: from, used: used(from) },
      { name: company, waiting: 64, used: used(company) },
      { name: session, atOnce: 1, waiting: 8, used: used(session) }
    ]
  }

  const spend = (lanes: ReadonlyArray<Lane>, millis: number): void => {
    for (const { name } of lanes) left.change(name, -millis)
  }

  return { lanesOf, spend }
}
