/** A request to an upstream and its response, as passed between `forward` and `exchange`. */
import type { Bytes } from "./chunked.ts"
import type { ResponseHead } from "./response-head.ts"
import type { Caller } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** Timeouts in milliseconds for silence within a body, after which the gateway gives up. */
export interface Silence {
  readonly body: number
  /** For `text/event-stream`, which may be quiet for long. */
  readonly events: number
  /** How long a client may read nothing of a response that waits for it, or send nothing of its request body. */
  readonly client: number
}

/** One request to an upstream. */
export interface Call {
  readonly origin: Origin
  readonly caller: Caller
  readonly method: string
  /** Request line, fields and empty line, one code unit per octet. */
  readonly head: string
  readonly body: ReadableStream<Uint8Array> | undefined
  /** Whether the body is sent in chunks; otherwise the head states its length. */
  readonly chunked: boolean
  /** Milliseconds from the end of the request to the head of the response. */
  readonly timeout: number
  readonly silence: Silence
  /** Returns the signal that aborts when the client disconnects. Expensive: it costs as much as all other reads of a request together. */
  readonly signal: () => AbortSignal
  /** Called once when the exchange ends, in any outcome. */
  readonly finished: () => void
}

/** An upstream's response, as far as received. */
export interface Answer {
  readonly head: ResponseHead
  /** Complete, or a stream. If the stream errors, the client's connection closes before the body has ended. */
  readonly body: Bytes | ReadableStream<Bytes> | undefined
  /** How many milliseconds the body may be silent. */
  readonly silence: number
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
