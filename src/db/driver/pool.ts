import type { Timer, Timing } from "../../shared/timing.ts"
import { Overloaded } from "./errors.ts"
import type { Call, Executor } from "./execution.ts"
import type { PipelinedClient } from "./pipelined-client.ts"
import { PooledConnection } from "./pooled-connection.ts"
import {
  type Attempt,
  asServerAway,
  ConnectTimeout,
  endsConnection,
  isReadOnlyServer,
  ServerAway
} from "./servers.ts"
import { remove, WaitingLine, type WaitingTransaction } from "./waiting-line.ts"

/** Maximum unanswered statements per connection. */
const maxLoad = 32

/** Maximum short reads per write: beyond it, waiting for each other costs more than another write. */
const maxTogether = 8

interface PoolOptions {
  readonly open: () => Attempt<PipelinedClient>
  /** Whether another server may take the place of one that is away, so that waiting for it helps. */
  readonly seeksLeader: boolean
  /** Whether all connections are to the same server. */
  readonly isServerFixed: boolean
  readonly maxConnections: number
  readonly timing: Timing["Type"]
  /** Maximum milliseconds to wait for a connection. */
  readonly timeout: number
  /** Milliseconds without a reply after which a connection is closed. */
  readonly answerTimeout: number
  readonly onLost: (error: Error) => void
}

const closed = () => new Error("The database connections are closed")

const noneFree = "No database connection became free in time"

/**
 * This process's connections to the database.
 *
 * A short read is sent together with others of the same turn of the event loop. Any other statement goes to
 * an idle connection, or else to a new one, or at the limit behind the fewest others. A transaction gets a
 * connection to itself. A lost connection is dropped, and the next statement opens another. While no server is found
 * although one may take the place of another, callers wait for it, and fail with `ServerAway`. Once another is found, connections to the
 * one before get nothing more.
 */
