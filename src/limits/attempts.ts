import { Effect } from "effect"
import { TooManyRequests } from "./errors.ts"
import { network, perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./shared-budget.ts"

/**
 * Limits how often an address may attempt a costly operation, whether it succeeds or fails.
 *
 * @param name names the limited operation; unique per limit
 * @param burst attempts in a row allowed per address
 * @param perMinute sustained attempts a minute allowed per address
 * @param ofNetwork the same limits for a whole network, if networks are limited too
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
    budgets.push(perAddress(shared, network))
  }
  return {
    /** Runs `act`, or fails with `TooManyRequests` after too many attempts. A fault of the service does not count as an attempt. */
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
