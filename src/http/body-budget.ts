import { network } from "../limits/failure-budget.ts"
import { isLoopback } from "./client-address.ts"

interface Body {
  /** Of those that count. */
  bytes: number
  readonly release: () => void
  readonly drop: () => void
}

interface Network {
  bytes: number
  /** The one that has been coming in for the longest is first. */
  readonly bodies: Set<Body>
}

/** A body that is being read. */
export interface Held {
  /** Counts bytes that have arrived. */
  readonly hold: (bytes: number) => void
  /** For when it is held no longer, for whatever reason. */
  readonly release: () => void
}

/** What may be held at a time of bodies whose senders have shown no credential. */
export interface BodyBudget {
  /** @param drop is called when the body has to make room for others: it is counted no longer, and must not be held any more */
  readonly begin: (address: string, drop: () => void) => Held
}

/**
 * A budget that refuses nobody who comes: room is made by whoever takes most of it. Where a network holds too much, its largest body is
 * dropped; where all together do, the largest of the network that holds most. Of equals it is the one that has been there for the longest.
 *
 * @param inAll bytes
 * @param perNetwork bytes of one network (`limits/failure-budget`); loopback, where a proxy may be, has no such bound
 * @param free bytes of each body that do not count
 */
export const bodyBudget = (inAll: number, perNetwork: number, free: number): BodyBudget => {
  const networks = new Map<string, Network>()
  let total = 0

  /** The first of those that hold most. */
  const largest = <A extends { readonly bytes: number }>(all: Iterable<A>): A | undefined => {
    let found: A | undefined
    for (const one of all) if (found === undefined || one.bytes > found.bytes) found = one
    return found
  }

  const dropLargest = (whose: Network | undefined) => {
    const body = largest(whose?.bodies ?? [])
    body?.release()
    body?.drop()
  }

  return {
    begin: (address, drop) => {
      const name = network(address)
      const most = isLoopback(address) ? inAll : perNetwork
      let arrived = 0
      let ended = false
      const release = () => {
        ended = true
        const whose = networks.get(name)
        if (whose?.bodies.delete(body) !== true) return
        whose.bytes -= body.bytes
        total -= body.bytes
        if (whose.bodies.size === 0) networks.delete(name)
      }
      const body: Body = { bytes: 0, drop, release }
      return {
        hold: (bytes) => {
          arrived += bytes
          const more = arrived - free - body.bytes
          if (ended || more <= 0) return
          const whose = networks.get(name) ?? { bytes: 0, bodies: new Set() }
          networks.set(name, whose)
          whose.bodies.add(body)
          body.bytes += more
          whose.bytes += more
          total += more
          while (whose.bytes > most) dropLargest(whose)
          while (total > inAll) dropLargest(largest(networks.values()))
        },
        release
      }
    }
  }
}
