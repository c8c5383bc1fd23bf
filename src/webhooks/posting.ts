import { Effect } from "effect"
import type { Bytes } from "../gateway/chunked.ts"
import type { Connection, ResponseListener } from "../gateway/connection.ts"
import { Trust } from "../gateway/dial.ts"
import { UpstreamFault, type UpstreamFaultType } from "../gateway/faults.ts"
import { type AddressesOf, Pool } from "../gateway/pool.ts"
import { UpstreamAddresses } from "../gateway/resolve.ts"
import type { ResponseHead } from "../gateway/response-head.ts"
import { upstreamOf } from "../gateway/upstream.ts"
import { asStorable } from "../shared/storable.ts"
import { type Timer, Timing } from "../shared/timing.ts"
import type { Attempt, Post } from "./attempt-model.ts"
import { mostEndpoints } from "./model.ts"

/** Octets of an answer's body: how many are read, and how many of these are stored. */
const most = { read: 16_384, kept: 4_096 }

const words: Readonly<Record<UpstreamFaultType, string>> = {
  dns_error: "The name has no address.",
  dns_timeout: "The name servers did not answer.",
  destination_ip_prohibited: "The address is private; nothing was sent.",
  destination_ip_unroutable: "The address cannot be reached.",
  destination_unavailable: "The address cannot be reached.",
  connection_refused: "The connection was refused.",
  connection_terminated: "The connection was closed before an answer.",
  connection_timeout: "The connection took too long.",
  connection_write_timeout: "The endpoint did not read the request in time.",
  connection_limit_reached: "doorlock has too many open connections.",
  tls_certificate_error: "The certificate is not valid for this name; nothing was sent.",
  tls_protocol_error: "TLS failed; nothing was sent.",
  http_protocol_error: "The answer is not HTTP/1.1.",
  http_response_header_section_size: "The head of the answer is too large.",
  http_response_incomplete: "The connection was closed before the end of the answer.",
  http_response_transfer_coding: "The transfer coding of the answer is unknown.",
  http_upgrade_failed: "The endpoint answered with another protocol.",
  http_response_timeout: "There was no complete answer within 15 seconds.",
  proxy_loop_detected: "The request came back to doorlock."
}

const isGood = (status: number): boolean => status >= 200 && status < 300

const reasonOf = (status: number): string | null => {
  if (isGood(status)) return null
  return status < 400
    ? `The endpoint answered ${status}. Redirects are not followed.`
    : `The endpoint answered ${status}.`
}

const fieldOf = ({ fields }: ResponseHead, name: string): string | undefined => {
  for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1]
  return undefined
}

/** A body's beginning as text that Postgres can store. */
const textOf = (kept: Bytes): string =>
  // As a stream, so that a character cut in two at the end is left out.
  asStorable(new TextDecoder().decode(kept, { stream: true }), undefined, "\ufffd")

/** One request on one connection. Calls `settle` once, whatever is thrown, unless it is cancelled before. */
class Posting implements ResponseListener {
  readonly #post: Post
  readonly #pool: Pool
  readonly #settle: (attempt: Effect.Effect<Attempt>) => void
  readonly #began = performance.now()
  readonly #deadline: number
  readonly #timer: Timer
  #connection: Connection | undefined
  /** An idle connection may have been closed by the endpoint while the request was on its way. */
  #isReused = false
  #head: ResponseHead | undefined
  #kept: Array<Bytes> = []
  #keptBytes = 0
  #readBytes = 0
  #over = false

  constructor(
    post: Post,
    pool: Pool,
    { after, timeout }: Timing["Type"],
    settle: (attempt: Effect.Effect<Attempt>) => void
  ) {
    this.#post = post
    this.#pool = pool
    this.#settle = settle
    this.#deadline = this.#began + timeout("webhooks.attempt")
    this.#timer = after("webhooks.attempt", () => this.fail(new UpstreamFault("http_response_timeout")))
    void this.#begin(true)
  }

  get #origin() {
    return upstreamOf(this.#post.url).origin
  }

  get #caller() {
    return { subscriberId: this.#post.endpointId, publisherId: this.#post.companyId }
  }

