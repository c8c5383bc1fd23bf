import * as Effect from "effect/Effect"
import { Config } from "../config.ts"
import type { DirectAnswer, DirectRequest } from "../http/runtime/direct.ts"
import { gatewayOwnDuration, gatewayUpstreamDuration } from "../observability/metrics.ts"
import { type Answer, type Call, ClientGone, type Silence } from "./call.ts"
import { DeadlineClock, Deadlines } from "./deadlines.ts"
import { Trust } from "./dial.ts"
import { exchange } from "./exchange.ts"
import { faultAnswer, refusal, refusals, UpstreamFault } from "./faults.ts"
import { prefix, type Target } from "./path.ts"
import { Pool } from "./pool.ts"
import { announcesBody, isChunked, requestHead } from "./request-headers.ts"
import { UpstreamAddresses } from "./resolve.ts"
import { commonHeaders, type Mapping, responseHeaders } from "./response-headers.ts"
import type { Admission } from "./routes.ts"

/** How long upstreams may be silent within a body, and how long readers. */
const silence: Silence = { body: 60_000, events: 1_800_000, client: 120_000 }

/** Seconds of silence for which the server keeps a client by itself, with some to spare. */
const serverPatience = 100

/** nginx's number for a client that has gone; nobody gets to see it but logs and counts. */
const clientGone = 499

/** To a client that owes the rest of its body; what of it may yet come is not waited for. */
const stalledAnswer = (own: Readonly<Record<string, string>>): DirectAnswer =>
  refusal(refusals.bodyTooSlow, own)

/**
 * The answer to the client. One that is whole states its length; a longer one, or one that takes its time, is passed on
 * as it comes, and then Bun's server sends it in chunks whatever its length is.
 */
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
    // Without a body the server would say a length of 0, which is not what a GET has; with one to come it says none.
    return given(method === "HEAD" && length === -1 ? new ReadableStream() : null)
  }
  if (body === undefined || status === 205) return given(null)
  if (headers["content-type"] !== undefined) return given(body)
  // The server would add a type to bytes, not to a stream; one that is there at once has its length stated, too.
  const stream = new ReadableStream({
    start(controller) {
      if (body.length > 0) controller.enqueue(body)
      controller.close()
    }
  })
  return given(stream)
}

/** The passing on of admitted calls; connections are closed with the scope. */
export class Forwarding extends Effect.Service<Forwarding>()("Forwarding", {
  scoped: Effect.gen(function* () {
    const { gatewayUrl } = yield* Config
    const addresses = yield* UpstreamAddresses
    const authorities = yield* Trust
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool(addresses.of, authorities)),
      (pool) => Effect.sync(() => pool.close())
    )
    const deadlines = new Deadlines(yield* DeadlineClock)
    const { pathname, protocol } = new URL(gatewayUrl)
    const proto = protocol.slice(0, -1)
    /** The gateway's own path, as its callers see it. */
    const publicPath = pathname.replace(/\/+$/, "")
    /** The same on all hosts of this service and on no other service: what a loop is recognised by. */
    const pseudonym = `doorlock-${Bun.hash.crc32(gatewayUrl).toString(16).padStart(8, "0")}`

    /** Of an admitted call whose client has gone. */
    const abandon = ({ answered }: Pick<Admission, "answered">, asked: boolean): DirectAnswer => {
      answered({ by: "client", asked })
      return { status: clientGone, headers: {}, body: null }
    }

    /** Sends the call to its upstream once, and resolves with the answer, or with what there is instead of one. */
    const forward = (
      { allowSilence, clientAddress, id, request, started }: DirectRequest,
      { base, query, rest }: Target,
      { answered, caller, headers: own, timeout, upstream }: Admission
    ): Promise<DirectAnswer> => {
      const { headers, method } = request
      const { basePath, origin } = upstream
      const path = basePath + rest
      const target = (path === "" ? "/" : path) + query
      const publicPrefix = `${publicPath}/${base.slice(prefix.length)}`
      // The server's own limit is lifted while an upstream may take longer, and holds again for what the client does next.
      let lifted = false
      let over = false
      const lift = (milliseconds: number) => {
        if (over || milliseconds <= serverPatience * 1000) return
        lifted = true
        allowSilence(0)
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
        silence,
        signal: () => request.signal,
        finished: () => {
          over = true
          if (lifted) allowSilence()
        }
      }
      const sent = performance.now()
      const pass = (answer: Answer): DirectAnswer => {
        const upstreamMillis = performance.now() - sent
        lift(answer.silence)
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
        return cause.stalled ? stalledAnswer(own) : gone
      }
      return exchange(call, pool, deadlines).then(pass, fail)
    }

    return { pseudonym, forward, abandon }
  })
}) {}
