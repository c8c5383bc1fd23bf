import { network } from "../../limits/failure-budget.ts"
import { isLoopback } from "../../shared/ip-address.ts"

interface Body {
  /** Of those that count. */
  bytes: number
  readonly release: () => void
  readonly drop: () => void
}

/** What one holder has of it. */
interface Holding {
  bytes: number
  /** The one that has been coming in for the longest is first. */
  readonly bodies: Set<Body>
}

/** A body that is being read. */
export interface Held {
  /** The name of whoever it is held for. */
  readonly holder: string
  /** Counts bytes that have arrived. */
  readonly hold: (bytes: number) => void
  /** For when it is held no longer, for whatever reason. */
  readonly release: () => void
}

/** On whose account a body is held: of the company whose credential was shown, else of the network of the client's address. */
export type Holder = { readonly companyId: string } | { readonly address: string }

/** What may be held at a time of the bodies of requests. */
export interface BodyBudget {
  /** @param drop is called when the body has to make room for others: it is counted no longer, and must not be held any more */
  readonly begin: (holder: Holder, drop: () => void) => Held
}

/**
 * A budget that refuses nobody who comes: room is made by whoever takes most of it. Where a holder has too much, its largest body is
 * dropped; where all together do, the largest of the holder that has most. Of equals it is the one that has been there for the longest.
 *
 * @param inAll bytes
 * @param perHolder bytes of one company or network (`limits/failure-budget`); loopback, where a proxy may be, has no such bound
 * @param free bytes of each body that do not count
 */
export const bodyBudget = (inAll: number, perHolder: number, free: number): BodyBudget => {
  const holders = new Map<string, Holding>()
  let total = 0

  /** The first of those that hold most. */
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
      const name = "companyId" in holder ? `company ${holder.companyId}` : network(holder.address)
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
