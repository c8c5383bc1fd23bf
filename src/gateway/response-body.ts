import { type Bytes, ChunkedDecoder } from "./chunked.ts"
import type { Framing } from "./response-head.ts"

/** Chunks that arrive together are joined up to this size: an upstream may send chunks of one octet each. */
const joinedBytes = 8_192

export interface Listener {
  readonly data: (data: Bytes) => void
}

export class BodyReader {
  readonly #framing: Framing
  readonly #chunks: ChunkedDecoder | undefined
  #remaining: number

  constructor(framing: Framing) {
    this.#framing = framing
    this.#chunks = framing._tag === "Chunked" ? new ChunkedDecoder() : undefined
    this.#remaining = framing._tag === "Length" ? framing.bytes : 0
  }

  get endsByClosing(): boolean {
    return this.#framing._tag === "UntilClose"
  }

  /** Returns the octets read if the body ends within `bytes`, else -1. Throws an `UpstreamFault` if malformed. */
  read(bytes: Bytes, listener: Listener): number {
    switch (this.#framing._tag) {
      case "Empty":
        return 0
      case "Length": {
        const taken = Math.min(bytes.length, this.#remaining)
        if (taken > 0) listener.data(taken === bytes.length ? bytes : bytes.subarray(0, taken))
        this.#remaining -= taken
        return this.#remaining === 0 ? taken : -1
      }
      case "Chunked":
        return this.#readChunks(bytes, listener)
      case "UntilClose":
        if (bytes.length > 0) listener.data(bytes)
        return -1
    }
  }

  #readChunks(bytes: Bytes, listener: Listener): number {
    const pieces: Array<Bytes> = []
    let length = 0
    const deliver = () => {
      const [first] = pieces
      if (first !== undefined) listener.data(pieces.length === 1 ? first : Buffer.concat(pieces, length))
      pieces.length = length = 0
    }
    const read =
      this.#chunks?.decode(bytes, (data) => {
        if (length + data.length > joinedBytes) deliver()
        pieces.push(data)
        length += data.length
      }) ?? -1
    deliver()
    return read
  }
}
