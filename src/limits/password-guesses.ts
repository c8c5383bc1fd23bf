import { Effect } from "effect"
import { isLoopback } from "../shared/ip-address.ts"
import { TooManyRequests } from "./errors.ts"
import { clientPrefix, type FailureBudget, networkPrefix, providerPrefix } from "./failure-budget.ts"
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

interface Attempt {
  readonly costs: ReadonlyArray<Cost>
  /** How long to wait before the attempt; 0 if it may be made now. */
  readonly seconds: number
}

/**
 * An account's budget has three parts: one for all clients, one for clients whose address and network have few
 * recent failures at the account, and one for those of them whose network's provider has few, too.
 */
const parts = { all: 60, networks: 300, providers: 600 } as const
const kept = { fromAll: parts.networks + parts.providers, fromNetworks: parts.providers } as const

/** Correct passwords per account: each creates an audit event, which is stored forever. */
const correctPasswords = { burst: 600, perMinute: 60 } as const

/** The sustained rate of wrong passwords for one account, over all strangers. */
const perMinute = 30

const waitFor = (costs: ReadonlyArray<Cost>): number =>
  Math.max(...costs.map(({ budget, kept, key }) => budget.waitSeconds(key, kept)))

/**
 * An attacker with many addresses must neither guess indefinitely nor lock the owner out. So strangers share
 * one budget per account, most of it reserved for clients with few recent failures at the account, such as
 * the owner with a new device. To use that part up, an attacker needs 25 providers, each with two networks
 * and four addresses; to keep it empty, 150. A device that the owner has signed in with has its
 * own budget ("device cookies" of OWASP's Blocking Brute Force Attacks). A loopback address may be an
 * undeclared proxy for all clients, so only the account's budget applies to it.
 */
