import { type Client, DatabaseError } from "pg"
import type { Timing } from "../../shared/timing.ts"

/** Which servers may be connected to. */
export interface Servers {
  /** One URL for each. */
  readonly urls: ReadonlyArray<string>
  /** `any`, one that takes writes (`read-write`), one that is no standby (`primary`), or a `standby`. */
  readonly accepted: "any" | "read-write" | "primary" | "standby"
}

/** The server that takes what is sent is away: none was found, or the one that answered was lost. Another may take its place. */
export class ServerAway extends Error {
  override readonly name = "ServerAway"
  /** What each server said, or how the connection was lost. */
  readonly reasons: ReadonlyArray<unknown>

  constructor(message: string, reasons: ReadonlyArray<unknown>) {
    super(message)
    this.reasons = reasons
  }
}

/** The server answers, but is not one of those that are accepted. */
export class ServerUnfit extends Error {
  override readonly name = "ServerUnfit"
}

/** The server did not let the client in in time. */
export class ConnectTimeout extends Error {
  override readonly name = "ConnectTimeout"
}

/** A connection that is being opened. */
export interface Attempt<C extends Client> {
  /** Fails with the server's error, or with `ServerAway` where another server could take its place. */
  readonly connected: Promise<C>
  /** Gives it up, so that it fails at once. */
  readonly abandon: () => void
}

const state =
  "select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only"

const checkFit = async (client: Client, accepted: Servers["accepted"]): Promise<void> => {
  if (accepted === "any") return
  const { rows } = await client.query<{ is_standby: boolean; is_read_only: boolean }>(state)
  const [found] = rows
  if (accepted === "standby") {
    if (found?.is_standby !== true) throw new ServerUnfit("it is no standby")
    return
  }
  if (found?.is_standby !== false) throw new ServerUnfit("it is a standby")
  if (accepted === "read-write" && found.is_read_only) throw new ServerUnfit("it is read-only")
}

const destroy = (client: Client, error?: Error): void => void client.connection.stream.destroy(error)

const nameOf = ({ host, port }: Client): string => `${host}:${port}`

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Opens connections to the first server that answers and is accepted, beginning with the one that the last
 * connection was to. The next one is tried as soon as one has failed, or is late.
 */
export class Connector {
  readonly #servers: Servers
  readonly #timing: Timing["Type"]
  readonly #timeout: number
  #last = 0

  /** @param timeout milliseconds to connect to one server */
  constructor(servers: Servers, timing: Timing["Type"], timeout: number) {
    this.#servers = servers
    this.#timing = timing
    this.#timeout = timeout
  }

  /** Whether another server takes the place of one that is away, as the leader of a cluster does. */
  get seeksLeader(): boolean {
    return ["read-write", "primary"].includes(this.#servers.accepted)
  }

  /** Whether all connections are to the same server. */
  get isFixed(): boolean {
    return this.#servers.urls.length === 1 && !this.seeksLeader
  }

  /** @param make creates a client of the server with this URL, which it does not connect */
  open<C extends Client>(make: (url: string) => C): Attempt<C> {
    const { urls } = this.#servers
    const timing = this.#timing
    const order = urls.map((_, index) => (this.#last + index) % urls.length)
    const { promise, reject, resolve } = Promise.withResolvers<C>()
    const clients = new Set<C>()
    const failures: Array<{ readonly server: string; readonly error: unknown }> = []
    let isOver = false
    const end = (winner?: C) => {
      isOver = true
      for (const client of clients) if (client !== winner) destroy(client)
    }
    const next = () => {
      const index = order.shift()
      if (isOver || index === undefined) return
      const client = make(urls[index] ?? "")
      clients.add(client)
      const hurry = order.length === 0 ? undefined : timing.after(timing.pause("db.next_server"), next)
      this.#connect(client).then(
        () => {
          hurry?.cancel()
          if (isOver) return
          this.#last = index
          end(client)
          resolve(client)
        },
        (error: unknown) => {
          hurry?.cancel()
          clients.delete(client)
          destroy(client)
          failures.push({ server: nameOf(client), error })
          if (isOver) return
          next()
          if (failures.length < urls.length) return
          end()
          reject(this.#failureOf(failures))
        }
      )
    }
    next()
    return {
      connected: promise,
      abandon: () => {
        if (isOver) return
        end()
        reject(new Error("The connection was given up before it was open"))
      }
    }
  }

  async #connect(client: Client): Promise<void> {
    // An unhandled "error" event would end the process. pg reports the error to whoever waits, too.
    client.on("error", () => {})
    const late = this.#timing.after(this.#timeout, () =>
      destroy(client, new ConnectTimeout("timeout expired"))
    )
    try {
      await client.connect()
      await checkFit(client, this.#servers.accepted)
    } finally {
      late.cancel()
    }
  }

  #failureOf(failures: ReadonlyArray<{ readonly server: string; readonly error: unknown }>): unknown {
    const reasons = failures.map(({ error }) => error)
    if (this.isFixed) return reasons[0]
    const sentences = failures.map(({ error, server }) => `${server}: ${sentenceOf(error)}`)
    return new ServerAway(`No server takes connections (${sentences.join("; ")})`, reasons)
  }
}

/** SQLSTATEs of a server that shuts down, has crashed or starts, and of `idle_session_timeout`. */
const goingAway = new Set(["57P01", "57P02", "57P03", "57P05"])

/** SQLSTATE read_only_sql_transaction: the server takes no writes, as a standby does not. */
export const isReadOnlyServer = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "25006"

/** Whether the server ends the connection that got this error. It says so before it closes it. */
export const endsConnection = (error: unknown): boolean =>
  error instanceof DatabaseError && goingAway.has(error.code ?? "")

const isAway = (error: unknown, client: Client): boolean =>
  error instanceof DatabaseError
    ? endsConnection(error) || isReadOnlyServer(error)
    : !client.connection.stream.writable

/** A failure of a statement on this connection: `ServerAway` if its server went away or takes no writes any more. */
export const asServerAway = (error: unknown, client: Client): unknown =>
  isAway(error, client) ? new ServerAway(`The server was lost: ${sentenceOf(error)}`, [error]) : error
