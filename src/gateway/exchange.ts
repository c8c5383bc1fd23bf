import type { Deadlines, Waiting } from "../limits/deadlines.ts"
import type { Timer, Timing } from "../shared/timing.ts"
import { type Answer, type Call, ClientGone } from "./call.ts"
import type { Bytes } from "./chunked.ts"
import type { Connection, ResponseListener } from "./connection.ts"
import { UpstreamFault } from "./faults.ts"
import type { Pool } from "./pool.ts"
import type { ResponseHead } from "./response-head.ts"
import { type UploadListener, upload } from "./upload.ts"

/** A body up to this size is sent whole, with `Content-Length`, if it arrives soon. */
const wholeBytes = 65_536

/** Chunks to buffer for a slow client before reading from the upstream pauses. */
const readAhead = 2

const noBytes = new Uint8Array(0)

/** One request to an upstream, from finding a connection to the end of the response. */
class Exchange implements ResponseListener, Waiting {
  timeout: number
  since = Number.POSITIVE_INFINITY
  place = -1
  readonly #answered = Promise.withResolvers<Answer>()
  readonly #call: Call
  readonly #pool: Pool
  readonly #deadlines: Deadlines
  readonly #timing: Timing["Type"]
  #connection: Connection | undefined
  #signal: AbortSignal | undefined
  #head: ResponseHead | undefined
  #collected: Array<Bytes> | undefined = []
  #collectedBytes = 0
  #wholeTimer: Timer | undefined
  #stream: ReadableStreamDefaultController<Bytes> | undefined
  #upload: Pick<ReadableStreamDefaultReader<Uint8Array>, "cancel"> | undefined
  /** Whether reading from the upstream is paused for a slow client. */
  #isHeldBack = false
  /** Whether the client owes more of the request body. */
  #isOwed = false
  #over = false
  #idleTimeout: number

  constructor(call: Call, pool: Pool, deadlines: Deadlines, timing: Timing["Type"]) {
    this.#call = call
    this.#idleTimeout = call.idleTimeouts.body
    this.#pool = pool
    this.#deadlines = deadlines
    this.#timing = timing
    this.timeout = call.timeout
    deadlines.add(this)
    void this.#begin()
  }

  get answered(): Promise<Answer> {
    return this.#answered.promise
  }

