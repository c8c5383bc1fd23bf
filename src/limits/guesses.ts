import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { Timing } from "../shared/timing.ts"
import { TooManyRequests } from "./errors.ts"
import { monotonic, perAddress } from "./failure-budget.ts"
import { sharedBudget } from "./shared-budget.ts"

/** Per address: more than a forgotten script sends, too few for the database to notice. */
const wrong = { burst: 100, perMinute: 60 } as const

/**
 * Failed key lookups per address, each one indexed query. Beyond that, no key from the address is looked up that this process has not found
 * before, so other clients behind it wait too. Only a flood exhausts it.
 */
const inVain = { burst: 300, perMinute: 600 } as const

const budgetOf = (name: string, { burst, perMinute }: typeof wrong | typeof inVain) =>
  Effect.map(sharedBudget(name, burst, perMinute), perAddress)

/** Maximum number of delayed refusals, which bounds their memory. */
const places = 2_000

/**
 * A connection of a client that is over budget can ask about three times a second, and good requests do not queue behind it. The delay is
 * random, so that clients do not retry together.
 */
const lateRefusals = Effect.map(Timing, ({ pause, sleep }) => {
  const least = pause("limits.refusal")
  const delayed = Effect.unsafeMakeSemaphore(places).withPermitsIfAvailable(1)
  const delay = Effect.suspend(() => sleep(least + Math.random() * least))
  return (retryAfterSeconds: number): Effect.Effect<never, TooManyRequests> =>
    Effect.zipRight(delayed(delay), new TooManyRequests({ retryAfterSeconds }))
})

/**
 * Limits failed lookups per address, such as made-up session tokens. A credential that exists is always
 * accepted: strangers behind the same address must not lock anybody out. `name` is unique per limit.
 */
export const guesses = (name: string) =>
  Effect.zipWith(budgetOf(name, wrong), lateRefusals, (budget, refuse) => ({
    /** After too many failures that `isMiss` matches, fails with `TooManyRequests` instead. */
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

/** Bad keys to remember, for how many milliseconds: undoing a revocation takes effect after that. */
const memory = { keys: 10_000, life: 60_000 } as const

/** Good keys to remember: as many as a process caches by default. */
const mostGood = 20_000

const badKeys = <E>(now: () => number) => {
  const remembered = new LRUCache<string, { readonly error: E; readonly until: number }>({ max: memory.keys })
  return {
    /** Why the key was refused; undefined if that is not remembered. */
    find: (hash: string): E | undefined => {
      const found = remembered.get(hash)
      return found !== undefined && now() < found.until ? found.error : undefined
    },
    add: (hash: string, error: E): void => void remembered.set(hash, { error, until: now() + memory.life })
  }
}

/**
 * Limits refused keys per address with two budgets. When the budget of refusals is empty, a bad key gets
 * `TooManyRequests`. When the larger budget of failed lookups is empty, no unknown key is looked up. A key that was
 * not found is remembered as bad, so a server that keeps sending an old key takes almost nothing from the
 * second budget, and only a flood blocks the good keys of others behind the same address: those that this process has
 * not found before.
 */
export const keyGuesses = Effect.fnUntraced(function* <E>(
  name: string,
  refused: { readonly add: () => void }
) {
  const refusals = yield* budgetOf(`${name} refused`, wrong)
  const lookUps = yield* budgetOf(`${name} looked up`, inVain)
  const bad = badKeys<E>(yield* monotonic)
  // They need a lookup again once the cache may be stale, and would be refused during a flood.
  const good = new LRUCache<string, true>({ max: mostGood })
  const refuseLate = yield* lateRefusals

  const tooMany = (retryAfterSeconds: number): Effect.Effect<never, TooManyRequests> => {
    refused.add()
    return refuseLate(retryAfterSeconds)
  }

  /** For a key known to be bad: fails with `invalid`, or with `TooManyRequests`. */
  const refusing = (clientAddress: () => string, invalid: E): Effect.Effect<never, E | TooManyRequests> => {
    const wait = refusals.spend(clientAddress())
    if (wait > 0) return tooMany(wait)
    refused.add()
    return Effect.fail(invalid)
  }

  return {
    refusing,

    /**
     * Fails as `lookUp` does, also for some time after it has failed, and with `TooManyRequests` if the address is over a
     * budget when called (not when the effect runs), and the key is not one that was found before. `hash`: of the token.
     */
    limiting: <A, R>(
      clientAddress: () => string,
      hash: string,
      lookUp: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | TooManyRequests, R> => {
      const known = bad.find(hash)
      if (known !== undefined) return refusing(clientAddress, known)
      const wait = lookUps.isFull() || good.has(hash) ? 0 : lookUps.waitSeconds(clientAddress())
      if (wait > 0) return tooMany(wait)
      return Effect.matchEffect(lookUp, {
        onFailure: (invalid) => {
          bad.add(hash, invalid)
          good.delete(hash)
          lookUps.spend(clientAddress())
          return refusing(clientAddress, invalid)
        },
        onSuccess: (found) => {
          good.set(hash, true)
          return Effect.succeed(found)
        }
      })
    }
  }
})
