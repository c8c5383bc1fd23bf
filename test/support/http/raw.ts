/** Raw HTTP, for tests in which a client library would hide the subject. */
import { connect, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { NotInTime } from "../eventually.ts"
import type { RunningServer } from "../server.ts"

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. Repeated headers are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface RawConnection {
  readonly write: (bytes: string | Uint8Array) => void
  /** The next response; dies if the connection ends, or after half a minute without one. */
  readonly answer: Effect.Effect<RawAnswer>
  /** The next response to a HEAD request, which has no body whatever its Content-Length. */
  readonly head: Effect.Effect<RawAnswer>
  /** Waits until the server has closed the connection. */
  readonly closed: Effect.Effect<void>
}

const timeout = "30 seconds"

/** A body in chunks that begins there, and where it ends; undefined until it is complete. */
const chunkedBody = (received: Buffer, from: number): { body: Buffer; end: number } | undefined => {
  const parts: Array<Buffer> = []
  for (let at = from; ; ) {
    const line = received.indexOf("\r\n", at)
    if (line === -1) return undefined
    const size = Number.parseInt(received.toString("latin1", at, line), 16)
    at = line + 2 + size + 2
    if (received.length < at) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end: at }
    parts.push(received.subarray(line + 2, line + 2 + size))
  }
}

const parse = (received: Buffer, hasBody: boolean): { answer: RawAnswer; length: number } | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [statusLine = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n")
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  const status = Number(statusLine.split(" ")[1])
  if (hasBody && headers.get("transfer-encoding") === "chunked") {
    const chunked = chunkedBody(received, end + 4)
    if (chunked === undefined) return undefined
    return { answer: { status, headers, body: chunked.body.toString("utf8") }, length: chunked.end }
  }
  const length = end + 4 + (hasBody ? Number(headers.get("content-length") ?? 0) : 0)
  if (received.length < length) return undefined
  return {
    answer: {
      status,
      headers,
      body: received.subarray(end + 4, length).toString("utf8")
    },
    length
  }
}

const conversation = (socket: Socket): RawConnection => {
  let received: Buffer = Buffer.alloc(0)
  let ended = false
  let wake = () => {}
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, Buffer.from(chunk)])
    wake()
  })
  // A reset also closes the connection; "close" follows.
  socket.on("error", () => {})
  socket.on("close", () => {
    ended = true
    wake()
  })
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const next = (hasBody: boolean) =>
    Effect.promise(async () => {
      for (;;) {
        const parsed = parse(received, hasBody)
        if (parsed !== undefined) {
          received = received.subarray(parsed.length)
          return parsed.answer
        }
        if (ended)
          throw new Error(`The connection ended after ${JSON.stringify(received.toString("latin1"))}`)
        await more()
      }
    }).pipe(
      Effect.timeoutFail({ duration: timeout, onTimeout: () => new NotInTime("No answer came") }),
      Effect.orDie
    )
  return {
    write: (bytes) => void socket.write(bytes),
    answer: next(true),
    head: next(false),
    closed: Effect.promise(async () => {
      while (!ended) await more()
    }).pipe(
      Effect.timeoutFail({ duration: timeout, onTimeout: () => new NotInTime("The connection stays open") }),
      Effect.orDie
    )
  }
}

/** A connection to the server, closed with the scope. */
export const open = (server: Pick<RunningServer, "url">): Effect.Effect<RawConnection, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<Socket>((resolve, reject) => {
            const { hostname, port } = new URL(server.url)
            const socket = connect(Number(port), hostname, () => resolve(socket)).once("error", reject)
          })
      ),
      (socket) => Effect.sync(() => socket.destroy())
    ),
    conversation
  )

/** Sends one request with the given request line and headers, and returns the response. */
export const exchange = (
  server: Pick<RunningServer, "url">,
  requestLine: string,
  headers: ReadonlyArray<string> = [],
  body: string | Uint8Array = ""
): Effect.Effect<RawAnswer> =>
  Effect.scoped(
    Effect.flatMap(open(server), (connection) => {
      connection.write(
        `${[`${requestLine} HTTP/1.1`, "Host: doorlock.test", ...headers].join("\r\n")}\r\n\r\n`
      )
      connection.write(body)
      return requestLine.startsWith("HEAD ") ? connection.head : connection.answer
    })
  )