  async #begin(mayReuse: boolean): Promise<void> {
    try {
      const idle = mayReuse ? this.#pool.takeIdle(this.#origin, this.#caller) : undefined
      this.#isReused = idle !== undefined
      const left = this.#deadline - performance.now()
      const connection = idle ?? (await this.#pool.dial(this.#origin, left, this.#caller))
      if (this.#over) this.#pool.release(this.#origin, connection)
      else this.#ask(connection)
    } catch (cause) {
      this.fail(cause)
    }
  }

  #ask(connection: Connection): void {
    this.#connection = connection
    // The body goes with the head, as octets: one write, and nothing is streamed.
    connection.ask("POST", this.#post.message, false, this)
  }

  head(head: ResponseHead): void {
    this.#head = head
  }

  data(data: Bytes): void {
    if (this.#over) return
    this.#readBytes += data.length
    if (this.#keptBytes < most.kept && !this.#keepsNothing) {
      const part = data.subarray(0, most.kept - this.#keptBytes)
      this.#kept.push(part)
      this.#keptBytes += part.length
    }
    if (this.#readBytes >= most.read) {
      this.#connection?.destroy()
      this.#answered()
    }
  }

  paused(): void {}

  end(): void {
    if (this.#connection !== undefined) this.#pool.release(this.#origin, this.#connection)
    this.#answered()
  }

  fail(cause: unknown): void {
    if (this.#over) return
    this.#connection?.destroy()
    if (!(cause instanceof UpstreamFault)) {
      const reason = `doorlock could not ${this.#head === undefined ? "send the request" : "read the answer"}.`
      this.#finish(
        { ...this.#soFar, status: this.#head?.status ?? null, reason, isOurs: true },
        Effect.logError("A webhook could not be sent, or its answer be read", cause)
      )
      return
    }
    const { type } = cause
    if (this.#isReused && this.#head === undefined && type === "connection_terminated") {
      void this.#begin(false)
      return
    }
    const isOurs = type === "connection_limit_reached"
    this.#finish({ ...this.#soFar, status: this.#head?.status ?? null, reason: words[type], isOurs })
  }

  /** Ends without a result. */
  cancel(): void {
    if (this.#over) return
    this.#over = true
    this.#timer.cancel()
    this.#connection?.destroy()
  }

  #answered(): void {
    const head = this.#head
    if (this.#over || head === undefined) return
    const { status } = head
    this.#finish({
      ...this.#soFar,
      status,
      reason: reasonOf(status),
      retryAfter: status === 429 || status === 503 ? fieldOf(head, "retry-after") : undefined,
      isOurs: false
    })
  }

  /** Nobody looks for a fault in the body of an answer that is good. */
  get #keepsNothing() {
    return this.#head === undefined || isGood(this.#head.status)
  }

  get #soFar() {
    return {
      milliseconds: Math.round(performance.now() - this.#began),
      answer: this.#keepsNothing ? null : textOf(Buffer.concat(this.#kept, this.#keptBytes)),
      retryAfter: undefined
    }
  }

  #finish(attempt: Attempt, told: Effect.Effect<void> = Effect.void): void {
    this.#over = true
    this.#timer.cancel()
    this.#settle(Effect.as(told, attempt))
  }
}

/**
 * Sends requests to endpoints through the gateway's client: it resolves the name, checks every address, connects to exactly that address
 * and verifies the certificate. `fetch` would resolve the name again and follow redirects. Closes its connections with the scope.
 */
export class WebhookPosting extends Effect.Service<WebhookPosting>()("WebhookPosting", {
  scoped: Effect.gen(function* () {
    const addresses = yield* UpstreamAddresses
    const authorities = yield* Trust
    const timing = yield* Timing
    /** A company's endpoints may each have a name of their own. Lookups for its upstreams do not count. */
    const addressesOf: AddressesOf = (hostname, companyId) =>
      addresses.of(hostname, `webhooks of ${companyId}`, mostEndpoints)
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool(addressesOf, timing, authorities)),
      (pool) => Effect.sync(() => pool.close())
    )

    return {
      /** Never fails: an attempt that failed has a reason. An interruption closes its connection. */
      post: (post: Post): Effect.Effect<Attempt> =>
        Effect.async((resume) => {
          const posting = new Posting(post, pool, timing, resume)
          return Effect.sync(() => posting.cancel())
        }),

      /** Why nothing would be sent to the URL, or undefined. The name may get an address later. */
      objection: (url: URL): Effect.Effect<"address" | "port" | undefined> => {
        const base = new URL(url)
        // The gateway's rule against queries is about upstreams, to which it appends paths.
        base.search = ""
        return addresses.objection(base)
      }
    }
  })
}) {}
