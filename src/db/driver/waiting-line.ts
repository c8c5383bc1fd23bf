import type { Call, Reserved } from "./execution.ts"

interface WaitingStatement {
  readonly call: Call
  /** Its deadline, in monotonic time. */
  readonly until: number
  /** Replaced when the statement is sent. */
  abandon: () => void
}

export interface WaitingTransaction {
  readonly until: number
  readonly settle: (error: unknown, reserved: Reserved | undefined) => void
}

/** The statements and transactions waiting for a connection: first come, first served, transactions before statements. */
export class WaitingLine {
  readonly statements: Array<WaitingStatement> = []
  readonly transactions: Array<WaitingTransaction> = []

  get length(): number {
    return this.statements.length + this.transactions.length
  }

  /** Adds a statement. The returned function abandons it, even after it has been sent. */
  add(call: Call, until: number): () => void {
    const statement: WaitingStatement = {
      call,
      until,
      abandon: () => void remove(this.statements, statement)
    }
    this.statements.push(statement)
    return () => statement.abandon()
  }

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

  /** Fails everything with a deadline before or at `now`. */
  failLate(now: number, error: Error): void {
    const isLate = ({ until }: { readonly until: number }) => until < now
    // Failing one may remove others.
    for (const transaction of this.transactions.filter(isLate)) {
      if (remove(this.transactions, transaction)) transaction.settle(error, undefined)
    }
    for (const statement of this.statements.filter(isLate)) {
      if (remove(this.statements, statement)) statement.call.settle(error, [])
    }
  }
}

/** Removes an element from the array. Returns whether it was there. */
export const remove = <A>(array: Array<A>, one: A): boolean => {
  const at = array.indexOf(one)
  if (at !== -1) array.splice(at, 1)
  return at !== -1
}
