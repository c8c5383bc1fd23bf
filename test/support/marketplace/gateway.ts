/** Runs the service with its gateway on routes that the test chooses, with raw HTTP on both sides. */
import { connect, createServer, type Socket } from "node:net"
import { Context, Effect, Layer, type Scope, Struct } from "effect"
import { Trust } from "../../../src/gateway/dial.ts"
import { CallRefused } from "../../../src/gateway/errors.ts"
import * as gateway from "../../../src/gateway/http.ts"
import type { Lookup } from "../../../src/gateway/names.ts"
import { Resolver, UpstreamAddresses } from "../../../src/gateway/resolve.ts"
import { type Admission, type GatewayCall, GatewayRoutes, type Outcome } from "../../../src/gateway/routes.ts"
import type { Caller } from "../../../src/gateway/shares.ts"
import { upstreamOf } from "../../../src/gateway/upstream.ts"
import { DeadlineClock } from "../../../src/limits/deadlines.ts"
import { productionTimes, type Times } from "../../../src/shared/times.ts"
import { eventually } from "../eventually.ts"
import { type Environment, oncePerProcess, type RunningServer, startServer } from "../server.ts"
import { withTimes } from "../timing.ts"

/** A key that a test gateway accepts, and a key that belongs to another API. */
export const goodKey = "dk_live_good"
export const foreignKey = "dk_live_foreign"

/** How an API of a test gateway answers a call with the good key. */
export interface Published {
  /** The upstream's base URL, or a refusal. */
  readonly upstream: string | CallRefused
  /**
   * Milliseconds, five minutes by default. Connecting to the upstream uses real time, even on a stopped
   * clock.
   */
  readonly timeout?: number
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The caller and the publisher. By default, each API has its own subscriber, and all share one publisher.
   */
  readonly caller?: Caller
}

export interface RunningGateway extends RunningServer {
  /** Makes an API callable and returns its path. */
  readonly publish: (api: Published | string) => string
  /** The outcomes of the API's calls, in order. */
  readonly outcomes: (path: string) => ReadonlyArray<Outcome>
}

export interface GatewayOptions {
  readonly lookup?: Lookup
  /** In milliseconds, instead of patient ones. */
  readonly timeouts?: Partial<Times["timeouts"]>
  /** The clock for the deadlines of calls. */
  readonly clock?: StoppedDeadlines
  /** A certificate to trust for https upstreams. */
  readonly trust?: string
  readonly environment?: Environment
}

/** A stopped clock for deadlines. A call only times out when a test moves the clock. */
export interface StoppedDeadlines {
  readonly now: () => number
  /**
   * Waits until the deadlines have been checked, so that every waiting call is registered and every late call
   * has timed out.
   */
  readonly looked: Effect.Effect<void, Error>
  /** Moves the clock forward. */
  readonly pass: (milliseconds: number) => Effect.Effect<void, Error>
}

/** The gateway checks the deadlines only while a call is running. */
export const stoppedDeadlines = (): StoppedDeadlines => {
  let time = 0
  let looks = 0
  const looked = Effect.suspend(() => {
    const before = looks
    return eventually("the deadlines are looked at", () => looks > before)
  })
  return {
    now: () => {
      looks++
      return time
    },
    looked,
    pass: (milliseconds) =>
      Effect.map(looked, () => {
        time += milliseconds
      })
  }
}

