import type { Call, Reserved } from "./execution.ts"

interface WaitingStatement {
  readonly call: Call
  /** Deadline (monotonic). */
  readonly until: number
  /** Replaced when the statement is sent. */
  abandon: () => void
}

export interface WaitingTransaction {
  readonly until: number
  readonly settle: (error: unknown, reserved: Reserved | undefined) => void
}

/** Callers waiting for a connection: first come, first served, transactions first. */
export class WaitingLine {
  readonly statements: Array<WaitingStatement> = []
  readonly transactions: Array<WaitingTransaction> = []

  get length(): number {
    return this.statements.length + this.transactions.length
  }

  /** The returned function abandons the statement, even after it has been sent. */
  add(call: Call, until: number): () => void {
    const statement: WaitingStatement = {
      call,
      until,
      abandon: () => void remove(this.statements, statement)
    }
    this.statements.push(statement)
    return () => statement.abandon()
  }

  withdraw(calls: Array<object>): void {
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

/** Returns whether the array had the element. */
export const remove = <A>(array: Array<A>, one: A): boolean => {
  const at = array.indexOf(one)
  if (at !== -1) array.splice(at, 1)
  return at !== -1
}
