import { subscriber } from "../limits/failure-budget.ts"
import { isLoopback } from "./client-address.ts"

/** Bytes in memory that nobody has shown a credential for, counted by who sends them. */
export interface Arrivals {
  /** Counts further bytes of a body; false, and nothing is counted, when there would be too many. */
  readonly take: (address: string, bytes: number) => boolean
  readonly giveBack: (address: string, bytes: number) => void
}

/**
 * @param inAll bytes that may be held at a time
 * @param perSubscriber those of one address, or one IPv6 /64, so that nobody holds all of them; loopback, where a proxy may be, is exempt
 */
export const arrivals = (inAll: number, perSubscriber: number): Arrivals => {
  const held = new Map<string, number>()
  let total = 0
  return {
    take: (address, bytes) => {
      const whose = subscriber(address)
      const next = (held.get(whose) ?? 0) + bytes
      if (total + bytes > inAll || (next > perSubscriber && !isLoopback(address))) return false
      held.set(whose, next)
      total += bytes
      return true
    },
    giveBack: (address, bytes) => {
      const whose = subscriber(address)
      const left = (held.get(whose) ?? 0) - bytes
      if (left > 0) held.set(whose, left)
      else held.delete(whose)
      total -= bytes
    }
  }
}
