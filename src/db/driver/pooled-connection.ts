import type { Call } from "./execution.ts"
import type { PipelinedClient } from "./pipelined-client.ts"
import { remove } from "./waiting-line.ts"

export class PooledConnection {
  state: "shared" | "reserved" = "shared"
  /** Gets no further statements, so that it becomes free for a waiting transaction. */
  isDraining = false
  /** Gets nothing more at all, and closes once nobody waits for its replies. */
  isRetired = false
  /** Unanswered requests to cancel what this connection is executing. */
  readonly cancels: Array<object> = []
  idleSince = performance.now()
  readonly client: PipelinedClient

  constructor(client: PipelinedClient) {
    this.client = client
  }

  get isShared(): boolean {
    return this.state === "shared" && !this.isRetired
  }

  get isUsable(): boolean {
    return this.isShared && !this.isDraining
  }

  get isIdle(): boolean {
    return this.isShared && this.client.load === 0
  }

  /** Nothing is running or being cancelled, and no transaction is open. */
  get isClean(): boolean {
    return this.client.load === 0 && this.cancels.length === 0 && this.client.getTransactionStatus() === "I"
  }

  /** The statement that cancels what this connection is executing, for another connection. */
  cancellation(): Call {
    const { cancels, client } = this
    const call: Call = {
      text: "select pg_cancel_backend($1)",
      values: ["processID" in client ? client.processID : undefined],
      shape: "object",
      isPrepared: true,
      settle: (error) => {
        // The server signals before it replies. After an error, it may have signalled or still do so.
        if (!error) remove(cancels, call)
      }
    }
    cancels.push(call)
    return call
  }

  /** The same, of the server or pooler at the other end of this connection. */
  requestCancel(): void {
    const { cancels, client } = this
    const request = {}
    cancels.push(request)
    client.requestCancel(() => remove(cancels, request))
  }
}
