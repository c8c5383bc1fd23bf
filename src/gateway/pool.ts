import type { Connection } from "./connection.ts"
import { dial } from "./dial.ts"
import { UpstreamFault } from "./faults.ts"
import { type Caller, Shares } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** Connections to one upstream at once, at most, so that one that hangs does not use up what all need. */
export const maxConnections = 512

/**
 * Milliseconds for which an idle connection is kept: less than the five seconds after which common servers close theirs,
 * for a request that crosses such a closing is lost, and is not repeated.
 */
const idleLifetime = 4_000

/** Milliseconds for connecting, TLS included, at all addresses of a name together. */
const connectDeadline = 10_000

interface Idle {
  readonly connection: Connection
  readonly until: number
}

interface Shared {
  /** Handed out, idle, and being dialled. */
  count: number
  /** The one that was used last is used next, so that the others can grow old. */
  readonly idle: Array<Idle>
  /** Of those that are neither idle nor free. */
  readonly shares: Shares
}

/** Whether the caller may use one more connection. */
const hasRoom = ({ count, idle, shares }: Shared, caller: Caller): boolean =>
  shares.permits(caller, maxConnections - (count - idle.length))

const endUse = ({ shares }: Shared, connection: Connection): void => {
  if (connection.usedBy !== undefined) shares.giveBack(connection.usedBy)
  connection.usedBy = undefined
}

/** The addresses of a host, checked, on a publisher's behalf; rejects with an `UpstreamFault`. */
export type AddressesOf = (hostname: string, publisherId: string) => Promise<ReadonlyArray<string>>

/** The connections of the gateway to all its upstreams. */
export class Pool {
  readonly #addressesOf: AddressesOf
  readonly #authorities: string | undefined
  readonly #origins = new Map<string, Shared>()
  #isClosed = false
  readonly #sweep = setInterval(() => this.#closeOld(), 1_000).unref()

  /** @param authorities certificates to trust instead of the system's, as PEM */
  constructor(addressesOf: AddressesOf, authorities?: string) {
    this.#addressesOf = addressesOf
    this.#authorities = authorities
  }

  /** An idle connection to the upstream, if there is one and the caller may use another. */
  takeIdle(origin: Origin, caller: Caller): Connection | undefined {
    const shared = this.#origins.get(origin.href)
    if (shared === undefined || !hasRoom(shared, caller)) return undefined
    const now = performance.now()
    for (let last = shared.idle.pop(); last !== undefined; last = shared.idle.pop()) {
      const { connection, until } = last
      if (connection.isReusable && now < until) {
        shared.shares.take(caller)
        connection.usedBy = caller
        return connection
      }
      connection.destroy()
    }
    return undefined
  }

  /**
   * A new connection, at the first address that takes it. No request has been sent before, so that trying the next
   * address repeats nothing. It counts as the caller's from the beginning, until it is released or closed.
   *
   * @param timeout milliseconds that the caller has
   * @returns a promise that rejects with an `UpstreamFault`
   */
  async dial(origin: Origin, timeout: number, caller: Caller): Promise<Connection> {
    const shared = this.#sharedOf(origin)
    if (!hasRoom(shared, caller)) throw new UpstreamFault("connection_limit_reached")
    shared.count++
    shared.shares.take(caller)
    const until = performance.now() + Math.min(timeout, connectDeadline)
    try {
      const addresses =
        origin.address === undefined
          ? await this.#addressesOf(origin.hostname, caller.publisherId)
          : [origin.address]
      for (const [at, address] of addresses.entries()) {
        const left = until - performance.now()
        try {
          // The last address has all the time that is left, each before it a fair share.
          const fair = left / (addresses.length - at)
          return await dial(origin, address, this.#authorities, fair, caller, (closed) => {
            endUse(shared, closed)
            this.#closed(origin, shared)
          })
        } catch (fault) {
          if (at === addresses.length - 1) throw fault
        }
      }
      throw new UpstreamFault("dns_error")
    } catch (fault) {
      shared.shares.giveBack(caller)
      this.#closed(origin, shared)
      throw fault
    }
  }

  /** Takes back a connection whose answer has ended. */
  release(origin: Origin, connection: Connection): void {
    const { isReusable, keepAliveSeconds } = connection
    const shared = this.#sharedOf(origin)
    endUse(shared, connection)
    const lifetime =
      keepAliveSeconds === undefined ? idleLifetime : Math.min(idleLifetime, keepAliveSeconds * 1000 - 1000)
    if (isReusable && lifetime > 0 && !this.#isClosed) {
      shared.idle.push({ connection, until: performance.now() + lifetime })
    } else connection.destroy()
  }

  /** Closes what is idle and keeps nothing from now on. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweep)
    for (const { idle } of this.#origins.values()) {
      for (const { connection } of idle.splice(0)) connection.destroy()
    }
  }

  #sharedOf({ href }: Origin): Shared {
    let shared = this.#origins.get(href)
    if (shared === undefined) {
      shared = { count: 0, idle: [], shares: new Shares() }
      this.#origins.set(href, shared)
    }
    return shared
  }

  #closed({ href }: Origin, shared: Shared): void {
    shared.count--
    if (shared.count === 0 && this.#origins.get(href) === shared) this.#origins.delete(href)
  }

  #closeOld(): void {
    const now = performance.now()
    for (const { idle } of [...this.#origins.values()]) {
      while (idle[0] !== undefined && (now >= idle[0].until || !idle[0].connection.isReusable)) {
        idle.shift()?.connection.destroy()
      }
    }
  }
}
