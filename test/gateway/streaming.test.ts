/** Bodies stream in both directions, at the pace of the slower side, and the gateway notices a disconnect at once. */
import { connect, type Socket } from "node:net"
import { expect } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { eventually } from "../support/eventually.ts"
import {
  answering,
  call,
  goodKey,
  rawUpstream,
  type StoppedDeadlines,
  startGateway,
  stoppedDeadlines,
  TestGateway
} from "../support/marketplace/gateway.ts"
import { suite } from "../support/suite.ts"

const megabyte = 1_000_000

/** More than fits into the system's buffers of two connections, which grow to some 30 MB. */
const beyondBuffers = 60 * megabyte

interface Client {
  readonly socket: Socket
  readonly received: () => string
}

/** A client that sends the given part of a request. */
const client = (url: string, octets: string): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Client>((resolve) => {
          const { hostname, port } = new URL(url)
          let received = ""
          const socket = connect(Number(port), hostname, () => {
            socket.write(octets)
            resolve({ socket, received: () => received })
          })
          socket.on("error", () => {})
          socket.on("data", (bytes) => {
            received += bytes.toString("latin1")
          })
        })
    ),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

const request = (path: string, method = "GET", ...lines: ReadonlyArray<string>) =>
  `${[`${method} ${path} HTTP/1.1`, "Host: a", `x-api-key: ${goodKey}`, ...lines].join("\r\n")}\r\n\r\n`

/** Sends so many octets as fast as the socket takes them; how many it has taken. */
const pumping = (socket: Socket, total: number) => {
  const piece = Buffer.alloc(megabyte / 10, 97)
  let sent = 0
  const more = () => {
    while (sent < total) {
      sent += piece.length
      if (!socket.write(piece)) return void socket.once("drain", more)
    }
  }
  more()
  return () => sent
}

/** Moves the clock in steps until the condition holds. Returns an upper bound of the time that took. */
const passUntil = (clock: StoppedDeadlines, milliseconds: number, holds: () => boolean) =>
  Effect.iterate(0, {
    while: () => !holds(),
    body: (passed) =>
      // After the end of the call nothing reads the deadlines any more.
      Effect.as(
        Effect.raceFirst(clock.pass(milliseconds), eventually("the condition holds", holds)),
        passed + milliseconds
      )
  })

/**
 * Waits until a count stays the same over many checks: the transfer has finished, or waits for something. A count of 0 has
 * not begun.
 */
const settled = (count: () => number | undefined) => {
  let [last, same] = [0, 0]
  return eventually("nothing moves any more", () => {
    const now = count() ?? 0
    same = now > 0 && now === last ? same + 1 : 0
    last = now
    return same === 50
  })
}

