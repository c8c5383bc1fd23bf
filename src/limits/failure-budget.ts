import { isIP } from "node:net"
import { isLoopback } from "../shared/ip-address.ts"

interface Bucket {
  tokens: number
  /** Milliseconds on the monotonic clock when `tokens` was right. */
  at: number
}

/** Buckets that are remembered, at most; a flood of addresses must not become a flood of memory. */
const maxBuckets = 20_000

/** Buckets that are forgotten when there would be more, at once: to find them takes a look at all. */
const forgottenAtOnce = 2_000

/**
 * A budget of failures per key (an address, an account): a token bucket that only failures empty, so that
 * an honest caller never meets it. It lives in this process; the workers of a service tell each other (`limits/shared-budget`),
 * another replica has its own.
 */
export interface FailureBudget {
  /**
   * Takes one from the budget: 0 when there was one to take, else the seconds until there is. The last `kept` of the budget, none unless
   * given, are left for others.
   */
  readonly spend: (key: string, kept?: number) => number
  /** The seconds until `spend` would succeed; 0 when it would now. */
  readonly waitSeconds: (key: string, kept?: number) => number
  /** Gives one back: what it was taken for turned out well. */
  readonly refund: (key: string) => void
  /** Whether nothing is known to be missing of anybody's: `waitSeconds` is then 0 for all, and need not be asked. */
  readonly isWhole: () => boolean
}

/** A budget that others take from as well. */
export interface ChangedBudget extends FailureBudget {
  /**
   * What another process took (less than 0) or gave back. What it took when there was nothing left is owed, up to the burst: if it
   * is given back later, nobody has gained anything.
   */
  readonly change: (key: string, change: number) => void
}

/**
 * @param burst failures in a row that are let pass
 * @param perMinute failures a minute that are let pass in the long run
 * @param now milliseconds on a clock that is never set
 */
export const failureBudget = (burst: number, perMinute: number, now: () => number): ChangedBudget => {
  const buckets = new Map<string, Bucket>()
  const perMilli = perMinute / 60_000
  /** When all buckets will be full again, at the latest. */
  let wholeAt = 0

  const refilled = (key: string): Bucket => {
    const at = now()
    const bucket = buckets.get(key)
    if (bucket === undefined) return { tokens: burst, at }
    return { tokens: Math.min(burst, bucket.tokens + (at - bucket.at) * perMilli), at }
  }
  /** The fullest: whoever floods us with other keys does not make up for what was taken under one. */
  const forgetFullest = () => {
    const fullestFirst = [...buckets.keys()]
      .map((key) => ({ key, tokens: refilled(key).tokens }))
      .sort((one, other) => other.tokens - one.tokens)
    for (const { key } of fullestFirst.slice(0, forgottenAtOnce)) buckets.delete(key)
  }
  const keep = (key: string, bucket: Bucket) => {
    buckets.delete(key)
    if (bucket.tokens >= burst) return
    buckets.set(key, bucket)
    wholeAt = Math.max(wholeAt, bucket.at + (burst - bucket.tokens) / perMilli)
    if (buckets.size > maxBuckets) forgetFullest()
  }
  const change = (key: string, change: number) => {
    const bucket = refilled(key)
    keep(key, { ...bucket, tokens: Math.max(-burst, bucket.tokens + change) })
  }
  const wait = ({ tokens }: Bucket, kept: number) =>
    tokens >= kept + 1 ? 0 : Math.ceil((kept + 1 - tokens) / perMilli / 1000)

  return {
    spend: (key, kept = 0) => {
      const bucket = refilled(key)
      const seconds = wait(bucket, kept)
      if (seconds === 0) keep(key, { ...bucket, tokens: bucket.tokens - 1 })
      return seconds
    },
    waitSeconds: (key, kept = 0) => wait(refilled(key), kept),
    refund: (key) => change(key, 1),
    change,
    isWhole: () => {
      if (buckets.size > 0 && now() >= wholeAt) buckets.clear()
      return buckets.size === 0
    }
  }
}

/** The first groups of an IPv6 address, however it is written. */
const groupsOf = (address: string, count: number): string => {
  const [head = "", tail] = address.split("::")
  const groups = head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  while (groups.length + after.length < 8) groups.push("0")
  return [...groups, ...after]
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16) || 0)
    .join(":")
}

/**
 * Whom an address stands for: itself, and of IPv6 the /64 that one subscriber is given, who could else make
 * every attempt from another address.
 */
export const subscriber = (address: string): string => (isIP(address) === 6 ? groupsOf(address, 4) : address)

/** The network of an address, all of which one organisation may have: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export const network = (address: string): string => {
  const family = isIP(address)
  if (family === 6) return groupsOf(address, 3)
  return family === 4 ? address.slice(0, address.lastIndexOf(".")) : address
}

/**
 * The holder of the network of an address: its IPv4 /16, or its IPv6 /32, which a registry gives to one provider. Whoever holds that has
 * many networks.
 */
export const holder = (address: string): string => {
  const family = isIP(address)
  if (family === 6) return groupsOf(address, 2)
  return family === 4 ? address.split(".", 2).join(".") : address
}

/**
 * The budget of an address, from which loopback is exempt: what runs beside us is no stranger.
 *
 * @param of whom an address stands for
 */
export const perAddress = (budget: FailureBudget, of = subscriber): FailureBudget => ({
  spend: (address, kept) => (isLoopback(address) ? 0 : budget.spend(of(address), kept)),
  waitSeconds: (address, kept) => (isLoopback(address) ? 0 : budget.waitSeconds(of(address), kept)),
  refund: (address) => {
    if (!isLoopback(address)) budget.refund(of(address))
  },
  isWhole: budget.isWhole
})