export const passwordGuesses = Effect.gen(function* () {
  const budgets = {
    right: yield* sharedBudget(
      "password, account, right",
      correctPasswords.burst,
      correctPasswords.perMinute
    ),
    session: yield* sharedBudget("password, session", 10, 5),
    device: yield* sharedBudget("password, account, known devices", 10, 5),
    account: yield* sharedBudget("password, account", parts.all + kept.fromAll, perMinute),
    /** Counts attempts that the account's budget refuses; empty while they arrive faster than it refills. */
    accountRefused: yield* sharedBudget("password, account, refused", perMinute, perMinute),
    // A network's budget exceeds an address's, and a provider's a network's, so that neighbours keep some.
    addressLately: yield* sharedBudget("password, account and address, lately", 6, 6 / 60),
    networkLately: yield* sharedBudget("password, account and network, lately", 12, 6 / 60),
    providerLately: yield* sharedBudget("password, account and provider, lately", 24, 12 / 60),
    accountAndNetwork: yield* sharedBudget("password, account and network", 20, 5),
    accountAndAddress: yield* sharedBudget("password, account and address", 10, 5),
    network: yield* sharedBudget("password, network", 200, 80),
    address: yield* sharedBudget("password, address", 50, 20)
  }

  /** An account's budget, and the budgets that give an address access to its two reserved parts. */
  const ofAccount = (account: string, address: string) => {
    const narrow = [
      { budget: budgets.addressLately, key: `${account} ${clientPrefix(address)}` },
      { budget: budgets.networkLately, key: `${account} ${networkPrefix(address)}` }
    ]
    return {
      opensNetworks: narrow,
      opensProviders: [
        ...narrow,
        { budget: budgets.providerLately, key: `${account} ${providerPrefix(address)}` }
      ],
      whole: { budget: budgets.account, key: account }
    }
  }

  /**
   * A client without access to a part takes nothing from the budgets that open it: a network that keeps
   * failing does not use up what the provider's other networks have.
   */
  const takenOfAccount = (account: string, address: string): ReadonlyArray<Cost> => {
    const { opensProviders, opensNetworks, whole } = ofAccount(account, address)
    if (waitFor(opensProviders) === 0) return [...opensProviders, whole]
    if (waitFor(opensNetworks) === 0) return [...opensNetworks, { ...whole, kept: kept.fromNetworks }]
    return [{ ...whole, kept: kept.fromAll }]
  }

  const ofStranger = (account: string, address: string): ReadonlyArray<Cost> => {
    if (isLoopback(address)) return [{ budget: budgets.account, key: account, kept: kept.fromAll }]
    const [narrow, wide] = [clientPrefix(address), networkPrefix(address)]
    return [
      { budget: budgets.address, key: narrow },
      { budget: budgets.network, key: wide },
      { budget: budgets.accountAndAddress, key: `${account} ${narrow}` },
      { budget: budgets.accountAndNetwork, key: `${account} ${wide}` },
      ...takenOfAccount(account, address)
    ]
  }

  /**
   * The seconds until the client has access to a part with tokens left, or the common part refills. If
   * attempts arrive faster than it refills, others take its tokens, so only the reserved part counts.
   */
  const strangersWait = (account: string, address: string, costs: ReadonlyArray<Cost>): number => {
    const seconds = waitFor(costs)
    const lacksAccount = costs.some((cost) => cost.budget === budgets.account && waitFor([cost]) > 0)
    if (!lacksAccount || isLoopback(address)) return seconds
    const { opensProviders, opensNetworks, whole } = ofAccount(account, address)
    const isLeftForNetworks = budgets.account.waitSeconds(account, kept.fromNetworks) === 0
    const opened = [...(isLeftForNetworks ? opensNetworks : opensProviders), whole]
    const sure = waitFor([...costs.filter(({ budget }) => budget !== budgets.account), ...opened])
    return budgets.accountRefused.spend(account) > 0 ? sure : Math.min(seconds, sure)
  }

  const attemptOf = ({ account, address, as, session }: Guesser): Attempt => {
    const ofOne = (budget: FailureBudget, key: string): Attempt => {
      const costs = [{ budget, key }]
      return { costs, seconds: waitFor(costs) }
    }
    // A thief of one session exhausts only its budget, not those of the owner's other sessions.
    if (as === "signed in") return ofOne(budgets.session, session ?? account)
    const asDevice = ofOne(budgets.device, account)
    if (as === "known device" && asDevice.seconds === 0) return asDevice
    const costs = ofStranger(account, address)
    const asStranger = { costs, seconds: strangersWait(account, address, costs) }
    // A thief of a device's cookie may use up the device budget; other devices then try as strangers.
    return as === "known device" && asDevice.seconds <= asStranger.seconds ? asDevice : asStranger
  }

  const refusal = (retryAfterSeconds: number) => new TooManyRequests({ retryAfterSeconds })

  const secondsOf = ({ account }: Guesser, { seconds }: Attempt) =>
    Math.max(seconds, budgets.right.waitSeconds(account))

  return {
    /** Fails with `TooManyRequests` if an attempt would, without counting one. */
    ask: (guesser: Guesser): Effect.Effect<void, TooManyRequests> =>
      Effect.suspend(() => {
        const seconds = secondsOf(guesser, attemptOf(guesser))
        return seconds > 0 ? refusal(seconds) : Effect.void
      }),

    /**
     * Runs `check`, whose failure is a wrong guess, or fails with `TooManyRequests`. Takes the tokens first,
     * so that concurrent attempts count like consecutive ones, and returns them on success or a defect.
     */
    limiting: <A, E>(guesser: Guesser, check: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | TooManyRequests> => {
        const attempt = attemptOf(guesser)
        const { costs } = attempt
        const seconds = secondsOf(guesser, attempt)
        if (seconds > 0) return refusal(seconds)
        // No other code runs between the check and `spend`, so every token is available.
        for (const { budget, kept, key } of costs) budget.spend(key, kept)
        const refund = Effect.sync(() => {
          for (const { budget, key } of costs) budget.refund(key)
        })
        return check.pipe(
          Effect.tap(() => {
            budgets.right.spend(guesser.account)
            return refund
          }),
          Effect.tapDefect(() => refund)
        )
      })
  }
})
