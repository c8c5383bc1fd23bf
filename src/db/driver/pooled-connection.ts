import type { Call } from "./execution.ts"
import type { PipelinedClient } from "./pipelined-client.ts"
import { remove } from "./waiting-line.ts"

/** A connection of the pool, and what it may be used for. */
export class PooledConnection {
  state: "opening" | "shared" | "reserved" = "opening"
  /** Gets no further statements, so that it becomes free for a transaction that waits. */
  isDraining = false
  /** Gets nothing more at all, and is closed as soon as nobody waits for its answers. */
  isRetired = false
  /** Requests to cancel what it executes that the server has not answered. */
  readonly cancels: Array<Call> = []
  idleSince = performance.now()
  readonly client: PipelinedClient

  constructor(client: PipelinedClient) {
    this.client = client
  }

  /** Whether everybody's statements may be sent on it. */
  get isShared(): boolean {
    return this.state === "shared" && !this.isRetired
  }

  /** Whether a statement, or a transaction, may take it now. */
  get isUsable(): boolean {
    return this.isShared && !this.isDraining
  }

  get isIdle(): boolean {
    return this.isShared && this.client.load === 0
  }

  /** Whether it is as if it had just been opened: nothing runs, nothing is to be cancelled, and no transaction is open. */
  get isClean(): boolean {
    return this.client.load === 0 && this.cancels.length === 0 && this.client.getTransactionStatus() === "I"
  }

  /** The statement that has the server cancel what this connection executes. It is for another connection. */
  cancellation(): Call {
    const { cancels, client } = this
    const call: Call = {
      text: "select pg_cancel_backend($1)",
      values: ["processID" in client ? client.processID : undefined],
      shape: "object",
      isPrepared: true,
      settle: (error) => {
        // The server signals before it answers. After an error nobody knows whether it has signalled, or still will.
        if (!error) remove(cancels, call)
      }
    }
    cancels.push(call)
    return call
  }
}
