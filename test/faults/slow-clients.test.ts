/** Clients that hold connections and do next to nothing with them. */

import { connect } from "node:net"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { IdleTimeout } from "../../src/http/serve.ts"
import { onboard, send, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { sized } from "../support/fault-size.ts"
import { jpegOf, upload } from "../support/files.ts"
import { atRate, percentile } from "../support/latency.ts"
import { metricsOf } from "../support/metrics.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { runOn } from "../support/program.ts"
import { open } from "../support/raw.ts"
import { type RunningServer, startServer } from "../support/server.ts"

/** Milliseconds. Generous, for a machine that does other things too: who waits for those who hold connections waits for seconds. */
const notWaiting = 1_500

interface Slow {
  readonly first: string
  /** Sent once a second. */
  readonly drip: string
  /** Whether it takes no answer. */
  readonly isDeaf?: true
}

/** Seconds until the server has ended the connection of each. */
const lives = (url: string, clients: ReadonlyArray<Slow>) =>
  Effect.forEach(
    clients,
    ({ drip, first, isDeaf }) =>
      Effect.async<number>((resume) => {
        const began = performance.now()
        const { hostname, port } = new URL(url)
        const socket = connect(Number(port), hostname, () => socket.write(first))
        if (isDeaf) socket.pause()
        else socket.resume()
        // Who reads nothing is told of the end by the next thing it writes.
        const timer = setInterval(() => socket.write(drip), 1_000)
        const end = () => {
          clearInterval(timer)
          socket.destroy()
          resume(Effect.succeed((performance.now() - began) / 1_000))
        }
        socket.on("error", end)
        socket.on("close", end)
        return Effect.sync(end)
      }),
    { concurrency: "unbounded" }
  )

/** Bytes of memory that are the program's. */
const memoryOf = (program: Pick<RunningServer, "url">) =>
  Effect.map(metricsOf(program), ({ value }) => value("process_resident_memory_bytes") ?? Number.NaN)

it.scopedLive(
  "a byte a second, or nothing at all, of a head, a body or an answer: ended in bounded time, and nobody else waits for them",
  () =>
    Effect.gen(function* () {
      const idleTimeout = sized(8, 120)
      const server = yield* startServer({ DATA_DIR: yield* temporaryFolder }).pipe(
        Effect.provideService(IdleTimeout, idleTimeout)
      )
      const { key, session } = yield* onboard(server, {}, { config: { capture: { maxBytes: 20_000_000 } } })
      // More than the buffers between the two take.
      const large = yield* upload(server, session, jpegOf(20_000_000))
      const file = `/api/kyc/sessions/${session.id}/files/${text(large.body, "file", "id")}`
      const post = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\n"
      const kinds: Readonly<Record<string, Slow>> = {
        "says nothing": { first: "", drip: "" },
        "a byte of a header": { first: "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ", drip: "a" },
        "a header": { first: "GET /healthz HTTP/1.1\r\nHost: x\r\n", drip: "X-A: a\r\n" },
        "half a head, then nothing": { first: "GET /healthz HTTP/1.1\r\nHost", drip: "" },
        "a byte of a body": { first: `${post}Content-Length: 1000\r\n\r\n`, drip: " " },
        "a chunk of a body": { first: `${post}Transfer-Encoding: chunked\r\n\r\n`, drip: "1\r\n \r\n" },
        "reads nothing": {
          first: `GET ${file} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key.token}\r\n\r\n`,
          drip: "x",
          isDeaf: true
        },
        "an answer and then nothing": { first: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", drip: "" }
      }
      const clients = Object.entries(kinds).flatMap(([kind, client]) =>
        Array.from({ length: 20 }, () => ({ kind, client }))
      )
      const slow = yield* Effect.fork(
        lives(
          server.url,
          clients.map(({ client }) => client)
        )
      )
      const read = `GET ${session.path}?token=${session.token} HTTP/1.1\r\nHost: x\r\n\r\n`
      const waits = yield* atRate(server, read, { rate: 100, seconds: sized(6, 60), status: 200 })
      expect(percentile(waits, 0.99)).toBeLessThan(notWaiting)
      const ended = yield* Fiber.join(slow)
      const late = ended.flatMap((seconds, index) =>
        // Bun looks every four seconds. A JSON body is answered 408 after 15, and the connection then idles.
        seconds < idleTimeout + 9 + (15 < idleTimeout ? 15 : 0) ? [] : [`${clients[index]?.kind}: ${seconds}`]
      )
      expect(late).toEqual([])
    }),
  sized(60_000, 300_000)
)

it.scopedLive(
  "an upload of a phone on a slow network, which takes longer than that: taken, and its connection ends when it idles",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer({ DATA_DIR: yield* temporaryFolder }).pipe(
        Effect.provideService(IdleTimeout, 4)
      )
      const { session } = yield* onboard(server)
      const connection = yield* open(server)
      const content = jpegOf(50_000)
      connection.write(
        `POST ${session.path}/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${session.token}\r\nContent-Length: ${content.length}\r\n\r\n`
      )
      for (let at = 0; at < content.length; at += 5_000) {
        yield* Effect.sleep("1 second")
        connection.write(content.subarray(at, at + 5_000))
      }
      expect((yield* connection.answer).status).toBe(201)
      yield* connection.closed
    }),
  30_000
)

it.scopedLive(
  "connections that idle by the thousand: they take little memory, and nobody waits for them",
  () =>
    Effect.gen(function* () {
      const count = sized(1_000, 10_000)
      const program = yield* runOn(yield* freshDatabase, {
        SEED_DEMO: "false",
        SIGNUP: "open",
        LOG_LEVEL: "warning"
      })
      const { session } = yield* onboard(program)
      const read = `GET ${session.path}?token=${session.token} HTTP/1.1\r\nHost: x\r\n\r\n`
      const measured = Effect.map(
        atRate(program, read, { rate: 200, seconds: sized(1, 5), status: 200 }),
        (waits) => percentile(waits, 0.99)
      )
      yield* measured
      const before = yield* memoryOf(program)
      let ended = 0
      const idle = (index: number) =>
        Effect.acquireRelease(
          Effect.promise(() =>
            Bun.connect({
              hostname: "127.0.0.1",
              port: Number(new URL(program.url).port),
              socket: {
                open: (socket) =>
                  void (index % 2 === 0 && socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")),
                data: () => {},
                close: () => void ended++
              }
            })
          ),
          (socket) => Effect.sync(() => socket.end())
        )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.forEach(
            Array.from({ length: count }, (_, index) => index),
            idle,
            { concurrency: 50 }
          )
          const beside = yield* measured
          expect(ended).toBe(0)
          // Half of them silent, half with an answer behind them.
          expect(((yield* memoryOf(program)) - before) / count).toBeLessThan(20_000)
          expect(beside).toBeLessThan(notWaiting)
        })
      )
      yield* eventually(
        "all are gone",
        5_000,
        Effect.sync(() => ended === count)
      )
      expect((yield* send(program, "GET", "/readyz")).status).toBe(200)
    }),
  sized(60_000, 300_000)
)
