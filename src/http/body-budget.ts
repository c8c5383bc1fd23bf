import { network } from "../limits/failure-budget.ts"
import { isLoopback } from "./client-address.ts"

interface Body {
  /** Of those that count. */
  bytes: number
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
 * A budget that refuses nobody who comes: room is made by whoever takes most of it. Where a network holds too much, its oldest body is
 * dropped; where all together do, the oldest of the network that holds most. That is the slowest of those who send, and where somebody
 * holds bodies on purpose it is one of theirs.
 *
 * @param inAll bytes
 * @param perNetwork bytes of one network (`limits/failure-budget`); loopback, where a proxy may be, has no such bound
 * @param free bytes of each body that do not count
 */
export const bodyBudget = (inAll: number, perNetwork: number, free: number): BodyBudget => {
  const networks = new Map<string, Network>()
  let total = 0

  const release = (name: string, body: Body) => {
    const whose = networks.get(name)
    if (whose?.bodies.delete(body) !== true) return
    whose.bytes -= body.bytes
    total -= body.bytes
    if (whose.bodies.size === 0) networks.delete(name)
  }

  const dropOldest = (name: string) => {
    for (const oldest of networks.get(name)?.bodies ?? []) {
      release(name, oldest)
      oldest.drop()
      return
    }
  }

  const largest = (): string => {
    let found = { name: "", bytes: 0 }
    for (const [name, { bytes }] of networks) if (bytes > found.bytes) found = { name, bytes }
    return found.name
  }

  return {
    begin: (address, drop) => {
      const name = network(address)
      const most = isLoopback(address) ? inAll : perNetwork
      const body: Body = { bytes: 0, drop }
      let arrived = 0
      return {
        hold: (bytes) => {
          arrived += bytes
          const more = arrived - free - body.bytes
          if (more <= 0) return
          const whose = networks.get(name) ?? { bytes: 0, bodies: new Set() }
          networks.set(name, whose)
          whose.bodies.add(body)
          body.bytes += more
          whose.bytes += more
          total += more
          while ((networks.get(name)?.bytes ?? 0) > most) dropOldest(name)
          while (total > inAll) dropOldest(largest())
        },
        release: () => release(name, body)
      }
    }
  }
}
