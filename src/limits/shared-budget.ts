import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { monotonic } from "./clock.ts"
import { type ChangedBudget, type FailureBudget, failureBudget } from "./failure-budget.ts"

/** How the processes of one service tell each other what is taken from their budgets. */
export interface BudgetMessages {
  /** Tells the other processes that `change` was added to what `key` has left of a budget. */
  readonly tell: (budget: string, key: string, change: number) => void
  /** Calls `change` with every change of the budget that another process tells. */
  readonly hear: (budget: string, change: ChangedBudget["change"]) => void
}

/** Where budgets are told of, and heard. A process that is alone tells nobody and hears nothing. */
export class BudgetChannel extends Context.Reference<BudgetChannel>()("doorlock/limits/BudgetChannel", {
  defaultValue: (): BudgetMessages => ({ tell: () => {}, hear: () => {} })
}) {}

/**
 * A budget of failures that all workers of a service take from. The others know within a moment what one has taken.
 *
 * @param name the same in every process, and another for every budget
 */
export const sharedBudget = (name: string, burst: number, perMinute: number): Effect.Effect<FailureBudget> =>
  Effect.zipWith(BudgetChannel, monotonic, ({ hear, tell }, now) => {
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
