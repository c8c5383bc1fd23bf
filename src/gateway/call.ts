import type { Bytes } from "./chunked.ts"
import type { ResponseHead } from "./response-head.ts"
import type { Caller } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** Timeouts for silence within a body, in milliseconds. */
export interface IdleTimeouts {
  readonly body: number
  /** For `text/event-stream`, which may be quiet for long. */
  readonly events: number
  /** For a client that does not read the response, or does not send the rest of its request body. */
  readonly client: number
}

export interface Call {
  readonly origin: Origin
  readonly caller: Caller
  readonly method: string
  /** Request line, fields and empty line, one code unit per octet. */
  readonly head: string
  readonly body: ReadableStream<Uint8Array> | undefined
  /** Otherwise the head states the body's length. */
  readonly chunked: boolean
  /** Milliseconds from the end of the request to the head of the response. */
  readonly timeout: number
  readonly idleTimeouts: IdleTimeouts
  /** Aborts when the client disconnects. Expensive: as slow as all other reads of a request together. */
  readonly signal: () => AbortSignal
  /** Called once when the exchange ends, however it ends. */
  readonly finished: () => void
}

/** An upstream's response, as far as received. */
export interface Answer {
  readonly head: ResponseHead
  /** Complete, or a stream. If the stream errors, the client's connection closes early. */
  readonly body: Bytes | ReadableStream<Bytes> | undefined
  /** Milliseconds the body may be silent. */
  readonly idleTimeout: number
}

/** The client has disconnected, or the gateway has stopped waiting for it. */
export class ClientGone {
  readonly _tag = "ClientGone"
  /** Whether the gateway had started sending the request to the upstream. */
  readonly asked: boolean
  /** Whether the client is still connected but has stopped sending its body. */
  readonly stalled: boolean
  constructor(asked: boolean, stalled: boolean) {
    this.asked = asked
    this.stalled = stalled
  }
}
