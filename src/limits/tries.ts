import * as Effect from "effect/Effect"
import { TooManyRequests } from "./errors.ts"
import { perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./spending.ts"

/** Limits by address what is tried. */
export interface Tries {
  /** `act`; `TooManyRequests` instead of it when the address has had too many tries. A fault of ours does not count. */
  readonly limiting: <A, E, R>(
    clientAddress: string,
    act: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

/**
 * Limits what costs the service something, however it ends.
 *
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

/**
 * Limits what may go well as often as it likes, and tells something when it fails: only failures count. Tries that are made at once
 * all begin; the failures of those that are too many are answered `TooManyRequests`.
 *
 * @param name of what is tried, another for each
 * @param burst failures in a row that are let pass
 * @param perMinute failures a minute that are let pass in the long run
 */
export const failingTries = (name: string, burst: number, perMinute: number): Effect.Effect<Tries> =>
  Effect.map(Effect.map(sharedBudget(name, burst, perMinute), perAddress), (budget) => ({
    limiting: <A, E, R>(clientAddress: string, act: Effect.Effect<A, E, R>) => {
      const unless = <F>(retryAfterSeconds: number, otherwise: Effect.Effect<A, F, R>) =>
        retryAfterSeconds > 0 ? Effect.fail(new TooManyRequests({ retryAfterSeconds })) : otherwise
      const counted = Effect.catchAll(act, (error) =>
        unless<E | TooManyRequests>(budget.spend(clientAddress), Effect.fail(error))
      )
      return Effect.suspend(() => unless<E | TooManyRequests>(budget.waitSeconds(clientAddress), counted))
    }
  }))