export class ConnectionPool implements Executor {
  readonly #options: PoolOptions
  readonly #connections: Array<PooledConnection> = []
  readonly #opening = new Set<Attempt<PipelinedClient>>()
  readonly #waiting = new WaitingLine()
  /** Why no server was found when one was looked for last. */
  #away: ServerAway | undefined
  #nextSearch: Timer | undefined
  /** When a statement last had a result (monotonic). */
  #answeredAt = Number.NEGATIVE_INFINITY
  readonly #checks: Timer
  /** When deadlines were last looked at (monotonic). */
  #lookedAt = performance.now()
  /** In milliseconds. */
  readonly #slow: number
  readonly #idleLifetime: number
  #closed: PromiseWithResolvers<void> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    const { timing } = options
    this.#slow = timing.pause("db.slow_statement")
    this.#idleLifetime = timing.timeout("db.idle_connection")
    this.#checks = timing.every("db.check_pool", () => this.#check())
  }

  execute(call: Call): () => void {
    const connection = this.#choose(call)
    if (connection !== undefined) return this.#send(connection, call)
    if (this.#closed !== undefined) {
      call.settle(closed(), [])
      return () => {}
    }
    const abandon = this.#waiting.add(call, this.#fromNow())
    this.#openForWaiting()
    return abandon
  }

  /** Requests an exclusive connection. Calls `settle` once. */
  reserve(settle: WaitingTransaction["settle"]): void {
    if (this.#closed !== undefined) {
      settle(closed(), undefined)
      return
    }
    const usable = this.#connections.filter(({ isUsable }) => isUsable)
    const idle = usable.find(({ isIdle }) => isIdle)
    if (idle !== undefined) {
      this.#hand(idle, settle)
      return
    }
    this.#waiting.transactions.push({ settle, ...this.#fromNow() })
    this.#openForWaiting()
    if (this.#opening.size > 0) return
    const [least] = usable.sort((left, right) => left.client.load - right.client.load)
    if (least !== undefined) least.isDraining = true
  }

  /** Closes each connection once it is free. Resolves when all are closed. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers()
    this.#waiting.failLate(Number.POSITIVE_INFINITY, closed)
    this.#nextSearch?.cancel()
    for (const { abandon } of this.#opening) abandon()
    for (const connection of [...this.#connections]) this.#retire(connection)
    this.#settleClosed()
    return this.#closed.promise
  }

  destroy(): void {
    for (const { abandon } of this.#opening) abandon()
    for (const { client } of this.#connections) client.connection.stream.destroy()
  }

  get counts(): { readonly inUse: number; readonly idle: number; readonly waiting: number } {
    const idle = this.#connections.filter(({ isIdle }) => isIdle).length
    return { inUse: this.#size - idle, idle, waiting: this.#waiting.length }
  }

  get #size(): number {
    return this.#connections.length + this.#opening.size
  }

  #fromNow(): { readonly since: number; readonly until: number } {
    const since = performance.now()
    return { since, until: since + this.#options.timeout }
  }

  /** Why a caller waited until its deadline: this reason, unless others had results meanwhile. */
  #unless(reason: unknown): (since: number) => unknown {
    return (since) => (since < this.#answeredAt ? new Overloaded(noneFree, { cause: reason }) : reason)
  }

  /** The connection for a statement, or undefined if it should wait. */
  #choose(call: Call): PooledConnection | undefined {
    const now = performance.now()
    let idle: PooledConnection | undefined
    let least: PooledConnection | undefined
    for (const connection of this.#connections) {
      if (!connection.isUsable) continue
      const { busySince, load } = connection.client
      if (busySince === undefined) {
        idle ??= connection
        continue
      }
      if (now - busySince > this.#slow) continue
      if (load < maxTogether && connection.client.canJoin(call)) return connection
      if (load < (least?.client.load ?? maxLoad)) least = connection
    }
    return idle ?? (this.#size < this.#options.maxConnections ? undefined : least)
  }

  #send(connection: PooledConnection, call: Call): () => void {
    let isSettled = false
    const abandon = connection.client.execute({
      ...call,
      settle: (error, rows) => {
        isSettled = true
        if (!error) this.#answeredAt = performance.now()
        call.settle(error ? this.#failureOf(error, connection) : error, rows)
        this.#serve(connection)
      }
    })
    return () => {
      if (isSettled) return
      abandon()
      if (connection.state === "reserved") this.#cancel(connection)
      else this.#retire(connection)
    }
  }

  /** Of a statement. A connection that the server is about to close, or to a server that takes no writes any more, is given up. */
  #failureOf(error: unknown, connection: PooledConnection): unknown {
    if (endsConnection(error)) connection.isRetired = true
    if (!this.#options.seeksLeader) return error
    if (isReadOnlyServer(error)) connection.isRetired = true
    return asServerAway(error, connection.client)
  }

  #openForWaiting(): void {
    if (this.#nextSearch !== undefined || this.#closed !== undefined) return
    // One is enough to find out whether the server is back.
    const most = this.#away === undefined ? this.#waiting.length : Math.min(this.#waiting.length, 1)
    while (this.#opening.size < most && this.#size < this.#options.maxConnections) this.#open()
  }

  #open(): void {
    const attempt = this.#options.open()
    this.#opening.add(attempt)
    attempt.connected.then(
      (client) => {
        this.#opening.delete(attempt)
        this.#take(client)
      },
      (error: unknown) => {
        this.#opening.delete(attempt)
        this.#settleClosed()
        if (error instanceof ServerAway && this.#options.seeksLeader) this.#seekLater(error)
        // It was opened for the caller that has waited longest.
        else this.#waiting.failFirst(error instanceof ConnectTimeout ? this.#unless(error) : () => error)
        this.#openForWaiting()
      }
    )
  }

  #seekLater(error: ServerAway): void {
    this.#away = error
    if (this.#closed !== undefined) return
    const { timing } = this.#options
    this.#nextSearch ??= timing.after(timing.pause("db.seek_server"), () => {
      this.#nextSearch = undefined
      this.#openForWaiting()
    })
  }

  /** Uses a connection that has been opened. */
  #take(client: PipelinedClient): void {
    const connection = new PooledConnection(client)
    this.#connections.push(connection)
    client.on("error", (error) => {
      if (this.#drop(connection)) this.#options.onLost(error)
      void client.end()
    })
    client.on("end", () => this.#drop(connection))
    this.#away = undefined
    if (this.#options.seeksLeader) this.#leaveOthers(client)
    if (this.#closed === undefined) this.#serve(connection)
    else this.#retire(connection)
    this.#openForWaiting()
  }

  /** Another server leads now. The one that led may hang, or answer for a while what is no longer true. */
  #leaveOthers({ host, port }: PipelinedClient): void {
    for (const other of [...this.#connections]) {
      if (other.client.host !== host || other.client.port !== port) this.#retire(other)
    }
  }

  /** Gives the connection to waiting callers, after a reply or when it becomes free. */
  #serve(connection: PooledConnection): void {
    const { client } = connection
    const { statements, transactions } = this.#waiting
    if (connection.isRetired) this.#retire(connection)
    if (!connection.isShared) return
    if (client.load === 0) {
      const transaction = transactions.shift()
      if (transaction !== undefined) {
        this.#hand(connection, transaction.settle)
        return
      }
      connection.idleSince = performance.now()
    }
    if (transactions.length === 0) for (const other of this.#connections) other.isDraining = false
    while (statements.length > 0 && !connection.isDraining && client.load < maxLoad) {
      // The connections being opened are for the waiting statements.
      if (client.load > 0 && this.#opening.size > 0) return
      const statement = statements.shift()
      if (statement !== undefined) statement.abandon = this.#send(connection, statement.call)
    }
  }

  #hand(connection: PooledConnection, settle: WaitingTransaction["settle"]): void {
    connection.state = "reserved"
    connection.isDraining = false
    settle(undefined, {
      execute: (call) => this.#send(connection, call),
      release: () => {
        connection.state = "shared"
        // An unsent cancellation has nothing left to cancel.
        this.#waiting.withdraw(connection.cancels)
        if (connection.isClean) this.#serve(connection)
        else this.#retire(connection)
      }
    })
  }

  /** Sends nothing more on it, and closes it once nobody waits for its replies. */
  #retire(connection: PooledConnection): void {
    const { client } = connection
    connection.isRetired = true
    if (connection.state === "reserved" || client.isAwaited) return
    if (client.load > 0) this.#cancel(connection)
    else void client.end()
  }

  /**
   * Cancels, through another connection, what this one executes. If that fails, the timeout ends it. Another connection may be to another
   * server, where the process id is somebody else's: a request for the same server has a secret of this one.
   */
  #cancel(connection: PooledConnection): void {
    if (connection.client.isPooled || !this.#options.isServerFixed) connection.requestCancel()
    else this.execute(connection.cancellation())
  }

  /** Removes a closed connection. Returns whether it was still there. */
  #drop(connection: PooledConnection): boolean {
    if (!remove(this.#connections, connection)) return false
    this.#settleClosed()
    this.#openForWaiting()
    return true
  }

  #settleClosed(): void {
    if (this.#closed === undefined || this.#size > 0) return
    this.#checks.cancel()
    this.#closed.resolve()
  }

  /**
   * Of those who were late at the last look already, so that everything has been read since that came in time: a process that
   * stands still does not read.
   */
  #check(): void {
    const now = this.#lookedAt
    this.#lookedAt = performance.now()
    for (const connection of [...this.#connections]) {
      connection.client.closeIfBusySince(now - this.#options.answerTimeout)
      if (connection.isIdle && now - connection.idleSince > this.#idleLifetime) this.#retire(connection)
    }
    this.#waiting.failLate(now, this.#unless(this.#away ?? new Error(noneFree)))
  }
}
