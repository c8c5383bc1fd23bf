import { connect as connectInTheClear } from "node:net"
import { connect as connectByTls } from "node:tls"
import keySlot from "cluster-key-slot"
import { hasCode, messageOf } from "../../shared/error.ts"
import type { Timing } from "../../shared/timing.ts"

/** A script: its text, and the hash by which Redis knows it. */
export interface Script {
  readonly text: string
  readonly sha: string
}

/** A run of a script. Its keys are in one slot. */
export interface Run {
  readonly script: Script
  readonly keys: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
}

interface ClusterNode {
  /** `host:port`. */
  readonly address: string
  readonly id: string
}

/** A range of slots, the server that has it, and those that have copies. */
interface SlotRange {
  readonly from: number
  readonly to: number
  readonly master: ClusterNode
  readonly replicas: ReadonlyArray<ClusterNode>
}

/** Who has which slots, as a server sees it; undefined if it is in no cluster. */
export type SlotMap = ReadonlyArray<SlotRange> | undefined

/**
 * - `up`: it replies in time.
 * - `slow`: its replies take longer than a call may wait. What it is sent still counts.
 * - `away`: it cannot be asked: no connection, or it runs no scripts.
 */
export type ServerState = "up" | "slow" | "away"

/** A caller of a run, who stops waiting for it at some time. */
export interface Wait {
  /** Whether the caller has stopped waiting. */
  isOver: boolean
  /** The server that is being asked. */
  asked: RedisServer | undefined
  /** The server that counts it as overdue. */
  overdueAt: RedisServer | undefined
}

/** What Redis replied instead of a result, such as `MOVED 3999 127.0.0.1:6381`; undefined for any other error. */
export const refusalIn = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && error.code === "ERR_REDIS_SERVER_ERROR"
    ? error.message
    : undefined

const isClosed = (error: unknown): boolean => hasCode(error, "ERR_REDIS_CONNECTION_CLOSED")

/** @param asked the host that replied: an empty host means it */
export const addressOf = (host: unknown, port: unknown, asked: string): string => {
  const name = typeof host === "string" && host !== "" && host !== "?" ? host : asked
  return `${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`
}

/** Reads the reply to `CLUSTER SLOTS`. */
const slotMapOf = (reply: unknown, asked: string): ReadonlyArray<SlotRange> => {
  const nodeOf = (node: unknown): ClusterNode => {
    const [host, port, id] = Array.isArray(node) ? node : []
    return { address: addressOf(host, port, asked), id: String(id) }
  }
  return (Array.isArray(reply) ? reply.filter(Array.isArray) : []).map(
    ([from, to, master, ...replicas]): SlotRange => ({
      from: Number(from),
      to: Number(to),
      master: nodeOf(master),
      replicas: replicas.map(nodeOf)
    })
  )
}

/** A key in one of the slots. */
const keyIn = (ranges: ReadonlyArray<SlotRange>): string => {
  for (let i = 0; ; i++) {
    const key = `doorlock:limits:{${i}}:probe`
    const slot = keySlot(key)
    if (ranges.some(({ from, to }) => from <= slot && slot <= to)) return key
  }
}

/**
 * Why a server cannot be used, in its own words if it has any: Bun's client says only that the connection was
 * closed, for a wrong password, too.
 */
