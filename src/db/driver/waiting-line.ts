import type { Call, Reserved } from "./execution.ts"

/** A statement that waits for a connection. */
interface WaitingStatement {
  readonly call: Call
  /** When it has waited too long, on the monotonic clock. */
  readonly until: number
  /** Replaced when it is sent. */
  abandon: () => void
}

/** A transaction that waits for a connection of its own. */
export interface WaitingTransaction {
  readonly until: number
  readonly settle: (error: unknown, reserved: Reserved | undefined) => void
}

/** Those who wait for a connection: first come, first served, and transactions before statements. */
export class WaitingLine {
  readonly statements: Array<WaitingStatement> = []
  readonly transactions: Array<WaitingTransaction> = []

  get length(): number {
    return this.statements.length + this.transactions.length
  }

  /** Adds a statement. The function it returns gives it up, also once it has been sent. */
  add(call: Call, until: number): () => void {
    const statement: WaitingStatement = {
      call,
      until,
      abandon: () => void remove(this.statements, statement)
    }
    this.statements.push(statement)
    return () => statement.abandon()
  }

  /** Takes these out of the line. */
  withdraw(calls: Array<Call>): void {
    for (const statement of this.statements.filter(({ call }) => calls.includes(call))) {
      remove(this.statements, statement)
      remove(calls, statement.call)
    }
  }

  failFirst(error: unknown): void {
    const first = this.transactions.shift()
    if (first !== undefined) first.settle(error, undefined)
    else this.statements.shift()?.call.settle(error, [])
  }

  /** Fails all that may wait no longer than until `now`. */
  failLate(now: number, error: Error): void {
    const isLate = ({ until }: { readonly until: number }) => until < now
    // One that fails may take out others.
    for (const transaction of this.transactions.filter(isLate)) {
      if (remove(this.transactions, transaction)) transaction.settle(error, undefined)
    }
    for (const statement of this.statements.filter(isLate)) {
      if (remove(this.statements, statement)) statement.call.settle(error, [])
    }
  }
}

/** Takes one out of the array. Returns whether it was there. */
export const remove = <A>(array: Array<A>, one: A): boolean => {
  const at = array.indexOf(one)
  if (at !== -1) array.splice(at, 1)
  return at !== -1
}
