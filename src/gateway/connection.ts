import type { Socket } from "node:net"
import type { Bytes } from "./chunked.ts"
import { UpstreamFault } from "./faults.ts"
import { BodyReader } from "./response-body.ts"
import { maxHeadBytes, parseResponseHead, type ResponseHead } from "./response-head.ts"
import type { Caller } from "./shares.ts"

/** Who asked: told of each part of the answer, in order, and of at most one end of it. */
export interface Asker {
  readonly head: (head: ResponseHead) => void
  readonly data: (data: Bytes) => void
  /** What came at once has all been told. */
  readonly paused: () => void
  readonly end: () => void
  readonly fail: (fault: UpstreamFault) => void
}

const emptyLine = Buffer.from("\r\n\r\n")

/**
 * One connection to an upstream, which carries one request at a time.
 *
 * Written by hand because Bun's `fetch`, the fast way, lets only 256 requests of a whole process be under way (one
 * upstream that hangs would stop all others, and everything else that fetches), sends `User-Agent: Bun` and
 * `Accept: *\/*` where the client sent none, takes its proxy from the environment behind the back of the address check,
 * and has no time limit for connecting alone; and because `node:http` costs three times as much a call.
 */
export class Connection {
  readonly #socket: Socket
  readonly #onClose: (closed: Connection) => void
  #asker: Asker | undefined
  #method = ""
  #head: Buffer<ArrayBuffer> | undefined
  /** Of the interim answers before the present one. */
  #interimBytes = 0
  #body: BodyReader | undefined
  #drained: PromiseWithResolvers<void> | undefined
  #requestSent = true
  #persistent = true
  #closed = false
  #paused = false
  #keepAliveSeconds: number | undefined
  /** On whose behalf it is used; undefined while it is idle. */
  usedBy: Caller | undefined

  /**
   * @param socket one that is open
   * @param onClose called once, when the connection is no more
   */
  constructor(socket: Socket, usedBy: Caller | undefined, onClose: (closed: Connection) => void) {
    this.#socket = socket
    this.usedBy = usedBy
    this.#onClose = onClose
    // Sockets read into memory of their own, never into shared memory.
    socket.on("data", (bytes) => this.#onData(bytes as Buffer<ArrayBuffer>))
    socket.on("drain", () => this.#onDrain())
    socket.on("end", () => this.#onEnd())
    socket.on("close", () => this.#onEnd())
  }

  /** Whether it can carry another request. */
  get isReusable(): boolean {
    return this.#persistent && this.#requestSent && !this.#closed && this.#asker === undefined
  }

  /** Seconds for which the upstream says it keeps the connection when it is idle. */
  get keepAliveSeconds(): number | undefined {
    return this.#keepAliveSeconds
  }

  /**
   * Begins a request; its body, if it has one, follows by `write` and `finish`.
   *
   * @param head a code unit an octet
   */
  ask(method: string, head: string, hasBody: boolean, asker: Asker): void {
    this.#method = method
    this.#asker = asker
    this.#requestSent = !hasBody
    if (!this.#closed) this.#socket.write(head, "latin1")
  }

  /** Sends bytes in order; false when the upstream does not take more for now: then wait for `drained`. */
  write(bytes: Uint8Array): boolean {
    return this.#closed || this.#socket.write(bytes)
  }

  /** Settles when everything written has been taken, or the connection is closed. */
  drained(): Promise<void> {
    if (this.#closed || !this.#socket.writableNeedDrain) return Promise.resolve()
    this.#drained ??= Promise.withResolvers<void>()
    return this.#drained.promise
  }

  /** The request has been written whole. */
  finish(): void {
    this.#requestSent = true
  }

  /** Stops reading, so that the upstream is held back, until `resume`. */
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

  /** Closes the connection at once and tells nobody. */
  destroy(): void {
    this.#asker = undefined
    if (this.#closed) return
    this.#close()
    this.#socket.destroy()
  }

  #onDrain(): void {
    this.#drained?.resolve()
    this.#drained = undefined
  }

  #onData(bytes: Buffer<ArrayBuffer>): void {
    if (this.#asker === undefined) {
      // Nobody asked: what comes now could be taken for the answer to the next request.
      this.destroy()
      return
    }
    try {
      if (this.#body === undefined) this.#readHead(bytes)
      else this.#readBody(this.#body, bytes)
      this.#asker?.paused()
    } catch (cause) {
      if (!(cause instanceof UpstreamFault)) throw cause
      this.#fail(cause)
    }
  }

  /** The upstream has closed, or the network has. */
  #onEnd(): void {
    if (this.#closed) return
    if (this.#body?.endsByClosing === true) this.#complete()
    else
      this.#fail(
        new UpstreamFault(this.#body === undefined ? "connection_terminated" : "http_response_incomplete")
      )
    this.destroy()
  }

  #readHead(bytes: Buffer<ArrayBuffer>): void {
    const all = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes])
    // Only what is new, and as much before it as the empty line may have begun in.
    const end = all.indexOf(emptyLine, Math.max(0, all.length - bytes.length - 3))
    if (end > maxHeadBytes || (end === -1 && all.length > maxHeadBytes)) {
      throw new UpstreamFault("http_response_header_section_size")
    }
    if (end === -1) {
      this.#head = all
      // Lines that end otherwise would be waited for until the time is over.
      if (all.includes("\n\n")) throw new UpstreamFault("http_protocol_error")
      return
    }
    this.#head = undefined
    const head = parseResponseHead(all.toString("latin1", 0, end), this.#method)
    const rest = all.subarray(end + emptyLine.length)
    if (head.status < 200) {
      // Nobody has asked for another protocol; the other interim answers are for us, but not without end.
      if (head.status === 101) throw new UpstreamFault("http_upgrade_failed")
      this.#interimBytes += end + emptyLine.length
      if (this.#interimBytes > maxHeadBytes) throw new UpstreamFault("http_response_header_section_size")
      if (rest.length > 0) this.#readHead(rest)
      return
    }
    const { framing } = head
    this.#interimBytes = 0
    this.#persistent = head.persistent
    this.#keepAliveSeconds = head.keepAliveSeconds
    const body = new BodyReader(framing)
    this.#body = body
    this.#asker?.head(head)
    this.#readBody(body, rest)
  }

  #readBody(body: BodyReader, bytes: Bytes): void {
    const asker = this.#asker
    if (asker === undefined) return
    const read = body.read(bytes, asker)
    if (read !== -1) this.#complete(bytes.length - read)
  }

  /** @param surplus octets that came behind the answer's end, where nothing was asked for */
  #complete(surplus = 0): void {
    const asker = this.#asker
    this.#asker = undefined
    this.#body = undefined
    if (surplus > 0) this.#persistent = false
    // A slow reader may have had it held back: the next answer, or the upstream's closing, would go unread.
    this.resume()
    asker?.end()
  }

  #fail(fault: UpstreamFault): void {
    const asker = this.#asker
    this.destroy()
    asker?.fail(fault)
  }

  #close(): void {
    this.#closed = true
    this.#onDrain()
    this.#onClose(this)
  }
}
