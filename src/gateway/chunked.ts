/** Decodes a chunked body (RFC 9112, section 7.1). Drops extensions and trailers. */
import { UpstreamFault } from "./faults.ts"

/** Maximum octets of one chunk's size line, and of all trailers together. */
const maxLineBytes = 4_096
const maxTrailerBytes = 16_384

const CR = 13
const LF = 10

const sizeLine = /^([0-9a-f]{1,13})[ \t]*(?:;[^\r\n\0]*)?$/i

export type Bytes = Uint8Array<ArrayBuffer>

type State = "size" | "data" | "dataEnd" | "trailer"

export class ChunkedDecoder {
  #state: State = "size"
  /** Octets left in the current chunk. */
  #remaining = 0
  #line = ""
  #trailerBytes = 0

  /**
   * Emits data as views of `bytes`. Throws an `UpstreamFault` if malformed.
   *
   * @returns the octets read if the body ends within this piece, otherwise -1
   */
  decode(bytes: Bytes, emit: (data: Bytes) => void): number {
    let at = 0
    while (at < bytes.length) {
      if (this.#state === "data") {
        const end = Math.min(bytes.length, at + this.#remaining)
        emit(bytes.subarray(at, end))
        this.#remaining -= end - at
        at = end
        if (this.#remaining === 0) this.#state = "dataEnd"
        continue
      }
      const end = bytes.indexOf(LF, at)
      const stop = end === -1 ? bytes.length : end + 1
      this.#line += Buffer.from(bytes.buffer, bytes.byteOffset + at, stop - at).toString("latin1")
      if (this.#line.length > maxLineBytes) throw new UpstreamFault("http_protocol_error")
      at = stop
      if (end !== -1 && this.#endOfLine()) return at
    }
    return -1
  }

  /** Whether this line is the last of the body. */
  #endOfLine(): boolean {
    const line = this.#line
    this.#line = ""
    if (line.charCodeAt(line.length - 2) !== CR) throw new UpstreamFault("http_protocol_error")
    const text = line.slice(0, -2)
    switch (this.#state) {
      case "size": {
        const [, size] = sizeLine.exec(text) ?? []
        if (size === undefined) throw new UpstreamFault("http_protocol_error")
        this.#remaining = Number.parseInt(size, 16)
        this.#state = this.#remaining === 0 ? "trailer" : "data"
        return false
      }
      case "dataEnd":
        if (text !== "") throw new UpstreamFault("http_protocol_error")
        this.#state = "size"
        return false
      default:
        this.#trailerBytes += line.length
        if (this.#trailerBytes > maxTrailerBytes) throw new UpstreamFault("http_protocol_error")
        return text === ""
    }
  }
}