suite(TestGateway.layer)("streaming", (it) => {
  it.scoped("each event is passed on before the next comes, even one sent with the head", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const event = (number: number) => {
        const data = `data: ${number}\n\n`
        return `${data.length.toString(16)}\r\n${data}\r\n`
      }
      let connection: Socket | undefined
      const upstream = yield* rawUpstream({
        whole: (socket) => {
          connection = socket
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${event(0)}`
          )
        }
      })
      const { received } = yield* client(gateway.url, request(gateway.publish(upstream.url)))
      for (let number = 0; number < 10; number++) {
        yield* eventually(`event ${number}`, () => received().includes(`data: ${number}\n\n`))
        connection?.write(event(number + 1))
      }
      expect(received()).toContain("Content-Type: text/event-stream")
    })
  )

  it.scoped("a connection whose response began before the end of the upload is used by nobody again", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* rawUpstream({
        head: (socket) => {
          if (upstream.connections() === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nearly")
        },
        whole: (socket) =>
          void socket.write(
            upstream.connections() === 1 ? "later" : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
          )
      })
      const path = gateway.publish(upstream.url)
      const { received, socket } = yield* client(gateway.url, request(path, "POST", "Content-Length: 5"))
      yield* eventually("the first half of the response", () => received().includes("early"))
      socket.write("hello")
      yield* eventually("the second half", () => received().includes("later"))
      expect((yield* call(gateway, path)).start).toBe("HTTP/1.1 200 OK")
      expect(upstream.connections()).toBe(2)
      yield* eventually("the first connection is closed", () => upstream.open() === 1)
    })
  )

  it.scoped("an upload in progress may outlast the timeout for the response headers", () =>
    Effect.gen(function* () {
      const clock = stoppedDeadlines()
      const gateway = yield* startGateway({ clock })
      let seen = ""
      const upstream = yield* rawUpstream({
        connected: (socket) =>
          void socket.on("data", (bytes) => {
            seen += bytes.toString("latin1")
            if (seen.endsWith("\r\n\r\nhello")) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          })
      })
      const path = gateway.publish({ upstream: upstream.url, timeout: 60_000 })
      const { received, socket } = yield* client(gateway.url, request(path, "POST", "Content-Length: 5"))
      let sent = ""
      for (const octet of "hello") {
        if (sent !== "") yield* clock.pass(100_000)
        socket.write(octet)
        sent += octet
        yield* eventually(`the upstream has ${sent}`, () => seen.endsWith(`\r\n\r\n${sent}`))
      }
      yield* eventually("the answer", () => received().startsWith("HTTP/1.1 200 OK"))
    })
  )

  it.scoped("an upstream that stops reading an upload: 504", () =>
    Effect.gen(function* () {
      const clock = stoppedDeadlines()
      const gateway = yield* startGateway({ clock })
      const upstream = yield* rawUpstream({ connected: (socket) => void socket.pause() })
      const path = gateway.publish({ upstream: upstream.url, timeout: 60_000 })
      const size = beyondBuffers
      const { received, socket } = yield* client(
        gateway.url,
        request(path, "POST", `Content-Length: ${size}`)
      )
      socket.write(Buffer.alloc(size))
      yield* passUntil(clock, 60_000, () => received().includes("\r\n\r\n"))
      expect(received()).toMatch(/^HTTP\/1\.1 504 /)
      expect(received().toLowerCase()).toContain("proxy-status: doorlock; error=connection_write_timeout")
    })
  )

  for (const [when, answer, outcome] of [
    ["before the headers", "", { by: "client", asked: true }],
    [
      "during the body",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
      { by: "upstream", status: 200 }
    ]
  ] as const) {
    it.scoped(`a client that leaves ${when}: the upstream is disconnected too`, () =>
      Effect.gen(function* () {
        const gateway = yield* TestGateway
        const upstream = yield* rawUpstream({ whole: (socket) => void socket.write(answer) })
        const path = gateway.publish(upstream.url)
        const { received, socket } = yield* client(gateway.url, request(path))
        yield* eventually("the request", () => upstream.requests.length === 1)
        yield* eventually("the answer", () => received().endsWith(answer.slice(-6)))
        socket.destroy()
        yield* eventually("the end", () => upstream.open() === 0)
        expect(gateway.outcomes(path)).toEqual([outcome])
      })
    )
  }

  for (const [framing, line, part] of [
    ["a length", "Content-Length: 1000", "abc"],
    ["chunks", "Transfer-Encoding: chunked", "3\r\nabc\r\n"]
  ] as const) {
    it.scoped(
      `a client that leaves during an upload of ${framing}: the upstream is disconnected too, and gets no end of the body`,
      () =>
        Effect.gen(function* () {
          const gateway = yield* TestGateway
          let seen = ""
          const upstream = yield* rawUpstream({
            connected: (socket) =>
              void socket.on("data", (bytes) => {
                seen += bytes.toString("latin1")
              })
          })
          const path = gateway.publish(upstream.url)
          const { socket } = yield* client(gateway.url, `${request(path, "POST", line)}${part}`)
          yield* eventually("the upstream has what there is", () => seen.endsWith(`\r\n\r\n${part}`))
          socket.destroy()
          yield* eventually("the end", () => upstream.open() === 0)
          expect(seen.slice(seen.indexOf("\r\n\r\n") + 4)).toBe(part)
          expect(gateway.outcomes(path)).toEqual([{ by: "client", asked: true }])
        })
    )
  }

  for (const [framing, answer, then = ""] of [
    ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n"],
    ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\npartial"],
    [
      "chunks that are none",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n",
      "zz\r\n"
    ]
  ] satisfies ReadonlyArray<readonly [string, string, string?]>) {
    it.scoped(
      `an upstream that breaks off a body of ${framing}: the client's body breaks off too, without an error in it`,
      () =>
        Effect.gen(function* () {
          const gateway = yield* TestGateway
          let connection: Socket | undefined
          const upstream = yield* rawUpstream({
            whole: (socket) => {
              connection = socket
              socket.write(answer)
            }
          })
          const { received, socket } = yield* client(gateway.url, request(gateway.publish(upstream.url)))
          yield* eventually("what there is of it", () => received().includes("partial"))
          if (then === "") connection?.destroy()
          else connection?.write(then)
          yield* eventually("the end", () => socket.destroyed)
          expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
          expect(received().slice(received().indexOf("\r\n\r\n") + 4)).toBe("7\r\npartial\r\n")
        })
    )
  }

  it.scoped("a client that stops reading slows the upstream", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      let sent = () => 0
      const total = 100 * megabyte
      const upstream = yield* rawUpstream({
        whole: (socket) => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`)
          sent = pumping(socket, total)
        }
      })
      const { socket } = yield* client(gateway.url, request(gateway.publish(upstream.url)))
      socket.pause()
      yield* settled(() => sent())
      // The system's buffers for two connections, and a few chunks of ours.
      expect(sent()).toBeLessThan(30 * megabyte)
      let got = 0
      socket.removeAllListeners("data").on("data", (bytes) => {
        got += bytes.length
      })
      socket.resume()
      yield* eventually("all of it", () => got > total - megabyte)
    })
  )

  it.scoped("an upstream that reads slowly slows the client", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      let held: Socket | undefined
      let got = 0
      const total = 100 * megabyte
      const upstream = yield* rawUpstream({
        connected: (socket) => {
          held = socket
          socket.pause()
          socket.on("data", (bytes) => {
            got += bytes.length
            if (got > total) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          })
        }
      })
      const path = gateway.publish({ upstream: upstream.url, timeout: 300_000 })
      const { received, socket } = yield* client(
        gateway.url,
        request(path, "POST", `Content-Length: ${total}`)
      )
      const sent = pumping(socket, total)
      yield* settled(sent)
      expect(sent()).toBeLessThan(40 * megabyte)
      held?.resume()
      yield* eventually("the answer", () => received().startsWith("HTTP/1.1 200 OK"))
      expect(got).toBeGreaterThan(total)
    })
  )

  it.scoped("an upstream that falls silent during a body is disconnected; events may be far apart", () =>
    Effect.gen(function* () {
      const clock = stoppedDeadlines()
      const gateway = yield* startGateway({ clock })
      let ofEvents: Socket | undefined
      const upstream = yield* rawUpstream({
        whole: (socket, { start }) => {
          const isEvents = start.includes("events")
          if (isEvents) ofEvents = socket
          const type = isEvents ? "Text/Event-Stream; charset=utf-8" : "text/plain"
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n`
          )
        }
      })
      const path = gateway.publish(upstream.url)
      const body = yield* client(gateway.url, request(`${path}/body`))
      const events = yield* client(gateway.url, request(`${path}/events`))
      yield* eventually("the beginning of both", () =>
        [body, events].every(({ received }) => received().endsWith("1\r\na\r\n"))
      )
      yield* clock.pass(59_999)
      yield* clock.looked
      expect(upstream.open()).toBe(2)
      yield* clock.pass(1)
      yield* eventually("the end of the body", () => body.socket.destroyed)
      expect(body.received()).toMatch(/\r\n\r\n1\r\na\r\n$/)
      yield* clock.pass(1_700_000)
      yield* clock.looked
      ofEvents?.write("1\r\nb\r\n0\r\n\r\n")
      yield* eventually("the next event", () => events.received().endsWith("1\r\nb\r\n0\r\n\r\n"))
    })
  )

  it.scoped("a client that never reads its events is disconnected, and frees its connection", () =>
    Effect.gen(function* () {
      const clock = stoppedDeadlines()
      const gateway = yield* startGateway({ clock })
      const upstream = yield* answering(
        Buffer.concat([
          Buffer.from(
            `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${beyondBuffers}\r\n\r\n`
          ),
          Buffer.alloc(beyondBuffers)
        ])
      )
      const { socket } = yield* client(gateway.url, request(gateway.publish(upstream.url)))
      socket.pause()
      yield* eventually("the call", () => upstream.requests.length === 1)
      const passed = yield* passUntil(clock, 120_000, () => upstream.open() === 0)
      // Long before the timeout of an upstream that sends no events.
      expect(passed).toBeLessThan(1_800_000)
      expect(upstream.connections()).toBe(1)
    })
  )

  it.scoped(
    "a client that stops during its body: 408 Request body took too long, and the upstream is disconnected",
    () =>
      Effect.gen(function* () {
        const clock = stoppedDeadlines()
        const gateway = yield* startGateway({ clock })
        let seen = ""
        const upstream = yield* rawUpstream({
          connected: (socket) =>
            void socket.on("data", (bytes) => {
              seen += bytes.toString("latin1")
            })
        })
        const path = gateway.publish({ upstream: upstream.url, timeout: 200_000 })
        const { received } = yield* client(gateway.url, `${request(path, "POST", "Content-Length: 10")}abc`)
        yield* eventually("the upstream has what there is", () => seen.endsWith("\r\n\r\nabc"))
        yield* clock.pass(119_999)
        yield* clock.looked
        expect(gateway.outcomes(path)).toEqual([])
        yield* clock.pass(1)
        yield* eventually("the answer", () => received().endsWith('{"error":"Request body took too long"}'))
        expect(received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
        expect(received().toLowerCase()).toContain("proxy-status: doorlock; error=http_request_error\r\n")
        yield* eventually("the upstream's connection is closed", () => upstream.open() === 0)
        expect(gateway.outcomes(path)).toEqual([{ by: "client", asked: true }])
      })
  )

  it.scoped("connections to an upstream are reused, for one request at a time", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const held: Array<() => void> = []
      const upstream = yield* rawUpstream({
        whole: (socket, { start }) => {
          const body = start.split(" ")[1] ?? ""
          held.push(
            () => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
          )
          // All calls of a round are under way at the same time.
          if (held.length === 20) for (const answer of held.splice(0)) answer()
        }
      })
      const path = gateway.publish(upstream.url)
      for (let round = 0; round < 3; round++) {
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, (_, at) => call(gateway, `${path}/${round}-${at}`)),
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ body }) => body.toString())).toEqual(
          Array.from({ length: 20 }, (_, at) => `/${round}-${at}`)
        )
      }
      expect(upstream.connections()).toBeLessThanOrEqual(20)
    })
  )

  it.scoped("a connection that the upstream wants closed, or kept only briefly, is not reused", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      for (const line of ["Connection: close", "Connection: x, Close", "Keep-Alive: timeout=1"]) {
        const upstream = yield* answering(`HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: 0\r\n\r\n`)
        const path = gateway.publish(upstream.url)
        for (const connections of [1, 2]) {
          yield* call(gateway, path)
          expect(upstream.connections()).toBe(connections)
        }
      }
    })
  )
})
