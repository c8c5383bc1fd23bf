import { Context, Effect } from "effect"
import { LRUCache } from "lru-cache"
import { monotonic } from "./clock.ts"
import { TooManyRequests } from "./errors.ts"
import { perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./shared-budget.ts"

/**
 * Wrong credentials allowed per address: 100 in a row, and 60 a minute. That is far more than an old link or an old key in a forgotten
 * script produces, and far too few for the database to notice.
 */
const wrong = { burst: 100, perMinute: 60 } as const

/**
 * Failed key look-ups allowed per address: 300 in a row, and ten a second. Beyond that, no key from the address is looked up, so other
 * clients behind the same address have to wait too, unless their keys are remembered. The budget is large enough that only a flood exhausts
 * it, not steady guessing. Each look-up is one indexed query.
 */
const inVain = { burst: 300, perMinute: 600 } as const

const budgetOf = (name: string, { burst, perMinute }: typeof wrong | typeof inVain) =>
  Effect.map(sharedBudget(name, burst, perMinute), perAddress)

/**
 * The delay before an over-budget client gets its refusal, as a minimum and maximum in milliseconds. A connection can then ask about three
 * times a second, and good requests do not queue behind it. The delay varies, so clients refused at the same time do not all retry at the
 * same time.
 */
export class RefusalDelay extends Context.Reference<RefusalDelay>()("doorlock/limits/RefusalDelay", {
  defaultValue: () => ({ least: 250, most: 500 })
}) {}

/** Maximum number of refusals delayed at once, so refused clients cannot exhaust the memory of this process. */
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
 * Limits failed look-ups per address, such as made-up session tokens. A credential that exists is always accepted: many clients share an
 * address with strangers, who must not lock them out.
 *
 * @param name names what is guessed; unique per limit
 */
export const guesses = (name: string) =>
  Effect.zipWith(budgetOf(name, wrong), lateRefusals, (budget, refuse) => ({
    /**
     * Runs `lookUp` and counts the failures that `isMiss` matches. After too many, fails with `TooManyRequests` in place of such a failure.
     */
    limiting: <A, E, R>(
      clientAddress: () => string,
      isMiss: (error: NoInfer<E>) => boolean,
      lookUp: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | TooManyRequests, R> =>
      Effect.catchAll(lookUp, (error: E): Effect.Effect<never, E | TooManyRequests> => {
        const retryAfterSeconds = isMiss(error) ? budget.spend(clientAddress()) : 0
        return retryAfterSeconds > 0 ? refuse(retryAfterSeconds) : Effect.fail(error)
      })
  }))

/** How many bad keys are remembered, and for how many milliseconds. An operator who undoes a revocation by hand waits that long. */
const memory = { keys: 10_000, life: 60_000 } as const

const badKeys = (now: () => number) => {
  const forgetAt = new LRUCache<string, number>({ max: memory.keys })
  return {
    has: (hash: string): boolean => now() < (forgetAt.get(hash) ?? 0),
    add: (hash: string): void => void forgetAt.set(hash, now() + memory.life)
  }
}

/**
 * Limits refused keys per address. There are two budgets. When the budget of refusals is empty, a bad key gets `TooManyRequests`. When the
 * larger budget of failed look-ups is empty, no key is looked up. A key whose look-up failed is remembered as bad for a while, since a bad
 * key never becomes good: a server that keeps using an old key takes almost nothing from the second budget. So neither that server nor a
 * guesser, short of a flood, blocks the good keys of other clients behind the same address.
 *
 * @param name names the family of keys
 * @param refused counts the refusals
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

  /** For a key known to be bad without a look-up: fails with `invalid`, or with `TooManyRequests`. */
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
     * Returns what `lookUp` finds for the key. Fails with `invalid` if it finds nothing, and with `TooManyRequests` if the address is over
     * a budget. The budgets are checked when this function is called, not when the effect runs.
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
