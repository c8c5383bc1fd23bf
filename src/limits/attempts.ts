import * as Effect from "effect/Effect"
import { TooManyRequests } from "./errors.ts"
import { network, perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./shared-budget.ts"

/** Limits by address what costs the service something, however it ends. */
export interface Tries {
  /** `act`; `TooManyRequests` instead of it when there have been too many tries. A fault of ours does not count. */
  readonly limiting: <A, E, R>(
    clientAddress: string,
    act: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

/**
 * @param name of what is tried, another for each
 * @param burst tries of an address in a row that are let pass
 * @param perMinute tries of an address a minute that are let pass in the long run
 * @param ofNetwork the same for all addresses of a network together, if that is limited too
 */
export const tries = Effect.fnUntraced(function* (
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
  } satisfies Tries
})
