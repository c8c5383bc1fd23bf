import { Effect } from "effect"
import { Config } from "../config.ts"
import type { DirectAnswer, DirectRequest } from "../http/runtime/direct.ts"
import { DeadlineClock, Deadlines } from "../limits/deadlines.ts"
import { gatewayOwnDuration, gatewayUpstreamDuration } from "../observability/metrics.ts"
import { Timing } from "../shared/timing.ts"
import { type Answer, type Call, ClientGone, type IdleTimeouts } from "./call.ts"
import { Trust } from "./dial.ts"
import { exchange } from "./exchange.ts"
import { faultAnswer, refusal, refusals, UpstreamFault } from "./faults.ts"
import { prefix, type Target } from "./path.ts"
import { Pool } from "./pool.ts"
import { announcesBody, isChunked, requestHead } from "./request-headers.ts"
import { UpstreamAddresses } from "./resolve.ts"
import { commonHeaders, type Mapping, responseHeaders } from "./response-headers.ts"
import type { Admission } from "./routes.ts"

/** Timeouts up to this many seconds are shorter than the server's own idle timeout, with a margin. */
const maxUnliftedSeconds = 100

/** nginx's status for a client that disconnected; only logs and metrics see it. */
const clientGone = 499

/** A body that is already complete is sent with its length. Bun's server always sends a stream chunked. */
const answerOf = (
  { body, head }: Answer,
  method: string,
  mapping: Mapping,
  own: Readonly<Record<string, string>>
): DirectAnswer => {
  const { fields, status } = head
  const headers = responseHeaders(head, mapping, own)
  const given = (sent: DirectAnswer["body"]): DirectAnswer => ({
    status,
    base: commonHeaders,
    headers,
    body: sent
  })
  if (body instanceof ReadableStream) return given(body)
  if (method === "HEAD" || status === 304) {
    const length = fields.indexOf("content-length")
    if (length !== -1) headers["content-length"] = fields[length + 1] ?? ""
    // With a null body the server would state a length of 0, which a GET would not have.
    return given(method === "HEAD" && length === -1 ? new ReadableStream() : null)
  }
  if (body === undefined || status === 205) return given(null)
  if ((headers["content-type"] ?? "") !== "") return given(body)
  // The server adds a content type to bytes, also beside an empty one, but not to a stream. A stream complete at once keeps its length.
  const stream = new ReadableStream({
    start(controller) {
      if (body.length > 0) controller.enqueue(body)
      controller.close()
    }
  })
  return given(stream)
}

/** Forwards admitted calls to their upstreams. Closes its connections with the scope. */
export class Forwarding extends Effect.Service<Forwarding>()("Forwarding", {
  scoped: Effect.gen(function* () {
    const { gatewayUrl } = yield* Config
    const addresses = yield* UpstreamAddresses
    const authorities = yield* Trust
    const timing = yield* Timing
    const idleTimeouts: IdleTimeouts = {
      body: timing.timeout("gateway.body"),
      events: timing.timeout("gateway.events"),
      client: timing.timeout("gateway.client")
    }
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool(addresses.of, timing, authorities)),
      (pool) => Effect.sync(() => pool.close())
    )
    const deadlines = new Deadlines(yield* DeadlineClock, yield* Timing)
    const { pathname, protocol } = new URL(gatewayUrl)
    const proto = protocol.slice(0, -1)
    const publicPath = pathname.replace(/\/+$/, "")
    /** Identifies this service in `Via` to detect loops: the same on all its hosts. */
    const pseudonym = `doorlock-${Bun.hash.crc32(gatewayUrl).toString(16).padStart(8, "0")}`

    /** Settles an admitted call whose client disconnected. */
    const abandon = ({ answered }: Pick<Admission, "answered">, asked: boolean): DirectAnswer => {
      answered({ by: "client", asked })
      return { status: clientGone, headers: {}, body: null }
    }

    /** Resolves with the upstream's response, or with the gateway's own if the call fails. */
    const forward = (
      { setIdleTimeout, clientAddress, id, request, started }: DirectRequest,
      { base, query, rest }: Target,
      { answered, caller, headers: own, timeout, upstream }: Admission
    ): Promise<DirectAnswer> => {
      const { headers, method } = request
      const { basePath, origin } = upstream
      const path = basePath + rest
      const target = (path === "" ? "/" : path) + query
      const publicPrefix = `${publicPath}/${base.slice(prefix.length)}`
      // `finished` restores the server's own idle timeout.
      let lifted = false
      let over = false
      const lift = (milliseconds: number) => {
        if (over || milliseconds <= maxUnliftedSeconds * 1000) return
        lifted = true
        setIdleTimeout(0)
      }
      lift(timeout)
      const call: Call = {
        origin,
        caller,
        method,
        head: requestHead(method, target, headers, {
          host: origin.host,
          clientAddress: clientAddress(),
          proto,
          prefix: publicPrefix,
          requestId: id,
          pseudonym
        }),
        body: announcesBody(headers) ? (request.body ?? undefined) : undefined,
        chunked: isChunked(headers),
        timeout,
        idleTimeouts,
        signal: () => request.signal,
        finished: () => {
          over = true
          if (lifted) setIdleTimeout()
        }
      }
      const sent = performance.now()
      const pass = (answer: Answer): DirectAnswer => {
        const upstreamMillis = performance.now() - sent
        lift(answer.idleTimeout)
        answered({ by: "upstream", status: answer.head.status })
        const mapping = {
          requested: origin.href + target,
          origin: origin.href,
          basePath,
          prefix: publicPrefix
        }
        const given = answerOf(answer, method, mapping, own)
        gatewayUpstreamDuration.observe(upstreamMillis / 1_000)
        gatewayOwnDuration.observe((performance.now() - started - upstreamMillis) / 1_000)
        return given
      }
      const fail = (cause: unknown): DirectAnswer => {
        if (cause instanceof UpstreamFault) {
          const given = faultAnswer(cause.type, own)
          answered({ by: "gateway", status: given.status })
          return given
        }
        if (!(cause instanceof ClientGone)) {
          answered({ by: "gateway", status: 500 })
          throw cause
        }
        const gone = abandon({ answered }, cause.asked)
        return cause.stalled ? refusal(refusals.bodyTooSlow, own) : gone
      }
      return exchange(call, pool, deadlines, timing).then(pass, fail)
    }

    return { pseudonym, forward, abandon }
  })
}) {}
