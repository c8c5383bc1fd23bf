import type { Socket } from "bun"
import type { Bytes } from "./chunked.ts"
import { UpstreamFault } from "./faults.ts"
import { BodyReader } from "./response-body.ts"
import { maxHeadBytes, parseResponseHead, type ResponseHead } from "./response-head.ts"
import type { Caller } from "./shares.ts"

/** Receives each part of a response in order, then at most one of `end` and `fail`. */
export interface ResponseListener {
  readonly head: (head: ResponseHead) => void
  readonly data: (data: Bytes) => void
  /** All data read so far has been delivered. */
  readonly paused: () => void
  readonly end: () => void
  /** With an `UpstreamFault`, or with whatever was thrown while the response was read, by the listener too. */
  readonly fail: (cause: unknown) => void
}

const emptyLine = Buffer.from("\r\n\r\n")

/** Shared by the heads of all requests: a buffer per head would cost a call 2 µs. */
const outgoing = Buffer.allocUnsafeSlow(65_536)

/**
 * One connection to an upstream, which carries one request at a time.
 *
 * Hand-written, because Bun's `fetch` allows only 256 concurrent requests per process (one hanging upstream
 * would block all others), adds `User-Agent: Bun` and `Accept`, takes a proxy from the environment (which
 * bypasses the address check) and has no connect timeout. `node:http` costs three times as much per call.
 */
export class Connection {
  readonly #socket: Socket
  readonly #onClose: (closed: Connection) => void
  #listener: ResponseListener | undefined
  #method = ""
  #head: Buffer<ArrayBuffer> | undefined
  /** Bytes of interim (1xx) responses received before the final one. */
  #interimBytes = 0
  #body: BodyReader | undefined
  #unsent: Uint8Array | undefined
  #drained: PromiseWithResolvers<void> | undefined
  #requestSent = true
  #persistent = true
  #closed = false
  #paused = false
  #keepAliveSeconds: number | undefined
  /** Undefined while the connection is idle. */
  usedBy: Caller | undefined

  /** The socket's events now go to this connection. `onClose` is called once. */
  constructor(socket: Socket, usedBy: Caller | undefined, onClose: (closed: Connection) => void) {
    this.#socket = socket
    this.usedBy = usedBy
    this.#onClose = onClose
    const onEnd = () => this.#onEnd()
    socket.reload({
      socket: {
        // The cast is safe: sockets never read into shared memory.
        data: (_, bytes) => this.#onData(bytes as Buffer<ArrayBuffer>),
        drain: () => this.#onDrain(),
        end: onEnd,
        close: onEnd,
        error: onEnd
      }
    })
  }

  get isReusable(): boolean {
    return this.#persistent && this.#requestSent && !this.#closed && this.#listener === undefined
  }

  get keepAliveSeconds(): number | undefined {
    return this.#keepAliveSeconds
  }

  /** Starts a request. Its body, if any, follows with `write` and `finish`. `head` is latin1 text. */
  ask(method: string, head: string, hasBody: boolean, listener: ResponseListener): void {
    this.#method = method
    this.#listener = listener
    this.#requestSent = !hasBody
    if (head.length > outgoing.length) this.write(Buffer.from(head, "latin1"))
    else this.write(outgoing, outgoing.write(head, "latin1"))
  }