/** Starts the service on a new database, with a gateway that has no APIs yet. */
export const startGateway = (
  options: GatewayOptions = {}
): Effect.Effect<RunningGateway, unknown, Scope.Scope> => {
  const apis = new Map<string, { readonly api: Published; readonly outcomes: Array<Outcome> }>()
  const admit = ({ apiSlug, key, publisherSlug, version }: GatewayCall) =>
    Effect.suspend((): Effect.Effect<Admission, CallRefused> => {
      if (key === foreignKey) return new CallRefused({ reason: "not_subscribed" })
      if (key !== goodKey) return new CallRefused({ reason: "invalid_key", keyReason: "key-unknown" })
      const path = `/gateway/${publisherSlug}/${apiSlug}/v/${version}`
      const published = apis.get(path)
      if (published === undefined) return new CallRefused({ reason: "api_not_found" })
      const { headers = {}, timeout = 300_000, upstream } = published.api
      const { caller = { subscriberId: path, publisherId: publisherSlug } } = published.api
      if (typeof upstream !== "string") return upstream
      return Effect.succeed({
        upstream: upstreamOf(new URL(upstream)),
        caller,
        timeout,
        headers,
        answered: (outcome) => void published.outcomes.push(outcome)
      })
    })
  const routes = gateway.layer.pipe(
    // A fresh one, because the catalog's uses the system resolver.
    Layer.provide(Layer.fresh(UpstreamAddresses.Default)),
    Layer.provide(Layer.succeed(GatewayRoutes, { admit, admitNow: () => undefined })),
    Layer.provide(options.lookup === undefined ? Layer.empty : Layer.succeed(Resolver, options.lookup)),
    Layer.provide(
      options.clock === undefined ? Layer.empty : Layer.succeed(DeadlineClock, options.clock.now)
    ),
    Layer.provide(options.trust === undefined ? Layer.empty : Layer.succeed(Trust, options.trust))
  )
  // On a stopped clock, only the test reaches these.
  const ofClock = Struct.pick(productionTimes.timeouts, "gateway.body", "gateway.events", "gateway.client")
  const timeouts = { ...(options.clock === undefined ? {} : ofClock), ...options.timeouts }
  return Effect.map(
    withTimes({ timeouts })(
      startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true", ...options.environment }, routes)
    ),
    (server) => ({
      ...server,
      publish: (api) => {
        const path = `/gateway/acme/api-${apis.size}/v/1`
        apis.set(path, { api: typeof api === "string" ? { upstream: api } : api, outcomes: [] })
        return path
      },
      outcomes: (path) => apis.get(path)?.outcomes ?? []
    })
  )
}

const sharedGateway = oncePerProcess(startGateway())

/** One gateway for the files of a process. Each test publishes its own APIs. */
export class TestGateway extends Context.Tag("TestGateway")<TestGateway, RunningGateway>() {
  static readonly layer = Layer.effect(TestGateway, sharedGateway)
}

/** Converts text to bytes, one per code unit. */
export const bytesOf = (octets: string | Uint8Array): Buffer =>
  typeof octets === "string" ? Buffer.from(octets, "latin1") : Buffer.from(octets)

/** A message as sent: its first line, its raw header lines, and its body with the chunk framing removed. */
export interface Message {
  readonly start: string
  readonly fields: ReadonlyArray<string>
  readonly body: Buffer
}

/** The values of a header, matched by name in any case. */
export const linesOf = ({ fields }: Message, name: string): ReadonlyArray<string> =>
  fields.flatMap((line) =>
    line.toLowerCase().startsWith(`${name.toLowerCase()}:`) ? [line.slice(name.length + 1).trim()] : []
  )

/** Decodes a chunked body; undefined if the last chunk is missing. */
const dechunk = (bytes: Buffer): Buffer | undefined => {
  const chunks: Array<Buffer> = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at)
    if (end === -1) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16)
    if (bytes.length < end + 2 + size + 2) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}

/** The message in these bytes; undefined if it is incomplete. */
export const messageOf = (bytes: Buffer, hasBody = true): Message | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [start = "", ...fields] = bytes.toString("latin1", 0, end).split("\r\n")
  const rest = bytes.subarray(end + 4)
  const head = { start, fields, body: Buffer.alloc(0) }
  if (!hasBody) return head
  if (linesOf(head, "transfer-encoding").length > 0) {
    const body = dechunk(rest)
    return body === undefined ? undefined : { ...head, body }
  }
  const length = Number(linesOf(head, "content-length")[0] ?? 0)
  return rest.length < length ? undefined : { ...head, body: rest.subarray(0, length) }
}

export interface RawUpstream {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** The complete requests received. */
  readonly requests: ReadonlyArray<Message>
  /** How many connections were made, and how many are open. */
  readonly connections: () => number
  readonly open: () => number
}

