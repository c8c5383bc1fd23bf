import { Effect } from "effect"
import { TooManyRequests } from "./errors.ts"
import { networkPrefix, perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./shared-budget.ts"

/**
 * Limits how often an address, and its network, may attempt a costly operation, whether or not it succeeds:
 * `burst` attempts in a row, and `perMinute` sustained. `name` is unique per limit.
 */
export const attemptLimit = Effect.fnUntraced(function* (
  name: string,
  burst: number,
  perMinute: number,
  ofNetwork?: { readonly burst: number; readonly perMinute: number }
) {
  const budgets = [perAddress(yield* sharedBudget(name, burst, perMinute))]
  if (ofNetwork !== undefined) {
    const shared = yield* sharedBudget(`${name}, network`, ofNetwork.burst, ofNetwork.perMinute)
    budgets.push(perAddress(shared, networkPrefix))
  }
  return {
    /** Fails with `TooManyRequests` after too many attempts. A defect of `act` does not count. */
    limiting: <A, E, R>(clientAddress: string, act: Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | TooManyRequests, R> => {
        const retryAfterSeconds = Math.max(...budgets.map(({ waitSeconds }) => waitSeconds(clientAddress)))
        if (retryAfterSeconds > 0) return Effect.fail(new TooManyRequests({ retryAfterSeconds }))
        for (const { spend } of budgets) spend(clientAddress)
        const refund = Effect.sync(() => {
          for (const budget of budgets) budget.refund(clientAddress)
        })
        return Effect.tapDefect(act, () => refund)
      })
  }
})
