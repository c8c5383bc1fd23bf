import { Effect } from "effect"
import { isLoopback } from "../shared/ip-address.ts"
import { TooManyRequests } from "./errors.ts"
import { type FailureBudget, networkPrefix } from "./failure-budget.ts"
import { sharedBudget } from "./shared-budget.ts"

/** Who tries a password, and for which account. */
export interface Guesser {
  /** A hash, because it stays in memory. The account need not exist. */
  readonly account: string
  /** Empty if unknown; all such clients count as one address. */
  readonly address: string
  /** What the client has proved: nothing, an earlier sign-in with this device, or a session. */
  readonly as: "stranger" | "known device" | "signed in"
  /** The session's id, if signed in. */
  readonly session?: string
}

/** One token of `budget`, which must have more than `kept` tokens. */
interface Cost {
  readonly budget: FailureBudget
  readonly key: string
  readonly kept?: number
}

/** Wrong passwords of strangers at one account in a row: from anybody, and from networks with few recent ones. */
const atAccount = { anybody: 60, fewFailures: 300 } as const

const secondsUntil = (costs: ReadonlyArray<Cost>): number =>
  Math.max(...costs.map(({ budget, kept, key }) => budget.waitSeconds(key, kept)))

/**
 * An attacker with many addresses must neither guess for ever nor lock the owner out. So strangers share one budget per account, most of it
 * reserved for networks with few recent failures at the account, such as that of the owner's new device. To use the reserve up, an attacker
 * needs 50 networks; to keep it empty, 300. A device that the owner has signed in with, and a session, have a budget of their own ("device
 * cookies" of OWASP's Blocking Brute Force Attacks). A loopback address may be an undeclared proxy for all clients, so it has no network.
 */
export const passwordGuesses = Effect.gen(function* () {
  const known = yield* sharedBudget("password, known devices and sessions", 10, 5)
  const ofAccount = yield* sharedBudget("password, account", atAccount.anybody + atAccount.fewFailures, 30)
  const ofNetwork = yield* sharedBudget("password, network", 100, 40)
  /** Its tokens open the reserve of an account. */
  const lately = yield* sharedBudget("password, account and network, lately", 6, 6 / 60)

  const ofStranger = (account: string, address: string): ReadonlyArray<Cost> => {
    const common = { budget: ofAccount, key: account, kept: atAccount.fewFailures }
    if (isLoopback(address)) return [common]
    const network = networkPrefix(address)
    const recent = { budget: lately, key: `${account} ${network}` }
    const hasFewFailures = secondsUntil([recent]) === 0
    return [
      { budget: ofNetwork, key: network },
      ...(hasFewFailures ? [recent, { ...common, kept: 0 }] : [common])
    ]
  }

  const costsOf = ({ account, address, as, session }: Guesser): ReadonlyArray<Cost> => {
    // A thief of one session uses up only its budget, not those of the owner's other sessions.
    if (as === "signed in") return [{ budget: known, key: session ?? account }]
    const asDevice = [{ budget: known, key: account }]
    // A thief of a device's cookie may use up the budget of devices; the others then try as strangers.
    return as === "known device" && secondsUntil(asDevice) === 0 ? asDevice : ofStranger(account, address)
  }

  const refusal = (retryAfterSeconds: number) => new TooManyRequests({ retryAfterSeconds })

  return {
    /** Fails with `TooManyRequests` if an attempt would, without counting one. */
    ask: (guesser: Guesser): Effect.Effect<void, TooManyRequests> =>
      Effect.suspend(() => {
        const seconds = secondsUntil(costsOf(guesser))
        return seconds > 0 ? refusal(seconds) : Effect.void
      }),

    /**
     * Runs `check`, whose failure is a wrong guess, or fails with `TooManyRequests`. Takes the tokens first,
     * so that concurrent attempts count like consecutive ones, and returns them on success or a defect.
     */
    limiting: <A, E>(guesser: Guesser, check: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | TooManyRequests> => {
        const costs = costsOf(guesser)
        const seconds = secondsUntil(costs)
        if (seconds > 0) return refusal(seconds)
        // No other code runs between the check and `spend`, so every token is available.
        for (const { budget, kept, key } of costs) budget.spend(key, kept)
        const refund = Effect.sync(() => {
          for (const { budget, key } of costs) budget.refund(key)
        })
        return check.pipe(
          Effect.tap(() => refund),
          Effect.tapDefect(() => refund)
        )
      })
  }
})
