import type { Call, Executor } from "./execution.ts"
import type { PipelinedClient } from "./pipelined-client.ts"
import { PooledConnection } from "./pooled-connection.ts"
import { remove, WaitingLine, type WaitingTransaction } from "./waiting-line.ts"

/** Maximum unanswered statements per connection. */
const maxLoad = 32

/** Maximum short reads per write: beyond it, waiting for each other costs more than another write. */
const maxTogether = 8

/** A statement that takes longer (ms) may be waiting for a lock, so no other is sent behind it. */
const slow = 50

/** Milliseconds until an idle connection is closed. */
const idleLifetime = 60_000

/** Milliseconds between two checks for timeouts. */
const checkInterval = 100

interface PoolOptions {
  /** Creates a client, which the pool connects. */
  readonly open: () => PipelinedClient
  readonly maxConnections: number
  /** Maximum milliseconds to wait for a connection. */
  readonly timeout: number
  /** Milliseconds without a reply after which a connection is closed. */
  readonly answerTimeout: number
  readonly onLost: (error: Error) => void
}

const closed = () => new Error("The database connections are closed")

/**
 * This process's connections to the database.
 *
 * A short read is sent together with others of the same turn of the event loop. Any other statement goes to
 * an idle connection, or else to a new one, or at the limit behind the fewest others. A transaction gets a
 * connection to itself. A lost connection is dropped, and the next statement opens another.
 */
export class ConnectionPool implements Executor {
  readonly #options: PoolOptions
  readonly #connections: Array<PooledConnection> = []
  readonly #waiting = new WaitingLine()
  readonly #checks = setInterval(() => this.#check(performance.now()), checkInterval).unref()
  #closed: PromiseWithResolvers<void> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  execute(call: Call): () => void {
    const connection = this.#choose(call)
    if (connection !== undefined) return this.#send(connection, call)
    if (this.#closed !== undefined) {
      call.settle(closed(), [])
      return () => {}
    }
    const abandon = this.#waiting.add(call, performance.now() + this.#options.timeout)
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
    this.#waiting.transactions.push({ settle, until: performance.now() + this.#options.timeout })
    this.#openForWaiting()
    if (this.#opening > 0) return
    const [least] = usable.sort((left, right) => left.client.load - right.client.load)
    if (least !== undefined) least.isDraining = true
  }

  /** Closes each connection once it is free. Resolves when all are closed. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers()
    this.#waiting.failLate(Number.POSITIVE_INFINITY, closed())
    for (const connection of [...this.#connections]) this.#retire(connection)
    this.#settleClosed()
    return this.#closed.promise
  }

  destroy(): void {
    for (const { client } of this.#connections) client.connection.stream.destroy()
  }

  get counts(): { readonly inUse: number; readonly idle: number; readonly waiting: number } {
    const idle = this.#connections.filter(({ isIdle }) => isIdle).length
    return { inUse: this.#connections.length - idle, idle, waiting: this.#waiting.length }
  }

  get #opening(): number {
    return this.#connections.filter(({ state }) => state === "opening").length
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
      if (now - busySince > slow) continue
      if (load < maxTogether && connection.client.canJoin(call)) return connection
      if (load < (least?.client.load ?? maxLoad)) least = connection
    }
    return idle ?? (this.#connections.length < this.#options.maxConnections ? undefined : least)
  }

  #send(connection: PooledConnection, call: Call): () => void {
    let isSettled = false
    const abandon = connection.client.execute({
      ...call,
      settle: (error, rows) => {
        isSettled = true
        call.settle(error, rows)
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

  #openForWaiting(): void {
    for (let opening = this.#opening; opening < this.#waiting.length; opening++) {
      if (this.#connections.length >= this.#options.maxConnections) return
      this.#open()
    }
  }

  #open(): void {
    const client = this.#options.open()
    const connection = new PooledConnection(client)
    this.#connections.push(connection)
    client.on("error", (error) => {
      if (this.#drop(connection)) this.#options.onLost(error)
      void client.end()
    })
    client.on("end", () => this.#drop(connection))
    client.connect((error: Error | null | undefined) => {
      if (error) {
        // It was opened for the caller that has waited longest.
        this.#waiting.failFirst(error)
        this.#drop(connection)
        return
      }
      connection.state = "shared"
      this.#serve(connection)
    })
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
      if (client.load > 0 && this.#opening > 0) return
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

  /** Cancels, through another connection, what this one executes. If that fails, the timeout ends it. */
  #cancel(connection: PooledConnection): void {
    this.execute(connection.cancellation())
  }

  /** Removes a closed connection. Returns whether it was still there. */
  #drop(connection: PooledConnection): boolean {
    if (!remove(this.#connections, connection)) return false
    this.#settleClosed()
    this.#openForWaiting()
    return true
  }

  #settleClosed(): void {
    if (this.#closed === undefined || this.#connections.length > 0) return
    clearInterval(this.#checks)
    this.#closed.resolve()
  }

  #check(now: number): void {
    for (const connection of [...this.#connections]) {
      connection.client.closeIfBusySince(now - this.#options.answerTimeout)
      if (connection.isIdle && now - connection.idleSince > idleLifetime) this.#retire(connection)
    }
    this.#waiting.failLate(now, new Error("No database connection became free in time"))
  }
}
