import type { Call, PreparingClient } from "./pipelined-client.ts"

/** Statements on one connection at once, at most. */
const maxLoad = 32

/** Short reads that leave together on one connection, at most: a write and a reading for each would cost more than waiting. */
const maxTogether = 8

/** Milliseconds after which a statement counts as slow (it waits for a lock, say): no other is then put behind it. */
const slow = 50

/** How long a connection is kept that nobody needs, in milliseconds. */
const idleLifetime = 60_000

/** Between two looks at what takes too long, in milliseconds. */
const lookInterval = 100

interface Member {
  readonly client: PreparingClient
  state: "opening" | "shared" | "reserved"
  /** Kept free of further statements, for a transaction that waits. */
  draining: boolean
  /** Nothing is sent on it any more; it is closed as soon as nobody waits for its answers. */
  retired: boolean
  /** What asks the server to end what is executed on it, and has not been answered yet. */
  readonly cancels: Array<Call>
  idleSince: number
}

/** A statement, from its coming to its answer. */
interface Pending {
  readonly call: Call
  /** On the monotonic clock: until then it waits for a connection. */
  readonly until: number
  abandon: () => void
}

interface Reserving {
  readonly until: number
  readonly settle: (error: unknown, reserved: Reserved | undefined) => void
}

/** Somewhere to execute statements. */
export interface Executor {
  /**
   * Executes a statement. What is returned gives its answer up, and has the server end it where that hits nobody else's: it
   * ends whatever the connection executes when it comes to the server. So one that is under way keeps a connection from
   * whoever would be next on it: the connection is closed.
   */
  readonly execute: (call: Call) => () => void
}

/** A connection that nobody else uses until it is released. */
export interface Reserved extends Executor {
  readonly release: () => void
}

interface PoolOptions {
  /** A client that has yet to be connected. */
  readonly open: () => PreparingClient
  readonly maxConnections: number
  /** How long a connection is waited for, in milliseconds. */
  readonly patience: number
  /** After how many milliseconds without an answer a connection is given up. */
  readonly answerTimeout: number
  /** Hears of every connection that is lost. */
  readonly onLost: (error: Error) => void
}

const nothing = () => {}

/**
 * The connections of this process to the database.
 *
 * A short read goes with others of the same turn of the event loop. Any other statement goes to an idle connection, to a new
 * one while there may be more, and else onto the wire behind the fewest others. A transaction has a connection to itself. A
 * connection that is lost is dropped, and the next statement opens another.
 */
