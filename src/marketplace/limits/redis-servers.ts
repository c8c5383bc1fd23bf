import keySlot from "cluster-key-slot"
import { Effect } from "effect"
import type { Timing } from "../../shared/timing.ts"
import {
  addressOf,
  RedisServer,
  type Run,
  refusalIn,
  type Script,
  type ServerState,
  type SlotMap,
  type Wait
} from "./redis-server.ts"

const slotCount = 16_384

/** How often a run is redirected at most. A slot that moves redirects it once or twice. */
const mostRedirections = 8

/** After so many looks (`look`), a cluster is asked again who has which slots. */
const looksPerMap = 20

const never = (): void => {}

/**
 * The one server that `REDIS_URL` names, or the masters of the cluster that the named servers belong to. Which of the
 * two it is, they say themselves.
 *
 * Follows `MOVED` and `ASK`, and learns from any server who has which slots: while something is wrong, at every look.
 * So it follows a failover even if the old master hangs and its connection stays. It never sends a run twice if it may
 * have been executed.
 *
 * Bun's client has no cluster, and neither library fits. Both were tried by hand with a hung master whose replica was
 * promoted: `@redis/client` 6.3 still sent everything to the hung master 18 seconds later, and so did `ioredis` 6.0 until
 * `slotsRefreshInterval` was set. `ioredis` promises only its best effort, and a run costs 9.5 µs of CPU time instead of 6.6.
 */
export class RedisServers {
  readonly #seeds: ReadonlyArray<URL>
  readonly #scripts: ReadonlyArray<Script>
  readonly #timing: Timing["Type"]
  /** By address. */
  readonly #servers = new Map<string, RedisServer>()
  /** The server, if it is in no cluster. */
  #only: RedisServer | undefined
  /** Of a cluster: the master of each slot. */
  #masters: Array<RedisServer | undefined> | undefined
  /** Of a cluster: the addresses of all masters and replicas. */
  #known: ReadonlyArray<string> = []
  #looks = 0
  #learning: Promise<void> | undefined

  /** @param urls one server, or some of a cluster's, with the same credentials */
  constructor(urls: ReadonlyArray<URL>, scripts: ReadonlyArray<Script>, timing: Timing["Type"]) {
    this.#seeds = urls
    this.#scripts = scripts
    this.#timing = timing
  }

  /** Of the server that has the key. */
  stateOf(key: string): ServerState {
    return this.#serverOf(key)?.state ?? "away"
  }

