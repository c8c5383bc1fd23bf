import { isIP } from "node:net"
import { Effect } from "effect"
import { isLoopback } from "../shared/ip-address.ts"

/** Reads milliseconds on a monotonic clock: the `Clock` in scope when this effect runs. */
export const monotonic: Effect.Effect<() => number> = Effect.map(
  Effect.clock,
  // Microseconds fit into a number exactly.
  (clock) => () => Number(clock.unsafeCurrentTimeNanos() / 1_000n) / 1_000
)

interface Bucket {
  tokens: number
  /** When `tokens` was computed. */
  at: number
}

/** Maximum number of buckets: a flood of addresses must not exhaust the memory. */
const maxBuckets = 20_000

/** Buckets to delete at the limit: many at once, because finding them scans all buckets. */
const forgottenAtOnce = 2_000

/**
 * A budget of failures per key (an address, an account): a token bucket that only failures drain. The workers
 * of one service share it (`limits/shared-budget`); another replica has its own.
 */
export interface FailureBudget {
  /** Takes a token and returns 0, or returns the seconds until one is available. Leaves `kept` (default 0) tokens. */
  readonly spend: (key: string, kept?: number) => number
  /** The seconds until `spend` would succeed; 0 if it would now. */
  readonly waitSeconds: (key: string, kept?: number) => number
  /** Puts back the token of an attempt that succeeded. */
  readonly refund: (key: string) => void
  /** Whether every bucket is full, so that `waitSeconds` is 0 for every key. */
  readonly isFull: () => boolean
}

export interface ChangedBudget extends FailureBudget {
  /**
   * Applies what another process took (negative) or returned. Taking from an empty bucket leaves a debt, at
   * most the burst, so that a later refund adds no extra token.
   */
  readonly change: (key: string, change: number) => void
}

/** Allows `burst` failures in a row. `now`: monotonic milliseconds. */
export const failureBudget = (burst: number, perMinute: number, now: () => number): ChangedBudget => {
  const buckets = new Map<string, Bucket>()
  const perMilli = perMinute / 60_000
  /** The latest time at which all buckets are full again. */
  let wholeAt = 0

  const refilled = (key: string): Bucket => {
    const at = now()
    const bucket = buckets.get(key)
    if (bucket === undefined) return { tokens: burst, at }
    return { tokens: Math.min(burst, bucket.tokens + (at - bucket.at) * perMilli), at }
  }
  /** Forgets the fullest, so that a flood of other keys cannot erase what one key has used up. */
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
    isFull: () => {
      if (buckets.size > 0 && now() >= wholeAt) buckets.clear()
      return buckets.size === 0
    }
  }
}

/** The first groups of an IPv6 address in any notation. */
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

/** The first octets of an IPv4 address, or the first groups of an IPv6 address. Returns any other text unchanged. */
const beginning =
  (octets: number, groups: number) =>
  (address: string): string => {
    const family = isIP(address)
    if (family === 6) return groupsOf(address, groups)
    return family === 4 ? address.split(".", octets).join(".") : address
  }

/** The address for IPv4, the /64 for IPv6: a subscriber can use every address of its /64. */
export const clientPrefix = beginning(4, 4)

/** The /24 of an IPv4 address, the /48 of an IPv6 address: possibly one organisation. */
export const networkPrefix = beginning(3, 3)

/** A budget whose keys are client addresses. Loopback addresses are exempt. */
export const perAddress = (budget: FailureBudget, of = clientPrefix): FailureBudget => ({
  spend: (address, kept) => (isLoopback(address) ? 0 : budget.spend(of(address), kept)),
  waitSeconds: (address, kept) => (isLoopback(address) ? 0 : budget.waitSeconds(of(address), kept)),
  refund: (address) => {
    if (!isLoopback(address)) budget.refund(of(address))
  },
  isFull: budget.isFull
})
