import * as Effect from "effect/Effect"
import { TooManyRequests } from "./errors.ts"
import { network, perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./shared-budget.ts"

/** Limits by address how often something is attempted that costs the service something, however it ends. */
interface AttemptLimit {
  /** `act`, or `TooManyRequests` in its place after too many attempts. A fault of ours does not count. */
  readonly limiting: <A, E, R>(
    clientAddress: string,
    act: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

/**
 * @param name of what is attempted, another for each
 * @param burst attempts of an address in a row that are let pass
 * @param perMinute attempts of an address a minute that are let pass in the long run
 * @param ofNetwork the same for all addresses of a network together, if that is limited too
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
  } satisfies AttemptLimit
})
