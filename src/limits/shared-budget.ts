import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { monotonic } from "./clock.ts"
import { type ChangedBudget, type FailureBudget, failureBudget } from "./failure-budget.ts"

/** What the processes of one service tell each other about what is taken from their budgets. */
export interface Spends {
  /** Tells the other processes that `change` was added to what `key` has left of a budget. */
  readonly tell: (budget: string, key: string, change: number) => void
  /** Has what the others tell of a budget heard. */
  readonly hear: (budget: string, change: ChangedBudget["change"]) => void
}

/** Without other processes, nobody is told and nothing heard. */
export class Spending extends Context.Reference<Spending>()("doorlock/limits/Spending", {
  defaultValue: (): Spends => ({ tell: () => {}, hear: () => {} })
}) {}

/**
 * A budget of failures that all workers of a service take from: what one spends the others know a moment later.
 *
 * @param name the same in every process, and another for every budget
 */
export const sharedBudget = (name: string, burst: number, perMinute: number): Effect.Effect<FailureBudget> =>
  Effect.zipWith(Spending, monotonic, ({ hear, tell }, now) => {
    const { change, ...budget } = failureBudget(burst, perMinute, now)
    hear(name, change)
    return {
      ...budget,
      spend: (key, kept) => {
        const seconds = budget.spend(key, kept)
        if (seconds === 0) tell(name, key, -1)
        return seconds
      },
      refund: (key) => {
        budget.refund(key)
        tell(name, key, 1)
      }
    }
  })
