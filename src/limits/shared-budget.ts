import { Context, Effect } from "effect"
import { type ChangedBudget, type FailureBudget, failureBudget, monotonic } from "./failure-budget.ts"

export interface BudgetMessages {
  /** Sends a change of what `key` has left to the other processes. */
  readonly tell: (budget: string, key: string, change: number) => void
  /** Calls `change` for every change that another process sends. */
  readonly hear: (budget: string, change: ChangedBudget["change"]) => void
}

/** A process without others sends and receives nothing. */
export class BudgetChannel extends Context.Reference<BudgetChannel>()("doorlock/limits/BudgetChannel", {
  defaultValue: (): BudgetMessages => ({ tell: () => {}, hear: () => {} })
}) {}

/** Shared by all workers of a service; changes arrive within moments. `name` is unique per budget. */
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