const reasonOf = (url: URL, millis: number): Promise<string> =>
  new Promise((resolve) => {
    const isTls = url.protocol === "rediss:"
    const [host, port] = [url.hostname.replace(/^\[|\]$/g, ""), Number(url.port || 6379)]
    const socket = isTls ? connectByTls({ host, port }) : connectInTheClear({ host, port })
    const end = (reason: string) => {
      resolve(reason)
      socket.destroy()
    }
    const words = (...all: ReadonlyArray<string>) =>
      `*${all.length}\r\n${all.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    socket.setTimeout(millis, () => end("it does not reply"))
    socket.on("error", (error) => end(messageOf(error)))
    socket.on("close", () => end("it closes the connection"))
    socket.on(isTls ? "secureConnect" : "connect", () =>
      socket.write(password === "" ? words("PING") : words("AUTH", user || "default", password))
    )
    socket.on("data", (data) => {
      const [reply = ""] = data.toString().split("\r\n")
      end(reply.startsWith("-") ? reply.slice(1) : "it closes the connection")
    })
  })

/**
 * A connection to one server. It never sends anything twice, and does not reconnect by itself: `tend` does, and
 * makes sure first that the server runs scripts. A server that is slow keeps its connection (`ServerState`).
 */
export class RedisServer {
  /** `host:port`. */
  readonly address: string
  /** Why the server is away. */
  problem: string | undefined = "it has not been asked yet"
  readonly #url: URL
  readonly #scripts: ReadonlyArray<Script>
  readonly #timing: Timing["Type"]
  /** Milliseconds: a server that takes longer is slow. */
  readonly #mostDelay: number
  readonly #client: Bun.RedisClient
  #ready = false
  #tending: Promise<SlotMap> | undefined
  /** Whether `problem` says why the connection cannot be made. */
  #isExplained = false
  /** Commands without a reply, and how many of them are later than a call may wait. */
  #owed = 0
  #overdue = 0
  /** How long the latest reply took. */
  #delay = 0
  /** When the latest reply came, or if it came before, when the first of the owed was asked for. */
  #heardAt = 0

  /** @param url with the credentials */
  constructor(url: URL, scripts: ReadonlyArray<Script>, timing: Timing["Type"]) {
    this.address = addressOf(url.hostname, url.port || 6379, "")
    this.#url = url
    this.#scripts = scripts
    this.#timing = timing
    this.#mostDelay = timing.timeout("marketplace.redis")
    // Bun would give up after some tries, and calls must not wait for a connection.
    this.#client = new Bun.RedisClient(url.href, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: timing.timeout("marketplace.redis_connect")
    })
  }

  get state(): ServerState {
    if (!this.#ready || !this.#client.connected) return "away"
    return this.#owed > 0 && (this.#overdue > 0 || this.#delay > this.#mostDelay) ? "slow" : "up"
  }

  /** Commands without a reply. */
  get owed(): number {
    return this.#owed
  }

  /**
   * Runs the script, and calls `done` or `failed`: with promises around promises a call took 11.3 µs of CPU time instead of
   * 9.7. If the error is what Redis replied instead (`refusalIn`), the script has not run; after any other error it may
   * have run. `asking`: Redis said `ASK`.
   */
  run(
    { args, keys, script: { sha, text } }: Run,
    wait: Wait,
    asking: boolean,
    done: (result: unknown) => void,
    failed: (error: unknown) => void
  ): void {
    const rest = [String(keys.length), ...keys, ...args]
    const send = (command: string, script: string, refused: (error: unknown) => void) => {
      const askedAt = this.#asks()
      wait.asked = this
      const end = () => {
        this.#hears(askedAt)
        wait.asked = undefined
        if (wait.overdueAt !== this) return
        wait.overdueAt = undefined
        this.#overdue--
      }
      // Both are written at once, so nothing comes between them.
      if (asking) void this.#ask("ASKING", []).catch(() => {})
      this.#client.send(command, [script, ...rest]).then(
        (result) => {
          end()
          done(result)
        },
        (error: unknown) => {
          end()
          refused(error)
        }
      )
    }
    send("EVALSHA", sha, (error) => {
      // Redis was restarted, or its scripts were flushed.
      if (refusalIn(error)?.startsWith("NOSCRIPT") === true) send("EVAL", text, failed)
      else failed(error)
    })
  }

  /** The caller has waited for so long that the server counts as slow, until it replies. */
  overdue(wait: Wait): void {
    wait.overdueAt = this
    this.#overdue++
  }

  /** Who has which slots. */
  async slots(): Promise<SlotMap> {
    try {
      return slotMapOf(await this.#soon("CLUSTER", "SLOTS"), this.#url.hostname)
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal === undefined || !/cluster support|unknown (?:sub)?command|^NOPERM/i.test(refusal))
        throw error
      return undefined
    }
  }

  /** The server is of no use until `tend` has looked at it again. */
  distrust(reason: string): void {
    this.problem = reason
    this.#ready = false
  }

  /** Connects if necessary, and makes sure that the server runs scripts. One at a time. Rejects if it cannot be used. */
  tend(): Promise<SlotMap> {
    this.#tending ??= this.#tend().finally(() => {
      this.#tending = undefined
    })
    return this.#tending
  }

  /** Closes the connection if the server owes replies and is silent. */
  endSilence(): void {
    const silence = performance.now() - this.#heardAt
    if (this.#owed === 0 || silence < this.#timing.timeout("marketplace.redis_silence")) return
    this.#lose("it does not reply")
  }

  close(): void {
    this.#lose("closed")
  }

  #lose(reason: string): void {
    this.distrust(reason)
    this.#client.close()
  }

  async #tend(): Promise<SlotMap> {
    try {
      if (!this.#client.connected) await this.#client.connect()
      const map = await this.slots()
      await this.#probe(map)
      // Otherwise the first EVALSHA would be retried, and could arrive after commands sent later.
      for (const { text } of this.#scripts) await this.#soon("SCRIPT", "LOAD", text)
      this.#ready = true
      this.#isExplained = false
      this.problem = undefined
      return map
    } catch (error) {
      if (!isClosed(error)) this.#lose(messageOf(error))
      else if (!this.#isExplained) {
        // Once for each loss: at each try, this would be a second connection.
        this.#isExplained = true
        this.#lose(await reasonOf(this.#url, this.#timing.timeout("marketplace.redis_connect")))
      }
      throw error
    }
  }

  /** Writes, because a replica or a full server replies but is of no use. */
  async #probe(map: SlotMap): Promise<void> {
    let key = "doorlock:limits:probe"
    if (map !== undefined) {
      const id = await this.#soon("CLUSTER", "MYID")
      const own = map.filter(({ master }) => master.id === id)
      // A replica, or a master without slots: it knows who has them.
      if (own.length === 0) return
      key = keyIn(own)
    }
    await this.#soon("SET", key, "1", "PX", "1000")
  }

  /** Closes the connection if there is no reply in time. */
  async #soon(command: string, ...args: ReadonlyArray<string>): Promise<unknown> {
    const timer = this.#timing.after("marketplace.redis", () => this.#lose("it does not reply"))
    try {
      return await this.#ask(command, args)
    } finally {
      timer.cancel()
    }
  }

  async #ask(command: string, args: ReadonlyArray<string>): Promise<unknown> {
    const askedAt = this.#asks()
    try {
      return await this.#client.send(command, [...args])
    } finally {
      this.#hears(askedAt)
    }
  }

  #asks(): number {
    const now = performance.now()
    if (this.#owed++ === 0) this.#heardAt = now
    return now
  }

  #hears(askedAt: number): void {
    this.#owed--
    this.#heardAt = performance.now()
    this.#delay = this.#heardAt - askedAt
  }
}
