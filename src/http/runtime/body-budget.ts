import { networkPrefix } from "../../limits/failure-budget.ts"
import { isLoopback } from "../../shared/ip-address.ts"

interface Body {
  bytes: number
  readonly release: () => void
  readonly drop: () => void
}

interface Holding {
  bytes: number
  /** Oldest first. */
  readonly bodies: Set<Body>
}

export interface Held {
  readonly holder: string
  readonly hold: (bytes: number) => void
  /** Call it when the body is no longer in memory, for any reason. */
  readonly release: () => void
}

/** Whom a body counts against: the authenticated company, otherwise the network of the client's address. */
export type Holder = { readonly companyId: string } | { readonly address: string }

export interface BodyBudget {
  /** @param drop called to make room for others: the body no longer counts, and must be freed */
  readonly begin: (holder: Holder, drop: () => void) => Held
}

/**
 * Limits the memory for request bodies. It never refuses a new body; the largest makes room instead: beyond a
 * holder's limit, that holder's; beyond the total, the largest holder's. Among equals, the oldest.
 *
 * @param inAll total bytes
 * @param perHolder bytes per company or network; loopback, where a proxy may run, has only the total limit
 * @param free bytes of each body that do not count
 */
export const bodyBudget = (inAll: number, perHolder: number, free: number): BodyBudget => {
  const holders = new Map<string, Holding>()
  let total = 0

  /** The first among equals. */
  const largest = <A extends { readonly bytes: number }>(all: Iterable<A>): A | undefined => {
    let found: A | undefined
    for (const one of all) if (found === undefined || one.bytes > found.bytes) found = one
    return found
  }

  const dropLargest = (whose: Holding | undefined) => {
    const body = largest(whose?.bodies ?? [])
    body?.release()
    body?.drop()
  }

  return {
    begin: (holder, drop) => {
      const name = "companyId" in holder ? `company ${holder.companyId}` : networkPrefix(holder.address)
      const most = "address" in holder && isLoopback(holder.address) ? inAll : perHolder
      let arrived = 0
      let ended = false
      const release = () => {
        ended = true
        const whose = holders.get(name)
        if (whose?.bodies.delete(body) !== true) return
        whose.bytes -= body.bytes
        total -= body.bytes
        if (whose.bodies.size === 0) holders.delete(name)
      }
      const body: Body = { bytes: 0, drop, release }
      return {
        holder: name,
        hold: (bytes) => {
          arrived += bytes
          const more = arrived - free - body.bytes
          if (ended || more <= 0) return
          const whose = holders.get(name) ?? { bytes: 0, bodies: new Set() }
          holders.set(name, whose)
          whose.bodies.add(body)
          body.bytes += more
          whose.bytes += more
          total += more
          while (whose.bytes > most) dropLargest(whose)
          while (total > inAll) dropLargest(largest(holders.values()))
        },
        release
      }
    }
  }
}