  /** Listens for a client disconnect. Most responses arrive first, so most calls need no signal. */
  waits(): void {
    if (this.#signal !== undefined) return
    this.#signal = this.#call.signal()
    if (this.#signal.aborted) this.#leave()
    else this.#signal.addEventListener("abort", this.#leave, { once: true })
  }

  head(head: ResponseHead): void {
    this.#head = head
    this.#isOwed = false
    const type = head.fields.indexOf("content-type")
    if (type !== -1 && /^text\/event-stream/i.test(head.fields[type + 1] ?? "")) {
      this.#idleTimeout = this.#call.idleTimeouts.events
    }
    this.#allow(this.#idleTimeout)
  }

  data(data: Bytes): void {
    this.#allow(this.#idleTimeout)
    if (this.#collected !== undefined) {
      this.#collected.push(data)
      this.#collectedBytes += data.length
      return
    }
    if (this.#stream === undefined) return
    this.#stream.enqueue(data)
    if ((this.#stream.desiredSize ?? 0) <= 0) {
      this.#connection?.pause()
      this.#isHeldBack = true
      // The server's own idle timeout applies too, unless lifted for a quiet event stream.
      this.#allow(this.#call.idleTimeouts.client)
    }
  }

  paused(): void {
    const { framing } = this.#head ?? {}
    if (this.#collected === undefined || framing === undefined) return
    if (framing._tag === "Length" && framing.bytes <= wholeBytes) {
      this.#wholeTimer ??= this.#timing.after("gateway.small_body", this.#answerStreaming)
    } else this.#answerStreaming()
  }

  end(): void {
    if (this.#head !== undefined && this.#collected !== undefined)
      this.#answerWhole(this.#head, this.#collected)
    this.#stream?.close()
    this.#finish()
    if (this.#connection !== undefined) this.#pool.release(this.#call.origin, this.#connection)
  }

  fail(cause: unknown): void {
    if (this.#over) return
    this.#finish()
    this.#connection?.destroy()
    this.#answered.reject(cause)
    // Without a reason: the server would log it.
    this.#stream?.error(undefined)
  }

  late(): void {
    if (this.#isOwed) {
      this.#giveUp(true)
      return
    }
    this.fail(
      new UpstreamFault(
        this.#head !== undefined
          ? "http_response_incomplete"
          : this.#upload === undefined
            ? "http_response_timeout"
            : "connection_write_timeout"
      )
    )
  }

  #leave = (): void => this.#giveUp(false)

  #giveUp(stalled: boolean): void {
    if (this.#over) return
    this.#finish()
    this.#connection?.destroy()
    this.#answered.reject(new ClientGone(this.#connection !== undefined, stalled))
  }

  #finish(): void {
    this.#over = true
    this.#deadlines.delete(this)
    this.#wholeTimer?.cancel()
    this.#signal?.removeEventListener("abort", this.#leave)
    this.#upload?.cancel().catch(() => {})
    this.#call.finished()
  }

  #allow(milliseconds: number): void {
    this.timeout = milliseconds
    this.since = Number.POSITIVE_INFINITY
  }

  /** Asks on an idle connection or a new one. Ends the exchange, whatever is thrown. */
  async #begin(): Promise<void> {
    const { caller, origin, timeout } = this.#call
    try {
      this.#allow(Number.POSITIVE_INFINITY)
      const idle = this.#pool.takeIdle(origin, caller)
      const connection = idle ?? (await this.#pool.dial(origin, timeout, caller))
      if (this.#over) this.#pool.release(origin, connection)
      else this.#ask(connection)
    } catch (cause) {
      this.fail(cause)
    }
  }

  #ask(connection: Connection): void {
    const { body, head, method, timeout } = this.#call
    this.#connection = connection
    this.#allow(timeout)
    connection.ask(method, head, body !== undefined, this)
    if (body !== undefined) void this.#send(connection, body.getReader())
  }

  /** A response that arrives before the body ends still counts. */
  async #send(connection: Connection, reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const { chunked, idleTimeouts, timeout } = this.#call
    this.#upload = reader
    const listener: UploadListener = {
      waiting: () => {
        if (this.#over || this.#head !== undefined) return
        // The server's own idle timeout applies too, unless lifted for a slow upstream.
        this.#isOwed = true
        this.#allow(idleTimeouts.client)
      },
      received: () => {
        this.#isOwed = false
        if (this.#head === undefined) this.#allow(timeout)
        return !this.#over
      }
    }
    try {
      if (await upload(reader, connection, chunked, listener)) this.#upload = undefined
    } catch {
      // The client's connection broke, so the upstream has only part of the request.
      this.#leave()
    }
  }

  #answerWhole(head: ResponseHead, collected: ReadonlyArray<Bytes>): void {
    this.#collected = undefined
    const [first = noBytes] = collected
    const whole = collected.length < 2 ? first : Buffer.concat(collected, this.#collectedBytes)
    const body = head.framing._tag === "Empty" ? undefined : whole
    this.#answered.resolve({ head, body, idleTimeout: this.#idleTimeout })
  }

  #answerStreaming = (): void => {
    const head = this.#head
    const collected = this.#collected
    if (head === undefined || collected === undefined) return
    this.#collected = undefined
    const body = new ReadableStream<Bytes>(
      {
        start: (controller) => {
          this.#stream = controller
          for (const data of collected) controller.enqueue(data)
        },
        pull: () => {
          if (this.#over || !this.#isHeldBack) return
          this.#isHeldBack = false
          this.#allow(this.#idleTimeout)
          this.#connection?.resume()
        },
        cancel: this.#leave
      },
      { highWaterMark: readAhead }
    )
    this.#answered.resolve({ head, body, idleTimeout: this.#idleTimeout })
  }
}

/** Rejects with an `UpstreamFault`, with `ClientGone`, or with whatever else was thrown. Never retries: a request that seems lost may not be. */
export const exchange = (
  call: Call,
  pool: Pool,
  deadlines: Deadlines,
  timing: Timing["Type"]
): Promise<Answer> => new Exchange(call, pool, deadlines, timing).answered
