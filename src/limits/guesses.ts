import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { LRUCache } from "lru-cache"
import { monotonic } from "./clock.ts"
import { TooManyRequests } from "./errors.ts"
import { perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./shared-budget.ts"

/**
 * What an address may get wrong before it has to wait: 100 in a row, and 60 a minute. Far more than whoever follows an old
 * link or has an old key in a forgotten script, far less than is felt by the database.
 */
const wrong = { burst: 100, perMinute: 60 } as const

/**
 * How many keys of an address may be looked up in vain before none is looked up any more: 300 in a row, and ten a second. Good keys
 * of others behind the same address then have to wait as well, unless they are remembered; so it takes a flood to get there, and not
 * somebody who goes on guessing. Each is one query by an index.
 */
const inVain = { burst: 300, perMinute: 600 } as const

const budgetOf = (name: string, { burst, perMinute }: typeof wrong | typeof inVain) =>
  Effect.map(sharedBudget(name, burst, perMinute), perAddress)

/**
 * Who is over a budget waits for being told so, in milliseconds at least and at most: on a connection it can then ask some three times a
 * second, and good requests do not queue behind its. Never equally long, so that those who were told at once do not ask again
 * at once.
 */
export class RefusalDelay extends Context.Reference<RefusalDelay>()("doorlock/limits/RefusalDelay", {
  defaultValue: () => ({ least: 250, most: 500 })
}) {}

/** So many wait at a time, at most: the memory of this process is not theirs to take. */
const places = 2_000

const lateRefusals = Effect.map(RefusalDelay, ({ least, most }) => {
  let waiting = 0
  const enter = Effect.sync(() => void waiting++)
  const leave = Effect.sync(() => void waiting--)
  return (retryAfterSeconds: number): Effect.Effect<never, TooManyRequests> =>
    Effect.suspend(() => {
      const refusal = new TooManyRequests({ retryAfterSeconds })
      return waiting < places
        ? Effect.acquireUseRelease(
            enter,
            () => Effect.zipRight(Effect.sleep(least + Math.random() * (most - least)), refusal),
            () => leave
          )
        : refusal
    })
})

/**
 * Limits by address what is looked up in vain, such as made-up session tokens. What is found is found whoever else is behind
 * the address: many share one with strangers, and must not be locked out by them.
 */
export interface Guesses {
  /**
   * `lookUp`, of which the failures that `isMiss` names are counted; `TooManyRequests` in place of them when there have been
   * too many.
   */
  readonly limiting: <A, E, R>(
    clientAddress: () => string,
    isMiss: (error: NoInfer<E>) => boolean,
    lookUp: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyRequests, R>
}

/** @param name of what is guessed, another for each */
export const guesses = (name: string): Effect.Effect<Guesses> =>
  Effect.zipWith(budgetOf(name, wrong), lateRefusals, (budget, refuse) => ({
    limiting: <A, E, R>(
      clientAddress: () => string,
      isMiss: (error: E) => boolean,
      lookUp: Effect.Effect<A, E, R>
    ) =>
      Effect.catchAll(lookUp, (error: E): Effect.Effect<never, E | TooManyRequests> => {
        const retryAfterSeconds = isMiss(error) ? budget.spend(clientAddress()) : 0
        return retryAfterSeconds > 0 ? refuse(retryAfterSeconds) : Effect.fail(error)
      })
  }))

/** Bad keys that are remembered, at most, and for how long, in milliseconds: who undoes a revocation by hand waits as long. */
const memory = { keys: 10_000, life: 60_000 } as const

const badKeys = (now: () => number) => {
  const forgetAt = new LRUCache<string, number>({ max: memory.keys })
  return {
    has: (hash: string): boolean => now() < (forgetAt.get(hash) ?? 0),
    add: (hash: string): void => void forgetAt.set(hash, now() + memory.life)
  }
}

/**
 * Limits by address the keys that are refused. There are two budgets: one of refusals, beyond which a bad key is told to wait,
 * and a larger one of keys looked up in vain, beyond which no key is looked up. A key that was looked up in vain is known to be
 * bad for a while, since none becomes good again: a server that goes on with an old key takes next to nothing from the second
 * budget. So neither it nor who makes up keys, unless they come in a flood, holds up the good keys of others behind the same address.
 *
 * @param name of the family of keys
 * @param refused counts them
 */
export const keyGuesses = Effect.fnUntraced(function* (name: string, refused: { readonly add: () => void }) {
  const refusals = yield* budgetOf(`${name} refused`, wrong)
  const lookUps = yield* budgetOf(`${name} looked up`, inVain)
  const known = badKeys(yield* monotonic)
  const refuseLate = yield* lateRefusals

  const tooMany = (retryAfterSeconds: number): Effect.Effect<never, TooManyRequests> => {
    refused.add()
    return refuseLate(retryAfterSeconds)
  }

  /** For a key that is bad without a look: fails with `invalid`, or with `TooManyRequests`. */
  const refusing = <E>(
    clientAddress: () => string,
    invalid: E
  ): Effect.Effect<never, E | TooManyRequests> => {
    const wait = refusals.spend(clientAddress())
    if (wait > 0) return tooMany(wait)
    refused.add()
    return Effect.fail(invalid)
  }

  return {
    refusing,

    /**
     * The key that `lookUp` finds. Fails with `invalid` where it finds none, and with `TooManyRequests` from an address that is
     * over a budget. The budgets are asked when this is called, not when the effect is run.
     *
     * @param hash of the token
     */
    limiting: <A, E, R>(
      clientAddress: () => string,
      hash: string,
      invalid: E,
      lookUp: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | TooManyRequests, R> => {
      if (known.has(hash)) return refusing(clientAddress, invalid)
      const wait = lookUps.isWhole() ? 0 : lookUps.waitSeconds(clientAddress())
      if (wait > 0) return tooMany(wait)
      return Effect.catchAll(lookUp, () => {
        known.add(hash)
        lookUps.spend(clientAddress())
        return refusing(clientAddress, invalid)
      })
    }
  }
})
