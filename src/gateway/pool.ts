import type { Timer, Timing } from "../shared/timing.ts"
import type { Connection } from "./connection.ts"
import { dial } from "./dial.ts"
import { UpstreamFault } from "./faults.ts"
import { type Caller, Shares } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** Maximum connections to one upstream, so that one that hangs cannot use up all connections. */
export const maxConnections = 512

/** The file descriptors that this process may open; infinite if the system does not say. */
const descriptors = (): number => {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY
}

/** To all upstreams: a quarter of the descriptors, because each call also needs one for its client. */
const usualMaxInAll = Math.min(4_096, Math.floor(descriptors() / 4))

interface Idle {
  readonly connection: Connection
  readonly until: number
}

interface Shared {
  /** Connections in use, idle or being dialled. */
  count: number
  /** A stack: the connection used last is reused first, so that the others expire. */
  readonly idle: Array<Idle>
  readonly places: Shares
}

/** Stops waiting for a lookup after so many milliseconds. The lookup goes on, for other calls. */
const inTime = async <A>(lookup: Promise<A>, milliseconds: number, { after }: Timing["Type"]): Promise<A> => {
  const late = Promise.withResolvers<never>()
  const timer = after(milliseconds, () => late.reject(new UpstreamFault("dns_timeout")))
  try {
    return await Promise.race([lookup, late.promise])
  } finally {
    timer.cancel()
  }
}

/** Resolves and checks the addresses of a host for a publisher. Rejects with an `UpstreamFault`. */
export type AddressesOf = (hostname: string, publisherId: string) => Promise<ReadonlyArray<string>>

/** The gateway's connections to all its upstreams. */
export class Pool {
  readonly #addressesOf: AddressesOf
  readonly #timing: Timing["Type"]
  readonly #idleLifetime: number
  readonly #authorities: string | undefined
  readonly #maxInAll: number
  /** Shared by all upstreams. */
  readonly #places: Shares
  #count = 0
  readonly #origins = new Map<string, Shared>()
  #isClosed = false
  readonly #sweep: Timer

  constructor(
    addressesOf: AddressesOf,
    timing: Timing["Type"],
    authorities?: string,
    maxInAll = usualMaxInAll
  ) {
    this.#addressesOf = addressesOf
    this.#timing = timing
    this.#idleLifetime = timing.timeout("gateway.idle_connection")
    this.#sweep = timing.every("gateway.idle_connections", () => this.#closeOld())
    this.#authorities = authorities
    this.#maxInAll = maxInAll
    this.#places = new Shares(maxInAll)
  }

  /** Takes an idle connection, if there is one and the caller may use another. */
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
   * Opens a connection to the first address that accepts one. It counts against the caller from here until it
   * is released or closed. Rejects with an `UpstreamFault`.
   *
   * @param timeout the caller's timeout in milliseconds
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
    const deadline = Math.min(timeout, this.#timing.timeout("gateway.connect"))
    const until = performance.now() + deadline
    try {
      const addresses =
        origin.address === undefined
          ? await inTime(this.#addressesOf(origin.hostname, caller.publisherId), deadline, this.#timing)
          : [origin.address]
      for (const [at, address] of addresses.entries()) {
        const left = until - performance.now()
        try {
          // The addresses share the time left equally.
          const fair = left / (addresses.length - at)
          return await dial(origin, address, this.#authorities, this.#timing, fair, caller, (closed) => {
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

  /** Takes back a connection once its response has ended. */
  release(origin: Origin, connection: Connection): void {
    const { isReusable, keepAliveSeconds } = connection
    const shared = this.#sharedOf(origin)
    this.#endUse(shared, connection)
    const lifetime =
      keepAliveSeconds === undefined
        ? this.#idleLifetime
        : Math.min(this.#idleLifetime, keepAliveSeconds * 1000 - 1000)
    if (isReusable && lifetime > 0 && !this.#isClosed) {
      shared.idle.push({ connection, until: performance.now() + lifetime })
    } else connection.destroy()
  }

  /** Closes idle connections, and later each one that is released. */
  close(): void {
    this.#isClosed = true
    this.#sweep.cancel()
    for (const { idle } of this.#origins.values()) {
      for (const { connection } of idle.splice(0)) connection.destroy()
    }
  }

  /** @param shared undefined while the upstream has no connections */
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

  /** Closes idle connections of any upstream until the total allows a new one. */
  #makeRoom(): void {
    for (const { idle } of this.#origins.values()) {
      while (this.#count >= this.#maxInAll && idle.length > 0) idle.shift()?.connection.destroy()
    }
  }

  #sharedOf({ href }: Origin): Shared {
    let shared = this.#origins.get(href)
    if (shared === undefined) {
      shared = { count: 0, idle: [], places: new Shares(maxConnections) }
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
