import * as Effect from "effect/Effect"
import { TooManyRequests } from "./errors.ts"
import { perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./spending.ts"

/** Limits by address what costs the service something, however it ends. */
export interface Tries {
  /** `act`; `TooManyRequests` instead of it when the address has had too many of them. A fault of ours does not count. */
  readonly limiting: <A, E, R>(
    clientAddress: string,
    act: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

/**
 * @param name of what is tried, another for each
 * @param burst tries in a row that are let pass
 * @param perMinute tries a minute that are let pass in the long run
 */
export const tries = (name: string, burst: number, perMinute: number): Effect.Effect<Tries> =>
  Effect.map(Effect.map(sharedBudget(name, burst, perMinute), perAddress), (budget) => ({
    limiting: <A, E, R>(clientAddress: string, act: Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | TooManyRequests, R> => {
        const retryAfterSeconds = budget.spend(clientAddress)
        if (retryAfterSeconds > 0) return Effect.fail(new TooManyRequests({ retryAfterSeconds }))
        return Effect.tapDefect(act, () => Effect.sync(() => budget.refund(clientAddress)))
      })
  }))
