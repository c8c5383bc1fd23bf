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

/** Moves the clock in steps until the condition holds. Returns an upper bound of the time that took. */
const passUntil = (clock: StoppedDeadlines, milliseconds: number, holds: () => boolean) =>
  Effect.iterate(0, {
    while: () => !holds(),
    body: (passed) =>
      // After the end of the call nothing reads the deadlines any more.
      Effect.as(
        Effect.raceFirst(clock.pass(milliseconds), eventually("the condition holds", Effect.sync(holds))),
        passed + milliseconds
      )
  })

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
        yield* eventually(
          `event ${number}`,
          Effect.sync(() => received().includes(`data: ${number}\n\n`))
        )
        connection?.write(event(number + 1))
      }
      expect(received()).toContain("Content-Type: text/event-stream")
    })
  )

  it.scoped("an upload arrives in pieces, before its end", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      let seen = ""
      const upstream = yield* rawUpstream({
        connected: (socket) =>
          void socket.on("data", (bytes) => {
            seen += bytes.toString("latin1")
            if (seen.endsWith("0\r\n\r\n")) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          })
      })
      const path = gateway.publish(upstream.url)
      const { received, socket } = yield* client(
        gateway.url,
        request(path, "POST", "Transfer-Encoding: chunked")
      )
      for (const piece of ["one", "two"]) {
        socket.write(`3\r\n${piece}\r\n`)
        yield* eventually(
          `piece ${piece}`,
          Effect.sync(() => seen.includes(piece))
        )
      }
      socket.write("0\r\n\r\n")
      yield* eventually(
        "the answer",
        Effect.sync(() => received().startsWith("HTTP/1.1 200 OK"))
      )
    })
  )

  it.scoped("an upstream that stops reading an upload: 504", () =>
    Effect.gen(function* () {
      const clock = stoppedDeadlines()
      const gateway = yield* startGateway({ clock })
      const upstream = yield* rawUpstream({ connected: (socket) => void socket.pause() })
      const path = gateway.publish({ upstream: upstream.url, timeout: 60_000 })
      const size = 20 * megabyte
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

  it.scoped("a response that comes before the end of an upload is passed on", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* rawUpstream({
        head: (socket) => void socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
      })
      const path = gateway.publish(upstream.url)
      const { received } = yield* client(gateway.url, `${request(path, "POST", "Content-Length: 1000")}abc`)
      yield* eventually(
        "the answer",
        Effect.sync(() => received().endsWith("no"))
      )
      expect(received()).toMatch(/^HTTP\/1\.1 413 /)
      // The connection has carried half a request, so it cannot be reused.
      yield* eventually(
        "it is closed",
        Effect.sync(() => upstream.open() === 0)
      )
    })
  )

  it.scoped("a client that leaves before the headers: the upstream is disconnected too", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* rawUpstream({ whole: () => {} })
      const path = gateway.publish(upstream.url)
      const { socket } = yield* client(gateway.url, request(path))
      yield* eventually(
        "the request",
        Effect.sync(() => upstream.requests.length === 1)
      )
      socket.destroy()
      yield* eventually(
        "the end",
        Effect.sync(() => upstream.open() === 0)
      )
      expect(gateway.outcomes(path)).toEqual([{ by: "client", asked: true }])
    })
  )

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
          yield* eventually(
            "the upstream has what there is",
            Effect.sync(() => seen.endsWith(`\r\n\r\n${part}`))
          )
          socket.destroy()
          yield* eventually(
            "the end",
            Effect.sync(() => upstream.open() === 0)
          )
          expect(seen.slice(seen.indexOf("\r\n\r\n") + 4)).toBe(part)
          expect(gateway.outcomes(path)).toEqual([{ by: "client", asked: true }])
        })
    )
  }

  for (const [how, then] of [
    ["with its connection", undefined],
    ["with a chunk that is none", "zz\r\n"]
  ] as const) {
    it.scoped(
      `an upstream that breaks off a body ${how}: the client's body breaks off too, without an error in it`,
      () =>
        Effect.gen(function* () {
          const gateway = yield* TestGateway
          let connection: Socket | undefined
          const upstream = yield* rawUpstream({
            whole: (socket) => {
              connection = socket
              socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n")
            }
          })
          const { received, socket } = yield* client(gateway.url, request(gateway.publish(upstream.url)))
          yield* eventually(
            "what there is of it",
            Effect.sync(() => received().includes("partial"))
          )
          if (then === undefined) connection?.destroy()
          else connection?.write(then)
          yield* eventually(
            "the end",
            Effect.sync(() => socket.destroyed)
          )
          expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
          expect(received().slice(received().indexOf("\r\n\r\n") + 4)).toBe("7\r\npartial\r\n")
        })
    )
  }

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
      yield* eventually(
        "the beginning of both",
        Effect.sync(() => [body, events].every(({ received }) => received().endsWith("1\r\na\r\n")))
      )
      yield* clock.pass(59_999)
      yield* clock.looked
      expect(upstream.open()).toBe(2)
      yield* clock.pass(1)
      yield* eventually(
        "the end of the body",
        Effect.sync(() => body.socket.destroyed)
      )
      expect(body.received()).toMatch(/\r\n\r\n1\r\na\r\n$/)
      yield* clock.pass(1_700_000)
      yield* clock.looked
      ofEvents?.write("1\r\nb\r\n0\r\n\r\n")
      yield* eventually(
        "the next event",
        Effect.sync(() => events.received().endsWith("1\r\nb\r\n0\r\n\r\n"))
      )
    })
  )

  it.scoped("a client that never reads its events is disconnected, and frees its connection", () =>
    Effect.gen(function* () {
      const clock = stoppedDeadlines()
      const gateway = yield* startGateway({ clock })
      const upstream = yield* answering(
        Buffer.concat([
          Buffer.from(
            `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${20 * megabyte}\r\n\r\n`
          ),
          Buffer.alloc(20 * megabyte)
        ])
      )
      const { socket } = yield* client(gateway.url, request(gateway.publish(upstream.url)))
      socket.pause()
      yield* eventually(
        "the call",
        Effect.sync(() => upstream.requests.length === 1)
      )
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
        yield* eventually(
          "the upstream has what there is",
          Effect.sync(() => seen.endsWith("\r\n\r\nabc"))
        )
        yield* clock.pass(119_999)
        yield* clock.looked
        expect(gateway.outcomes(path)).toEqual([])
        yield* clock.pass(1)
        yield* eventually(
          "the answer",
          Effect.sync(() => received().endsWith('{"error":"Request body took too long"}'))
        )
        expect(received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
        expect(received().toLowerCase()).toContain("proxy-status: doorlock; error=http_request_error\r\n")
        yield* eventually(
          "the upstream's connection is closed",
          Effect.sync(() => upstream.open() === 0)
        )
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