  /** The share of keys whose server can be asked, 0 to 1. */
  get reachable(): number {
    if (this.#masters === undefined) return this.#only === undefined || this.#only.state === "away" ? 0 : 1
    return (
      this.#masters.filter((server) => server !== undefined && server.state !== "away").length / slotCount
    )
  }

  /** What counts, for people. */
  get description(): string {
    return this.#masters === undefined ? "Redis" : `A Redis cluster of ${this.#distinct().length} masters`
  }

  /** What is wrong, for people; undefined if every key's server can be asked. */
  get problem(): string | undefined {
    const away = (servers: Iterable<RedisServer>) =>
      [...servers].flatMap(({ address, problem, state }) =>
        state === "away" ? [`${address}: ${problem ?? "the connection was closed"}`] : []
      )
    if (this.#only !== undefined) return away([this.#only])[0]
    if (this.#masters === undefined) return away(this.#servers.values())[0] ?? "it has not been asked yet"
    const free = this.#masters.filter((server) => server === undefined).length
    const problems = [
      ...(free === 0 ? [] : [`no server has ${free} of the cluster's ${slotCount} slots`]),
      ...away(this.#distinct())
    ]
    return problems.length === 0 ? undefined : problems.slice(0, 3).join("; ")
  }

  /**
   * Runs the script where its keys are. Undefined if there is no result in time; one that comes later goes to `late`.
   * Then, or if the connection is lost, nobody knows whether the script has run.
   */
  ask(run: Run, late: (result: unknown) => void): Promise<unknown> {
    const wait: Wait = { isOver: false, asked: undefined, overdueAt: undefined }
    return new Promise((resolve) => {
      const timer = this.#timing.after("marketplace.redis", () => {
        wait.isOver = true
        wait.asked?.overdue(wait)
        resolve(undefined)
      })
      const end = (result: unknown) => {
        timer.cancel()
        if (!wait.isOver) resolve(result)
        else if (result !== undefined) late(result)
      }
      this.#run(run, wait, end, () => end(undefined))
    })
  }

  /** Runs the script and waits for nothing. The result goes to `late`, unless there is none. */
  tell(run: Run, late: (result: unknown) => void = never): void {
    this.#run(run, { isOver: false, asked: undefined, overdueAt: undefined }, late, never)
  }

  /** How many runs wait for the reply of the server that has the key. */
  owedFor(key: string): number {
    return this.#serverOf(key)?.owed ?? 0
  }

  /** Reconnects what is lost, and learns who has which slots. To be called several times a second. */
  look(): void {
    const needed = new Set(this.#needed())
    for (const server of needed) {
      if (server.state === "away") void this.#tend(server)
      else server.endSilence()
    }
    for (const server of this.#servers.values()) {
      if (needed.has(server)) continue
      server.endSilence()
      // What it owes may still come.
      if (server.owed === 0) this.#forget(server)
    }
    if (this.#masters === undefined) return
    this.#looks++
    if (this.#looks >= looksPerMap || this.#masters.some((server) => server?.state !== "up")) {
      void this.#learnAgain()
    }
  }

  /** Waits until a server has said whether there is a cluster, or none does; then until each master has been tried once. */
  async open(): Promise<void> {
    const asked = this.#needed().map(async (server) => {
      await this.#tend(server)
      if (this.#only === undefined && this.#masters === undefined) throw new Error("It does not say")
    })
    await Promise.any(asked).catch(never)
    await Promise.all(this.#distinct().map((server) => this.#tend(server)))
  }

  close(): void {
    for (const server of this.#servers.values()) this.#forget(server)
  }

  #serverOf(key: string): RedisServer | undefined {
    return this.#masters === undefined ? this.#only : this.#masters[keySlot(key)]
  }

  #distinct(): ReadonlyArray<RedisServer> {
    return [...new Set(this.#masters)].filter((server) => server !== undefined)
  }

  /** The servers that are to be connected: the masters, and while none of them answers, everybody who may know more. */
  #needed(): ReadonlyArray<RedisServer> {
    const masters = this.#distinct()
    if (masters.some(({ state }) => state === "up")) return masters
    const seeds = this.#seeds.map(({ hostname, port }) => addressOf(hostname, port || 6379, ""))
    return [...masters, ...[...seeds, ...this.#known].map((address) => this.#at(address))]
  }

  #at(address: string): RedisServer {
    const known = this.#servers.get(address)
    if (known !== undefined) return known
    const url = new URL(this.#seeds[0]?.href ?? "")
    url.host = address
    const server = new RedisServer(url, this.#scripts, this.#timing)
    this.#servers.set(address, server)
    return server
  }

  #forget(server: RedisServer): void {
    this.#servers.delete(server.address)
    server.close()
  }

  async #tend(server: RedisServer): Promise<void> {
    try {
      this.#learn(server, await server.tend())
    } catch {
      // `problem` says why.
    }
  }

  #learn(from: RedisServer, map: SlotMap): void {
    if (map === undefined) {
      if (this.#seeds.length > 1)
        from.distrust("REDIS_URL names several servers, but this one is in no cluster")
      else if (this.#masters === undefined) this.#only = from
      return
    }
    this.#only = undefined
    this.#looks = 0
    this.#known = [
      ...new Set(map.flatMap(({ master, replicas }) => [master, ...replicas].map(({ address }) => address)))
    ]
    const masters = new Array<RedisServer | undefined>(slotCount)
    for (const { from: first, to: last, master } of map) {
      masters.fill(this.#at(master.address), first, last + 1)
    }
    this.#masters = masters.fill(undefined, slotCount)
    for (const server of this.#distinct()) if (server.state === "away") void this.#tend(server)
  }

  /** Asks the servers that answer, one after the other in no fixed order, until one says who has which slots. */
  #learnAgain(): Promise<void> {
    this.#learning ??= this.#askForMap().finally(() => {
      this.#learning = undefined
    })
    return this.#learning
  }

  async #askForMap(): Promise<void> {
    const able = [...this.#servers.values()].filter(({ state }) => state === "up")
    const first = Math.floor(Math.random() * able.length)
    for (const server of [...able.slice(first), ...able.slice(0, first)]) {
      const map = await server.slots().catch(never)
      if (map !== undefined) return this.#learn(server, map)
    }
  }

  #run(run: Run, wait: Wait, done: (result: unknown) => void, failed: (error: unknown) => void): void {
    const server = this.#serverOf(run.keys[0] ?? "")
    if (server === undefined) {
      failed(new Error("No server has the key"))
      return
    }
    server.run(run, wait, false, done, (error) => {
      this.#follow(run, wait, server, error).then(done, failed)
    })
  }

  /** Sends the run on, as often as it is redirected. Rejects with any other error, after which it may have been executed. */
  async #follow(run: Run, wait: Wait, by: RedisServer, refused: unknown): Promise<unknown> {
    const until = performance.now() + this.#timing.timeout("marketplace.redis")
    let server = by
    let error = refused
    let asking = false
    for (let redirections = 0; redirections <= mostRedirections; redirections++) {
      const refusal = refusalIn(error)
      if (refusal === undefined) throw error
      const [kind, slot, where = ""] = refusal.split(" ")
      if (kind === "TRYAGAIN") {
        redirections--
        await Effect.runPromise(this.#timing.sleep("marketplace.redis_moving"))
      } else if ((kind === "MOVED" || kind === "ASK") && this.#masters !== undefined) {
        asking = kind === "ASK"
        server = this.#redirected(server, where)
        if (!asking) this.#moved(Number(slot), server)
        if (server.state === "away") await this.#tend(server)
      } else {
        server.distrust(refusal)
        throw error
      }
      if (wait.isOver || performance.now() > until) throw error
      try {
        const { promise, reject, resolve } = Promise.withResolvers<unknown>()
        server.run(run, wait, asking, resolve, reject)
        return await promise
      } catch (next) {
        error = next
      }
    }
    throw error
  }

  /** @param where `host:port`; without a host, the server's own */
  #redirected(by: RedisServer, where: string): RedisServer {
    const colon = where.lastIndexOf(":")
    const host = by.address.slice(0, by.address.lastIndexOf(":"))
    return this.#at(addressOf(where.slice(0, colon), where.slice(colon + 1), host))
  }

  #moved(slot: number, to: RedisServer): void {
    if (this.#masters === undefined || !(slot >= 0 && slot < slotCount)) return
    this.#masters[slot] = to
    void this.#learnAgain()
  }
}
