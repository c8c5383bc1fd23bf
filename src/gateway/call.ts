/** A request to an upstream and its answer, as they are between those who make them and those who carry them. */
import type { Bytes } from "./chunked.ts"
import type { ResponseHead } from "./response-head.ts"
import type { Caller } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** Milliseconds for which an upstream may be silent within a body, after which it is given up; and its reader. */
export interface Silence {
  readonly body: number
  /** Within `text/event-stream`, where nothing may happen for long. */
  readonly events: number
  /** For which a client may read nothing of a body that waits for it, or send nothing of one it owes; then it is given up. */
  readonly client: number
}

/** One request to an upstream. */
export interface Call {
  readonly origin: Origin
  readonly caller: Caller
  readonly method: string
  /** Request line and fields, with the empty line; a code unit an octet. */
  readonly head: string
  readonly body: ReadableStream<Uint8Array> | undefined
  /** Whether the body goes in chunks; otherwise the head has its length. */
  readonly chunked: boolean
  /** Milliseconds until the head of the answer has to be there, from when the request has been sent. */
  readonly timeout: number
  readonly silence: Silence
  /** What is aborted when the client goes away. To ask for it costs as much as all else that is asked of a request. */
  readonly signal: () => AbortSignal
  /** Called once, when the exchange is over, however it ended. */
  readonly finished: () => void
}

/** An upstream's answer as far as it is there. */
export interface Answer {
  readonly head: ResponseHead
  /** Whole, or as it comes; a stream that errors closes the client's connection without an end of the body. */
  readonly body: Bytes | ReadableStream<Bytes> | undefined
  /** Milliseconds for which the body may be silent. */
  readonly silence: number
}

/** The client has gone, or is waited for no longer. */
export class ClientGone {
  readonly _tag = "ClientGone"
  /** Whether the upstream had been asked by then. */
  readonly asked: boolean
  /** Whether it is still there, and owes the rest of its body. */
  readonly stalled: boolean
  constructor(asked: boolean, stalled: boolean) {
    this.asked = asked
    this.stalled = stalled
  }
}
