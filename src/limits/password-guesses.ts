import * as Effect from "effect/Effect"
import { isLoopback } from "../http/client-address.ts"
import { TooManyRequests } from "./errors.ts"
import { type FailureBudget, network, subscriber } from "./failure-budget.ts"
import { sharedBudget } from "./spending.ts"

/** Who tries a password, and of which account. */
export interface Guesser {
  /** The account's key, whether there is such an account or not. It stays in memory, and so is a hash. */
  readonly account: string
  /** Empty where the client has none; all who have none count as one address. */
  readonly address: string
  /** What they have shown of being the account's owner: nothing, that they signed in with this device before, a session. */
  readonly as: "stranger" | "known device" | "signed in"
}

/** Limits how often passwords are tried in vain. */
export interface PasswordGuesses {
  /** Fails with `TooManyRequests` if a try would. Nothing is counted. */
  readonly ask: (guesser: Guesser) => Effect.Effect<void, TooManyRequests>
  /**
   * `check`, whose failure is a wrong guess; `TooManyRequests` in place of it after too many of them. A try is counted before the
   * password is checked, so that tries made at once count like tries made in turn; a success takes its count back, and so does a
   * fault of ours.
   */
  readonly limiting: <A, E>(
    guesser: Guesser,
    check: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | TooManyRequests>
}

/** One that a try takes from a budget, which has to have more than `kept`. */
interface Cost {
  readonly budget: FailureBudget
  readonly key: string
  readonly kept?: number
}

/** Of an account's budget, what is for networks that have not failed at the account lately. */
const keptForOthers = 300

const waitFor = (costs: ReadonlyArray<Cost>): number =>
  Math.max(...costs.map(({ budget, kept, key }) => budget.waitSeconds(key, kept)))

/**
 * The budgets of wrong passwords.
 *
 * Whoever has many addresses must not guess without end, and must not lock the owner out either. So all strangers together have one
 * budget of an account. Most of it is kept for networks that have hardly failed at the account in the last hour, as the owner's with a
 * new device: to use that up takes a hundred networks, and to keep it empty six hundred. A device that the owner has signed in with
 * before has another budget, whatever strangers do ("device cookies" of OWASP's Blocking Brute Force Attacks).
 *
 * Loopback, where a proxy may stand that nobody has named, is all clients or none: there only the account counts.
 */
export const passwordGuesses: Effect.Effect<PasswordGuesses> = Effect.gen(function* () {
  const budgets = {
    session: yield* sharedBudget("password, account, signed in", 10, 5),
    device: yield* sharedBudget("password, account, known devices", 10, 5),
    account: yield* sharedBudget("password, account", 60 + keptForOthers, 30),
    /** Three an hour. */
    lately: yield* sharedBudget("password, account and network, lately", 3, 3 / 60),
    accountAndNetwork: yield* sharedBudget("password, account and network", 20, 5),
    accountAndAddress: yield* sharedBudget("password, account and address", 10, 5),
    network: yield* sharedBudget("password, network", 200, 80),
    address: yield* sharedBudget("password, address", 50, 20)
  }

  const ofStranger = (account: string, address: string): ReadonlyArray<Cost> => {
    if (isLoopback(address)) return [{ budget: budgets.account, key: account, kept: keptForOthers }]
    const [narrow, wide] = [subscriber(address), network(address)]
    const ofNetwork = `${account} ${wide}`
    const lately = { budget: budgets.lately, key: ofNetwork }
    return [
      { budget: budgets.address, key: narrow },
      { budget: budgets.network, key: wide },
      { budget: budgets.accountAndAddress, key: `${account} ${narrow}` },
      { budget: budgets.accountAndNetwork, key: ofNetwork },
      ...(waitFor([lately]) === 0
        ? [lately, { budget: budgets.account, key: account }]
        : [{ budget: budgets.account, key: account, kept: keptForOthers }])
    ]
  }

  const costsOf = ({ account, address, as }: Guesser): ReadonlyArray<Cost> => {
    if (as === "signed in") return [{ budget: budgets.session, key: account }]
    const asStranger = ofStranger(account, address)
    if (as === "stranger") return asStranger
    // Who has stolen one device's cookie may use that budget up: the other devices are still worth what a stranger is.
    const asDevice = [{ budget: budgets.device, key: account }]
    return waitFor(asDevice) <= waitFor(asStranger) ? asDevice : asStranger
  }

  const refusal = (retryAfterSeconds: number) => new TooManyRequests({ retryAfterSeconds })

  return {
    ask: (guesser) =>
      Effect.suspend(() => {
        const seconds = waitFor(costsOf(guesser))
        return seconds > 0 ? refusal(seconds) : Effect.void
      }),
    limiting: <A, E>(guesser: Guesser, check: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | TooManyRequests> => {
        const costs = costsOf(guesser)
        const seconds = waitFor(costs)
        if (seconds > 0) return refusal(seconds)
        // Nothing else runs between asking and taking: each of them is there to be taken.
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