export class ConnectionPool implements Executor {
  readonly #options: PoolOptions
  readonly #members: Array<Member> = []
  readonly #waiting: Array<Pending> = []
  readonly #reserving: Array<Reserving> = []
  readonly #look = setInterval(() => this.#lookForLate(performance.now()), lookInterval).unref()
  #closed: PromiseWithResolvers<void> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  execute(call: Call): () => void {
    const member = this.#choose(call)
    if (member !== undefined) return this.#send(member, call)
    if (this.#closed !== undefined) {
      call.settle(new Error("The database connections are closed"), [])
      return nothing
    }
    const pending: Pending = { call, until: performance.now() + this.#options.patience, abandon: nothing }
    pending.abandon = () => void takeOut(this.#waiting, pending)
    this.#waiting.push(pending)
    this.#openForWaiting()
    return () => pending.abandon()
  }

  /** Asks for a connection of one's own; `settle` is called once. */
  reserve(settle: Reserving["settle"]): void {
    if (this.#closed !== undefined) {
      settle(new Error("The database connections are closed"), undefined)
      return
    }
    const reserving = { settle, until: performance.now() + this.#options.patience }
    const usable = this.#members.filter((member) => isOpen(member) && !member.draining)
    const idle = usable.find(({ client }) => client.load === 0)
    if (idle !== undefined) {
      this.#hand(idle, reserving)
      return
    }
    this.#reserving.push(reserving)
    this.#openForWaiting()
    if (this.#openings > 0) return
    const [least] = usable.sort((left, right) => left.client.load - right.client.load)
    if (least !== undefined) least.draining = true
  }

  /** Closes each connection when its statements have been answered, or its transaction has ended; settles then. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers()
    this.#failWaiting(() => true, new Error("The database connections are closed"))
    for (const member of [...this.#members]) this.#retire(member)
    this.#settleClosed()
    return this.#closed.promise
  }

  /** Closes everything at once. */
  destroy(): void {
    for (const { client } of this.#members) client.connection.stream.destroy()
  }

  /** How many connections do something, how many could, and how many statements and transactions wait for one. */
  get counts(): { readonly inUse: number; readonly idle: number; readonly waiting: number } {
    const idle = this.#members.filter((member) => isOpen(member) && member.client.load === 0).length
    return {
      inUse: this.#members.length - idle,
      idle,
      waiting: this.#waiting.length + this.#reserving.length
    }
  }

  get #openings(): number {
    return this.#members.reduce((count, { state }) => count + (state === "opening" ? 1 : 0), 0)
  }

  /** Where a statement can be sent now; undefined when it had better wait for a connection. */
  #choose(call: Call): Member | undefined {
    const now = performance.now()
    let idle: Member | undefined
    let least: Member | undefined
    for (const member of this.#members) {
      if (!isOpen(member) || member.draining) continue
      const { busySince, load } = member.client
      if (busySince === undefined) {
        idle ??= member
        continue
      }
      if (now - busySince > slow) continue
      if (load < maxTogether && member.client.canJoin(call)) return member
      if (load < (least?.client.load ?? maxLoad)) least = member
    }
    return idle ?? (this.#members.length < this.#options.maxConnections ? undefined : least)
  }

  #send(member: Member, call: Call): () => void {
    let settled = false
    const abandon = member.client.execute({
      ...call,
      settle: (error, rows) => {
        settled = true
        call.settle(error, rows)
        this.#serve(member)
      }
    })
    return () => {
      if (settled) return
      abandon()
      if (member.state === "reserved") this.#cancel(member)
      else this.#retire(member)
    }
  }

  #openForWaiting(): void {
    const wanted = this.#waiting.length + this.#reserving.length
    let openings = this.#openings
    while (openings < wanted && this.#members.length < this.#options.maxConnections) {
      openings++
      this.#open()
    }
  }

  #open(): void {
    const client = this.#options.open()
    const member: Member = {
      client,
      state: "opening",
      draining: false,
      retired: false,
      cancels: [],
      idleSince: performance.now()
    }
    this.#members.push(member)
    client.on("error", (error) => {
      if (this.#remove(member)) this.#options.onLost(error)
      void client.end()
    })
    client.on("end", () => this.#remove(member))
    client.connect((error: Error | null | undefined) => {
      if (error) {
        // Whoever came first has waited for this one.
        const first = this.#reserving.shift()
        if (first !== undefined) first.settle(error, undefined)
        else this.#waiting.shift()?.call.settle(error, [])
        this.#remove(member)
        return
      }
      member.state = "shared"
      this.#serve(member)
    })
  }

  /** After an answer, or when a connection has become free. */
  #serve(member: Member): void {
    const { client } = member
    if (member.retired) this.#retire(member)
    if (!isOpen(member)) return
    if (client.load === 0) {
      const reserving = this.#reserving.shift()
      if (reserving !== undefined) {
        this.#hand(member, reserving)
        return
      }
      member.idleSince = performance.now()
    }
    if (this.#reserving.length === 0) for (const other of this.#members) other.draining = false
    while (this.#waiting.length > 0 && !member.draining && client.load < maxLoad) {
      // Those that are being opened have been opened for what waits.
      if (client.load > 0 && this.#openings > 0) return
      const pending = this.#waiting.shift()
      if (pending !== undefined) pending.abandon = this.#send(member, pending.call)
    }
  }

  #hand(member: Member, { settle }: Reserving): void {
    member.state = "reserved"
    member.draining = false
    settle(undefined, {
      execute: (call) => this.#send(member, call),
      release: () => {
        member.state = "shared"
        // What still waits to be sent has nothing to end any more.
        for (const pending of this.#waiting.filter(({ call }) => member.cancels.includes(call))) {
          takeOut(this.#waiting, pending)
          takeOut(member.cancels, pending.call)
        }
        // A transaction that was not ended, a statement that still runs, or what is to end one, is not for whoever comes next.
        const { cancels, client } = member
        if (client.load > 0 || cancels.length > 0 || client.getTransactionStatus() !== "I")
          this.#retire(member)
        else this.#serve(member)
      }
    })
  }

  /** Sends nothing more on it, and closes it as soon as nobody waits for its answers. */
  #retire(member: Member): void {
    const { client } = member
    member.retired = true
    if (member.state === "reserved" || client.isAwaited) return
    if (client.load > 0) this.#cancel(member)
    else void client.end()
  }

  /** Has the server end what it executes on this connection. Best effort: the server's own time limit ends it anyway. */
  #cancel(member: Member): void {
    const { client } = member
    const call: Call = {
      text: "select pg_cancel_backend($1)",
      values: ["processID" in client ? client.processID : undefined],
      shape: "object",
      isPrepared: true,
      settle: (error) => {
        // The server has signalled before it answers. After an error nobody knows whether it has, or still will.
        if (!error) takeOut(member.cancels, call)
      }
    }
    member.cancels.push(call)
    this.execute(call)
  }

  /** Whether it had been there. */
  #remove(member: Member): boolean {
    if (!takeOut(this.#members, member)) return false
    this.#settleClosed()
    this.#openForWaiting()
    return true
  }

  #settleClosed(): void {
    if (this.#closed === undefined || this.#members.length > 0) return
    clearInterval(this.#look)
    this.#closed.resolve()
  }

  #failWaiting(isLate: (waiting: { readonly until: number }) => boolean, error: Error): void {
    for (const reserving of this.#reserving.filter(isLate)) {
      if (takeOut(this.#reserving, reserving)) reserving.settle(error, undefined)
    }
    for (const pending of this.#waiting.filter(isLate)) {
      if (takeOut(this.#waiting, pending)) pending.call.settle(error, [])
    }
  }

  #lookForLate(now: number): void {
    const { answerTimeout } = this.#options
    for (const member of [...this.#members]) {
      member.client.giveUpIfBusySince(now - answerTimeout)
      if (isOpen(member) && member.client.load === 0 && now - member.idleSince > idleLifetime) {
        this.#retire(member)
      }
    }
    this.#failWaiting(({ until }) => until < now, new Error("No database connection became free in time"))
  }
}

/** Whether it had been there. */
const takeOut = <A>(line: Array<A>, one: A): boolean => {
  const at = line.indexOf(one)
  if (at !== -1) line.splice(at, 1)
  return at !== -1
}

const isOpen = ({ retired, state }: Member): boolean => state === "shared" && !retired
