import { Context, Effect } from "effect"
import { monotonic } from "./clock.ts"
import { type ChangedBudget, type FailureBudget, failureBudget } from "./failure-budget.ts"

/** How the processes of one service share what is taken from their budgets. */
export interface BudgetMessages {
  /** Sends the other processes a change to what `key` has left in a budget. */
  readonly tell: (budget: string, key: string, change: number) => void
  /** Calls `change` for every change to the budget that another process sends. */
  readonly hear: (budget: string, change: ChangedBudget["change"]) => void
}

/** The channel for budget changes. A process without others sends and receives nothing. */
export class BudgetChannel extends Context.Reference<BudgetChannel>()("doorlock/limits/BudgetChannel", {
  defaultValue: (): BudgetMessages => ({ tell: () => {}, hear: () => {} })
}) {}

/**
 * A budget of failures that all workers of a service share. A change in one worker reaches the others within moments.
 *
 * @param name the same in every process; unique per budget
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