  /** Sends bytes in order. If it returns false, wait for `drained` before sending more. */
  write(bytes: Uint8Array, length = bytes.length): boolean {
    if (this.#closed) return true
    if (this.#unsent !== undefined) {
      this.#unsent = Buffer.concat([this.#unsent, bytes.subarray(0, length)])
      return false
    }
    const written = Math.max(0, this.#socket.write(bytes, 0, length))
    if (written === length) return true
    const rest = bytes.subarray(written, length)
    // The next head is written into the same buffer.
    this.#unsent = bytes === outgoing ? Buffer.from(rest) : rest
    return false
  }

  /** Resolves when the socket can take more data, or is closed. */
  drained(): Promise<void> {
    if (this.#unsent === undefined) return Promise.resolve()
    this.#drained ??= Promise.withResolvers<void>()
    return this.#drained.promise
  }

  finish(): void {
    this.#requestSent = true
  }

  pause(): void {
    if (this.#closed) return
    this.#paused = true
    this.#socket.pause()
  }

  resume(): void {
    if (this.#closed || !this.#paused) return
    this.#paused = false
    this.#socket.resume()
  }

  /** Closes at once, without notifying the listener. */
  destroy(): void {
    this.#listener = undefined
    if (this.#closed) return
    this.#close()
    this.#socket.terminate()
  }

  #onDrain(): void {
    const bytes = this.#unsent
    this.#unsent = undefined
    if (bytes !== undefined && !this.write(bytes)) return
    this.#drained?.resolve()
    this.#drained = undefined
  }

  #onData(bytes: Buffer<ArrayBuffer>): void {
    const listener = this.#listener
    if (listener === undefined) {
      // Without an open request, these bytes could be mistaken for the next response.
      this.destroy()
      return
    }
    try {
      if (this.#body === undefined) this.#readHead(bytes)
      else this.#readBody(this.#body, bytes)
      this.#listener?.paused()
    } catch (cause) {
      this.#fail(listener, cause)
    }
  }

  /** The upstream or the network closed the connection. */
  #onEnd(): void {
    if (this.#closed) return
    const listener = this.#listener
    try {
      if (this.#body?.endsByClosing !== true) {
        throw new UpstreamFault(
          this.#body === undefined ? "connection_terminated" : "http_response_incomplete"
        )
      }
      this.#complete()
      this.destroy()
    } catch (cause) {
      this.#fail(listener, cause)
    }
  }

  #readHead(bytes: Buffer<ArrayBuffer>): void {
    const all = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes])
    // The empty line may have started in the last three of the earlier bytes.
    const end = all.indexOf(emptyLine, Math.max(0, all.length - bytes.length - 3))
    if (end > maxHeadBytes || (end === -1 && all.length > maxHeadBytes)) {
      throw new UpstreamFault("http_response_header_section_size")
    }
    if (end === -1) {
      this.#head = all
      // Otherwise a head with bare LF line ends would wait for CRLF until the timeout.
      if (all.includes("\n\n")) throw new UpstreamFault("http_protocol_error")
      return
    }
    this.#head = undefined
    const head = parseResponseHead(all.toString("latin1", 0, end), this.#method)
    const rest = all.subarray(end + emptyLine.length)
    if (head.status < 200) {
      // Other interim responses are dropped, up to a total size.
      if (head.status === 101) throw new UpstreamFault("http_upgrade_failed")
      this.#interimBytes += end + emptyLine.length
      if (this.#interimBytes > maxHeadBytes) throw new UpstreamFault("http_response_header_section_size")
      if (rest.length > 0) this.#readHead(rest)
      return
    }
    const { framing } = head
    this.#interimBytes = 0
    // An upstream that responds before it has the whole request may never read the rest, or read the next request as the rest.
    this.#persistent = head.persistent && this.#requestSent && this.#unsent === undefined
    this.#keepAliveSeconds = head.keepAliveSeconds
    const body = new BodyReader(framing)
    this.#body = body
    this.#listener?.head(head)
    this.#readBody(body, rest)
  }

  #readBody(body: BodyReader, bytes: Bytes): void {
    const listener = this.#listener
    if (listener === undefined) return
    const read = body.read(bytes, listener)
    if (read !== -1) this.#complete(bytes.length - read)
  }

  /** @param surplus number of bytes received after the end of the response */
  #complete(surplus = 0): void {
    const listener = this.#listener
    this.#listener = undefined
    this.#body = undefined
    if (surplus > 0) this.#persistent = false
    // A socket left paused for a slow client would miss the next response or the upstream's close.
    this.resume()
    listener?.end()
  }

  /** Ends the exchange with whatever was thrown, and nothing else. */
  #fail(listener: ResponseListener | undefined, cause: unknown): void {
    this.destroy()
    listener?.fail(cause)
  }

  #close(): void {
    this.#closed = true
    // Nothing more is written: this only ends the wait for the drain.
    this.#onDrain()
    this.#onClose(this)
  }
}
