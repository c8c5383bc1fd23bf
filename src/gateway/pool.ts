import type { Connection } from "./connection.ts"
import { dial } from "./dial.ts"
import { UpstreamFault } from "./faults.ts"
import { type Caller, Shares } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** Connections to one upstream at once, at most, so that one that hangs does not use up what all need. */
export const maxConnections = 512

/** File descriptors that this process may have open; without end where the system does not say. */
const descriptors = (): number => {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY
}

/** Connections to all upstreams at once, at most. Of the descriptors most are left: each call has its caller's connection, too. */
const usualMaxInAll = Math.min(4_096, Math.floor(descriptors() / 4))

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

/** So many connections, of which each caller may use its share; idle ones are nobody's. */
class Places {
  readonly #max: number
  readonly #shares = new Shares()
  #used = 0

  constructor(max: number) {
    this.#max = max
  }

  permits(caller: Caller): boolean {
    return this.#shares.permits(caller, this.#max - this.#used)
  }

  take(caller: Caller): void {
    this.#used++
    this.#shares.take(caller)
  }

  giveBack(caller: Caller): void {
    this.#used--
    this.#shares.giveBack(caller)
  }
}

/** The connections to one upstream. */
interface Shared {
  /** Handed out, idle, and being dialled. */
  count: number
  /** The one that was used last is used next, so that the others can grow old. */
  readonly idle: Array<Idle>
  readonly places: Places
}

/** The addresses of a host, checked, on a publisher's behalf; rejects with an `UpstreamFault`. */
export type AddressesOf = (hostname: string, publisherId: string) => Promise<ReadonlyArray<string>>

/** The connections of the gateway to all its upstreams. */
export class Pool {
  readonly #addressesOf: AddressesOf
  readonly #authorities: string | undefined
  readonly #maxInAll: number
  /** Of all upstreams. */
  readonly #places: Places
  #count = 0
  readonly #origins = new Map<string, Shared>()
  #isClosed = false
  readonly #sweep = setInterval(() => this.#closeOld(), 1_000).unref()

  /**
   * @param authorities certificates to trust instead of the system's, as PEM
   * @param maxInAll connections to all upstreams at once, at most
   */
  constructor(addressesOf: AddressesOf, authorities?: string, maxInAll = usualMaxInAll) {
    this.#addressesOf = addressesOf
    this.#authorities = authorities
    this.#maxInAll = maxInAll
    this.#places = new Places(maxInAll)
  }

  /** An idle connection to the upstream, if there is one and the caller may use another. */
  takeIdle(origin: Origin, caller: Caller): Connection | undefined {
    const shared = this.#origins.get(origin.href)
    if (shared === undefined || !this.#permits(shared, caller)) return undefined
    const now = performance.now()
    for (let last = shared.idle.pop(); last !== undefined; last = shared.idle.pop()) {
      const { connection, until } = last
      if (connection.isReusable && now < until) {
        this.#take(shared, caller)
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
    if (!this.#permits(this.#origins.get(origin.href), caller)) {
      throw new UpstreamFault("connection_limit_reached")
    }
    this.#makeRoom()
    const shared = this.#sharedOf(origin)
    shared.count++
    this.#count++
    this.#take(shared, caller)
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
            this.#endUse(shared, closed)
            this.#closed(origin, shared)
          })
        } catch (fault) {
          if (at === addresses.length - 1) throw fault
        }
      }
      throw new UpstreamFault("dns_error")
    } catch (fault) {
      this.#giveBack(shared, caller)
      this.#closed(origin, shared)
      throw fault
    }
  }

  /** Takes back a connection whose answer has ended. */
  release(origin: Origin, connection: Connection): void {
    const { isReusable, keepAliveSeconds } = connection
    const shared = this.#sharedOf(origin)
    this.#endUse(shared, connection)
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

  /** Whether the caller may use one more connection to an upstream, of which there may be none yet. */
  #permits(shared: Shared | undefined, caller: Caller): boolean {
    return this.#places.permits(caller) && shared?.places.permits(caller) !== false
  }

  #take({ places }: Shared, caller: Caller): void {
    this.#places.take(caller)
    places.take(caller)
  }

  #giveBack({ places }: Shared, caller: Caller): void {
    this.#places.giveBack(caller)
    places.giveBack(caller)
  }

  #endUse(shared: Shared, connection: Connection): void {
    if (connection.usedBy !== undefined) this.#giveBack(shared, connection.usedBy)
    connection.usedBy = undefined
  }

  /** Closes idle connections, of whichever upstream, until there may be a new one. */
  #makeRoom(): void {
    for (const { idle } of this.#origins.values()) {
      while (this.#count >= this.#maxInAll && idle.length > 0) idle.shift()?.connection.destroy()
    }
  }

  #sharedOf({ href }: Origin): Shared {
    let shared = this.#origins.get(href)
    if (shared === undefined) {
      shared = { count: 0, idle: [], places: new Places(maxConnections) }
      this.#origins.set(href, shared)
    }
    return shared
  }

  #closed({ href }: Origin, shared: Shared): void {
    shared.count--
    this.#count--
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
