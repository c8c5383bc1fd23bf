import type { Call, Reserved } from "./execution.ts"

interface Waiting {
  /** When it began to wait, and its deadline (monotonic). */
  readonly since: number
  readonly until: number
}

/** Why a caller that has waited since then gets no connection. */
type Reason = (since: number) => unknown

interface WaitingStatement extends Waiting {
  readonly call: Call
  /** Replaced when the statement is sent. */
  abandon: () => void
}

export interface WaitingTransaction extends Waiting {
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
  add(call: Call, waiting: Waiting): () => void {
    const statement: WaitingStatement = {
      ...waiting,
      call,
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

  failFirst(reason: Reason): void {
    const transaction = this.transactions.shift()
    if (transaction !== undefined) {
      transaction.settle(reason(transaction.since), undefined)
      return
    }
    const statement = this.statements.shift()
    statement?.call.settle(reason(statement.since), [])
  }

  failLate(now: number, reason: Reason): void {
    const isLate = ({ until }: Waiting) => until < now
    // Failing one may remove others.
    for (const transaction of this.transactions.filter(isLate)) {
      if (remove(this.transactions, transaction)) transaction.settle(reason(transaction.since), undefined)
    }
    for (const statement of this.statements.filter(isLate)) {
      if (remove(this.statements, statement)) statement.call.settle(reason(statement.since), [])
    }
  }
}

/** Returns whether the array had the element. */
export const remove = <A>(array: Array<A>, one: A): boolean => {
  const at = array.indexOf(one)
  if (at !== -1) array.splice(at, 1)
  return at !== -1
}