/** Handles each complete request, or only the head of each. */
export interface Reaction {
  readonly whole?: (socket: Socket, request: Message) => void
  readonly head?: (socket: Socket) => void
  /** Called for every connection. */
  readonly connected?: (socket: Socket) => void
}

/** A raw TCP upstream, closed with the scope. */
export const rawUpstream = (
  reaction: Reaction,
  address: "127.0.0.1" | "::1" = "127.0.0.1"
): Effect.Effect<RawUpstream, never, Scope.Scope> => {
  const requests: Array<Message> = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    let received: Buffer = Buffer.alloc(0)
    let headSeen = false
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    reaction.connected?.(socket)
    socket.on("data", (bytes) => {
      if (reaction.whole === undefined && headSeen) return
      received = Buffer.concat([received, Buffer.from(bytes)])
      if (!headSeen && received.includes("\r\n\r\n")) {
        headSeen = true
        reaction.head?.(socket)
      }
      const request = reaction.whole === undefined ? undefined : messageOf(received)
      if (request === undefined) return
      received = Buffer.alloc(0)
      headSeen = false
      requests.push(request)
      reaction.whole?.(socket, request)
    })
  })
  return Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, address, () => resolve()))),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  ).pipe(
    Effect.map(() => {
      const bound = server.address()
      if (bound === null || typeof bound === "string") throw new Error("The upstream has no port")
      return {
        url: `http://${address === "::1" ? "[::1]" : address}:${bound.port}`,
        requests,
        connections: () => connections,
        open: () => sockets.size
      }
    })
  )
}

/** An upstream that answers every request with the same bytes. */
export const answering = (
  answer: string | Uint8Array | (() => string),
  address?: "127.0.0.1" | "::1"
): Effect.Effect<RawUpstream, never, Scope.Scope> =>
  rawUpstream(
    { whole: (socket) => void socket.write(bytesOf(typeof answer === "function" ? answer() : answer)) },
    address
  )

/** Sends bytes on a new connection and returns everything received until the server closes the connection. */
export const converse = (
  server: Pick<RunningServer, "url">,
  octets: string | Uint8Array
): Effect.Effect<Buffer> =>
  Effect.promise(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        const { hostname, port } = new URL(server.url)
        const received: Array<Buffer> = []
        const socket = connect(Number(port), hostname, () => socket.write(bytesOf(octets)))
        const timer = setTimeout(() => {
          socket.destroy()
          reject(new Error(`The connection stays open after ${Buffer.concat(received).toString("latin1")}`))
        }, 60_000)
        socket.on("data", (bytes) => received.push(Buffer.from(bytes)))
        socket.on("error", () => {})
        socket.on("close", () => {
          clearTimeout(timer)
          resolve(Buffer.concat(received))
        })
      })
  )

export interface CallOptions {
  readonly method?: string
  /** Raw header lines. */
  readonly fields?: ReadonlyArray<string>
  readonly body?: string | Uint8Array
  readonly key?: string | undefined
  /** The raw Host line; empty sends none. */
  readonly host?: string
  /** The HTTP version. */
  readonly version?: "1.0" | "1.1"
}

/** Sends one raw request to the gateway and returns its response. */
export const call = (
  server: Pick<RunningServer, "url">,
  target: string,
  {
    body = "",
    fields = [],
    host = "Host: api.doorlock.test",
    key = goodKey,
    method = "GET",
    version = "1.1"
  }: CallOptions = {}
): Effect.Effect<Message> => {
  const lines = [
    `${method} ${target} HTTP/${version}`,
    ...(host === "" ? [] : [host]),
    "Connection: close",
    ...fields
  ]
  const head = `${[...lines, ...(key === "" ? [] : [`x-api-key: ${key}`])].join("\r\n")}\r\n\r\n`
  return Effect.map(
    converse(server, Buffer.concat([Buffer.from(head, "latin1"), bytesOf(body)])),
    (received) => {
      const message = messageOf(received, method !== "HEAD")
      if (message === undefined)
        throw new Error(`No answer in ${JSON.stringify(received.toString("latin1"))}`)
      return message
    }
  )
}
