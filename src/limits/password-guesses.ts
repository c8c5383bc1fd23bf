import * as Effect from "effect/Effect"
import { isLoopback } from "../http/client-address.ts"
import { TooManyRequests } from "./errors.ts"
import { network, subscriber } from "./failure-budget.ts"
import { sharedBudget } from "./spending.ts"

/** Who tries a password, and of which account. */
export interface Guesser {
  /** The account as it is named, whether there is such a one or not. */
  readonly account: string
  /** Undefined where the client has none; who has none counts as one address. */
  readonly address: string | undefined
  /** What proves that this account's owner has been let in by this device before; undefined for a stranger. */
  readonly device: string | undefined
}

/** Limits how often passwords are tried in vain. */
export interface PasswordGuesses {
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

/**
 * The budgets of wrong passwords.
 *
 * Whoever has many addresses must not guess without end, and must not lock the owner out either. So all strangers together have one
 * budget of an account, which fills up again; each network has a small part of that in the same time, so that who guesses from a few
 * of them leaves something to an owner who comes with a new device. A device that the owner has signed in with before has a budget of
 * its own, whatever strangers do ("device cookies" of OWASP's Blocking Brute Force Attacks).
 *
 * Loopback, where a proxy may stand that nobody has told us of, is all clients or none: there only the account counts.
 */
export const passwordGuesses: Effect.Effect<PasswordGuesses> = Effect.gen(function* () {
  const budgets = {
    device: yield* sharedBudget("sign-in device", 10, 5),
    account: yield* sharedBudget("sign-in account, strangers", 60, 30),
    accountAndAddress: yield* sharedBudget("sign-in account", 10, 5),
    accountAndNetwork: yield* sharedBudget("sign-in account, network", 20, 5),
    address: yield* sharedBudget("sign-in address", 50, 20),
    network: yield* sharedBudget("sign-in network", 200, 80)
  }

  const ofStranger = (account: string, address: string) => {
    const ofAccount = { budget: budgets.account, key: account }
    if (isLoopback(address)) return [ofAccount]
    const [narrow, wide] = [subscriber(address), network(address)]
    return [
      { budget: budgets.address, key: narrow },
      { budget: budgets.network, key: wide },
      { budget: budgets.accountAndAddress, key: `${account} ${narrow}` },
      { budget: budgets.accountAndNetwork, key: `${account} ${wide}` },
      ofAccount
    ]
  }

  return {
    limiting: <A, E>({ account, address, device }: Guesser, check: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | TooManyRequests> => {
        const counted =
          device === undefined
            ? ofStranger(account, address ?? "")
            : [{ budget: budgets.device, key: `${account} ${device}` }]
        const wait = Math.max(...counted.map(({ budget, key }) => budget.waitSeconds(key)))
        if (wait > 0) return Effect.fail(new TooManyRequests({ retryAfterSeconds: wait }))
        for (const { budget, key } of counted) budget.spend(key)
        const refund = Effect.sync(() => {
          for (const { budget, key } of counted) budget.refund(key)
        })
        return check.pipe(
          Effect.tap(() => refund),
          Effect.tapDefect(() => refund)
        )
      })
  }
})
